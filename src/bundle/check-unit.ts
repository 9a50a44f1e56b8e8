/** Validates a unit of a bundle, and a shape: structure, consistent names, and digests, which are recomputed. */
import { programIdentity, unitDigest } from "../../compiler/emit/unit-digest.ts";
import type { BundledUnit } from "../../runtime/bundle.ts";
import { keyOf, scopeForm, versionForm } from "../../runtime/decide/policy-name.ts";
import { digest } from "../texts/digest.ts";
import {
  deepest,
  index,
  isObject,
  json,
  list,
  mapping,
  record,
  recordInOrder,
  text,
  within,
  word,
  wrong,
  type Check,
  type Place,
} from "./check.ts";

const anyText = text();
const sha256 = text(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal");
const inBounds =
  (least: bigint, most: bigint): Check =>
  (value, at) => {
    if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value) || BigInt(value) < least || BigInt(value) > most)
      wrong(at, "must be a number of 64 bits");
  };

/** The check for the content of a wrapped constant, by the wrapper's name. */
const wrapped = (depth: number): { readonly [name: string]: Check } => ({
  int: inBounds(-(2n ** 63n), 2n ** 63n - 1n),
  uint: inBounds(0n, 2n ** 64n - 1n),
  bytes: text(/^(?:[0-9a-f]{2})*$/, "must be bytes in hexadecimal"),
  double: word("NaN", "Infinity", "-Infinity", "-0"),
  object: list((pair, at) => {
    if (!Array.isArray(pair) || pair.length !== 2) return wrong(at, "must be a name and a constant");
    anyText(pair[0], within(at, 0));
    constant(depth - 1)(pair[1], within(at, 1));
  }),
});

const constant =
  (depth: number): Check =>
  (value, at) => {
    if (depth === 0) return wrong(at, "is nested too deep");
    if (typeof value !== "object") return;
    if (Array.isArray(value)) return list(constant(depth - 1))(value, at);
    if (!isObject(value)) return; // JSON has no other scalars than constants do.
    const [entry, ...others] = Object.entries(value);
    const checks = wrapped(depth);
    const check = entry !== undefined && Object.hasOwn(checks, entry[0]) ? checks[entry[0]] : undefined;
    if (entry === undefined || check === undefined || others.length > 0) return wrong(at, "must be a constant");
    check(entry[1], within(at, entry[0]));
  };

const matchAny = record({ kind: word("any") });
const matchExact = record({ kind: word("exact"), value: anyText });
const matchGlob = record({ kind: word("glob"), pattern: anyText });
const match: Check = (value, at) => {
  const kind = isObject(value) ? value["kind"] : undefined;
  if (kind === "any") return matchAny(value, at);
  if (kind === "exact") return matchExact(value, at);
  matchGlob(value, at);
};

const reference = record({ ref: anyText, ignoreWhen: list(anyText) });

const anyNames = mapping(() => () => undefined);
const anyJson = json();
const scope: Check = recordInOrder(
  {
    scope: text(scopeForm, "must be a scope"),
    key: anyText,
    patterns: list(anyText),
    rows: list(record({ actions: list(match), patterns: list(index(Number.MAX_SAFE_INTEGER)) })),
    sourceAttributes: (attributes, place) => {
      anyNames(attributes, place);
      anyJson(attributes, place);
    },
  },
  { parentRoles: list(anyText), schemas: record({}, { principal: reference, resource: reference }) },
);

/** Rows refer to patterns by their indices. */
function checkRows({ patterns, rows }: BundledUnit["scopes"][number], at: Place): void {
  const known = index(patterns.length);
  rows.forEach((row, which) =>
    row.patterns.forEach((one, place) => known(one, within(within(within(within(at, "rows"), which), "patterns"), place))),
  );
}

/** The structure of one unit. */
export const unit: Check = recordInOrder({
  id: anyText,
  type: word("resource", "principal", "role"),
  name: anyText,
  writtenName: anyText,
  version: text(versionForm, "must be a version"),
  digest: sha256,
  shape: sha256,
  constants: list(constant(deepest)),
  scopes: list(scope),
  trees: anyText,
});

/** Checks that the id, the keys and the digest of a structurally valid unit agree with its contents. */
export function checkWords(one: BundledUnit, at: Place): void {
  const { id, type, name, writtenName, version, scopes } = one;
  if (id !== `${type} ${type === "resource" ? name : writtenName}@${version}`) wrong(within(at, "id"), "is not the name of that unit");
  scopes.forEach((says, place) => {
    checkRows(says, within(within(at, "scopes"), place));
    const before = scopes[place - 1];
    if (before !== undefined && before.scope >= says.scope) wrong(within(at, "scopes"), "are not in order");
    if (says.key !== keyOf(type, name, version, says.scope))
      wrong(within(within(within(at, "scopes"), place), "key"), "is not the key of that policy");
  });
  if (one.digest !== unitDigest(one, programIdentity(one, digest), digest)) wrong(within(at, "digest"), "does not fit the unit");
}

/** Checks a program against its digest. Its text is parsed later, once the structure of the whole bundle is valid. */
export const program =
  (name: string): Check =>
  (value, at) => {
    if (typeof value !== "string" || digest(value) !== name) return wrong(at, "does not have the digest that it is called by");
  };
