/** The runtime as units see it: `rt`. Nothing else reaches generated code but its constants and the query. */
import { typeValues } from "../cel/evaluate/names.ts";
import type { TypeValue } from "../cel/value.ts";
import { openGlob } from "../decide/glob.ts";
import { bare, get, has, index, isIn, owns, record, select } from "./access.ts";
import { add, divide, multiply, negate, remainder, subtract } from "./arithmetic.ts";
import { filter, map, sortBy, transformList, transformMap, transformMapEntry } from "./collect.ts";
import { atLeast, atMost, equal, greater, less, not, unequal } from "./comparison.ts";
import { functionNamed } from "./functions.ts";
import { count, readingOf, sizeOf } from "./count.ts";
import { overload } from "./overload.ts";
import { atLoad } from "./load-time.ts";
import { all, allEntry, every, everyEntry, exists, existsEntry, existsOne, existsOneEntry, some, someEntry } from "./loop.ts";
import { items } from "./range.ts";
import { bind, bytes, list, mapOf, uint } from "./make.ts";
import {
  findOptional,
  listWithOptionals,
  mapWithOptionals,
  optionalFlatMap,
  optionalMap,
  optionalOr,
  optionalOrValue,
} from "./optional.ts";
import { ALLOW, DENY, NONE } from "../decide/effect.ts";

const none: readonly string[] = Object.freeze([]);
const noRoles = (): readonly string[] => none;

/** The names among answers of which `false` means "not this one". */
function rolesAmong(answers: readonly (string | false)[]): readonly string[] {
  const active = answers.filter((answer) => answer !== false);
  return active.length === 0 ? none : active;
}

const typeNamed = (name: string): TypeValue | undefined => typeValues.get(name);

/** What a unit's factory gets as `rt`. */
export const emitted = Object.freeze({
  NONE,
  ALLOW,
  DENY,
  load: atLoad,
  bare,
  get,
  owns,
  select,
  has,
  index,
  isIn,
  sizeOf,
  count,
  readingOf,
  record,
  equal,
  unequal,
  less,
  atMost,
  greater,
  atLeast,
  not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
  items,
  some,
  every,
  someEntry,
  everyEntry,
  exists,
  existsEntry,
  all,
  allEntry,
  existsOne,
  existsOneEntry,
  map,
  filter,
  transformList,
  transformMap,
  transformMapEntry,
  sortBy,
  list,
  mapOf,
  uint,
  bytes,
  bind,
  typeNamed,
  findOptional,
  listWithOptionals,
  mapWithOptionals,
  optionalMap,
  optionalFlatMap,
  optionalOr,
  optionalOrValue,
  functionNamed,
  overload,
  glob: openGlob,
  noRoles,
  rolesAmong,
});

/** The type of `rt`. */
export type Emitted = typeof emitted;
