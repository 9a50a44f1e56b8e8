/** What a unit of a bundle must be, and its shape: structure, names that fit each other, and digests that are made again. */
import { programIdentity, unitDigest } from "../../compiler/emit/unit-digest.ts";
import type { BundledUnit } from "../../runtime/bundle.ts";
import { keyOf, scopeForm, versionForm } from "../../runtime/decide/policy-name.ts";
import { refusalOf } from "../../runtime/sandbox/gate/index.ts";
import { digest } from "../digest.ts";
import { deepest, index, isObject, json, list, mapping, record, text, word, wrong, type Check } from "./check.ts";

const anyText = text();
const sha256 = text(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal");
const inBounds =
  (least: bigint, most: bigint): Check =>
  (value, at) => {
    if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value) || BigInt(value) < least || BigInt(value) > most)
      wrong(at, "must be a number of 64 bits");
  };

/** What a wrapped constant holds, by the name that wraps it. */
const wrapped = (depth: number): { readonly [name: string]: Check } => ({
  int: inBounds(-(2n ** 63n), 2n ** 63n - 1n),
  uint: inBounds(0n, 2n ** 64n - 1n),
  bytes: text(/^(?:[0-9a-f]{2})*$/, "must be bytes in hexadecimal"),
  double: word("NaN", "Infinity", "-Infinity", "-0"),
  object: list((pair, at) => {
    if (!Array.isArray(pair) || pair.length !== 2) return wrong(at, "must be a name and a constant");
    anyText(pair[0], `${at}[0]`);
    constant(depth - 1)(pair[1], `${at}[1]`);
  }),
});

const constant =
  (depth: number): Check =>
  (value, at) => {
    if (depth === 0) return wrong(at, "is nested too deep");
    if (Array.isArray(value)) return list(constant(depth - 1))(value, at);
    if (!isObject(value)) return; // JSON has no other scalars than constants do
    const [entry, ...others] = Object.entries(value);
    const checks = wrapped(depth);
    const check = entry !== undefined && Object.hasOwn(checks, entry[0]) ? checks[entry[0]] : undefined;
    if (entry === undefined || check === undefined || others.length > 0) return wrong(at, "must be a constant");
    check(entry[1], `${at}.${entry[0]}`);
  };

const match: Check = (value, at) => {
  const kind = isObject(value) ? value["kind"] : undefined;
  if (kind === "any") return record({ kind: word("any") })(value, at);
  if (kind === "exact") return record({ kind: word("exact"), value: anyText })(value, at);
  record({ kind: word("glob"), pattern: anyText })(value, at);
};

const reference = record({ ref: anyText, ignoreWhen: list(anyText) });

const scope: Check = (value, at) => {
  const patterns = isObject(value) && Array.isArray(value["patterns"]) ? value["patterns"].length : 0;
  record(
    {
      scope: text(scopeForm, "must be a scope"),
      key: anyText,
      patterns: list(anyText),
      rows: list(record({ actions: list(match), patterns: list(index(patterns)) })),
      sourceAttributes: (attributes, place) => {
        mapping(() => () => undefined)(attributes, place);
        json()(attributes, place);
      },
    },
    { parentRoles: list(anyText), schemas: record({}, { principal: reference, resource: reference }) },
  )(value, at);
};

/** One unit, but for what it has to do with others. */
export const unit: Check = (value, at) => {
  record({
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
  })(value, at);
};

/** Holds a unit of the right structure to its own words: names, keys, conditions, digest. */
export function checkWords(one: BundledUnit, at: string): void {
  const { id, type, name, writtenName, version, scopes } = one;
  if (id !== `${type} ${type === "resource" ? name : writtenName}@${version}`) wrong(`${at}.id`, "is not the name of that unit");
  scopes.forEach((says, place) => {
    const before = scopes[place - 1];
    if (before !== undefined && before.scope >= says.scope) wrong(`${at}.scopes`, "are not in order");
    if (says.key !== keyOf(type, name, version, says.scope)) wrong(`${at}.scopes[${place}].key`, "is not the key of that policy");
  });
  const trees = parsed(one.trees);
  if (!isObject(trees) || !Array.isArray(trees["p"]) || trees["p"].length !== scopes.length || !Array.isArray(trees["q"]))
    wrong(`${at}.trees`, "must be the conditions of each policy");
  if (one.digest !== unitDigest(one, programIdentity(one, digest), digest)) wrong(`${at}.digest`, "does not fit the unit");
}

/** Holds a program to its digest, and to what the sandbox takes. Nothing is evaluated. */
export const program =
  (name: string): Check =>
  (value, at) => {
    if (typeof value !== "string" || digest(value) !== name) return wrong(at, "does not have the digest that it is called by");
    const refused = refusalOf(value);
    if (refused !== undefined) wrong(at, `cannot be run: ${refused}`);
  };

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
