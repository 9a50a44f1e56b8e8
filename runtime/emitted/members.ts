/** The members of `rt` as named exports, so that a bundler can drop those a module does not use. */
export { DENY, ALLOW, NONE } from "../decide/effect.ts";
export { bare, get, has, index, isIn, owns, record, select } from "./access.ts";
export { add, divide, multiply, negate, remainder, subtract } from "./arithmetic.ts";
export { filter, map, sortBy, transformList, transformMap, transformMapEntry } from "./collect.ts";
export { atLeast, atMost, equal, greater, less, not, unequal } from "./comparison.ts";
export { count, readingOf, sizeOf } from "./count.ts";
export { functionNamed } from "./functions.ts";
export { glob } from "./glob.ts";
export { listed } from "./listed.ts";
export { atLoad as load } from "./load-time.ts";
export { all, allEntry, every, everyEntry, exists, existsEntry, existsOne, existsOneEntry, some, someEntry } from "./loop.ts";
export { bind, bytes, list, mapOf, uint } from "./make.ts";
export {
  findOptional,
  listWithOptionals,
  mapWithOptionals,
  optionalFlatMap,
  optionalMap,
  optionalOr,
  optionalOrValue,
} from "./optional.ts";
export { overload } from "./overload.ts";
export { items } from "./range.ts";
export { noRoles, rolesAmong } from "./roles.ts";
export { typeNamed } from "./type-named.ts";
