/** Combinators for validating untrusted JSON: each check throws a refusal that names the path of the value. */
import { refusal } from "../refusal.ts";

/** Throws a refusal ("`units[3].id` must be ...") when a value is invalid. */
export type Check = (value: unknown, at: Place) => void;

/**
 * The path of a value: a string, or a step below another path. It is built lazily, because a bundle has a million values, and at most
 * one path is printed.
 */
export type Place = string | { readonly of: Place; readonly step: string | number };

/** Returns the path of a list item or an object's field. */
export const within = (of: Place, step: string | number): Place => ({ of, step });

function inWords(at: Place): string {
  if (typeof at === "string") return at;
  const of = inWords(at.of);
  if (typeof at.step === "number") return `${of}[${at.step}]`;
  return of === "" ? at.step : `${of}.${at.step}`;
}

/**
 * Throws a refusal about the value at a path. Names in the path are untrusted: control characters are replaced, so that they cannot
 * move a terminal's cursor.
 */
export function wrong(at: Place, should: string): never {
  const place = inWords(at);
  const said = `${place === "" ? "the whole" : `\`${place}\``} ${should}`;
  throw refusal(`it does not have the contents of a bundle: ${said.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")}`);
}

/** A string, which may have to match a pattern. */
export const text =
  (form?: RegExp, says = "must be a string"): Check =>
  (value, at) => {
    if (typeof value !== "string" || form?.test(value) === false) wrong(at, says);
  };

/** One of a few words. */
export const word =
  (...words: readonly string[]): Check =>
  (value, at) => {
    if (typeof value !== "string" || !words.includes(value)) wrong(at, `must be ${words.join(" or ")}`);
  };

/** An integer from 0, below a bound. */
export const index =
  (bound: number): Check =>
  (value, at) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0 || value >= bound)
      wrong(at, `must be a whole number from 0, below ${bound}`);
  };

/** A list; `item` checks each item. */
export const list =
  (item: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return wrong(at, "must be a list");
    for (let place = 0; place < value.length; place++) item(value[place], within(at, place));
  };

/** An object with exactly these fields, of which the optional ones may be missing. */
export function record(required: { readonly [name: string]: Check }, optional: { readonly [name: string]: Check } = {}): Check {
  const checks = new Map([...Object.entries(optional), ...Object.entries(required)]);
  const needed = Object.keys(required);
  return (value, at) => {
    if (!isObject(value)) return wrong(at, "must be an object");
    for (const name of needed) if (!Object.hasOwn(value, name)) wrong(at, `must have \`${name}\``);
    for (const name of Object.keys(value)) {
      const check = checks.get(name);
      if (check === undefined) return wrong(at, `has \`${name.slice(0, 40)}\`, which is not known here`);
      check(value[name], within(at, name));
    }
  };
}

/** A record whose fields must be in this order, because some readers parse only the beginning of the text. */
export function recordInOrder(required: { readonly [name: string]: Check }, optional: { readonly [name: string]: Check } = {}): Check {
  const check = record(required, optional);
  const order = Object.keys(required);
  return (value, at) => {
    check(value, at);
    let next = 0;
    for (const name of Object.keys(value as object))
      if (Object.hasOwn(required, name) && name !== order[next++]) wrong(at, `must have \`${name}\` where \`authz build\` writes it`);
  };
}

/** An object with any names; `item` returns the check for a name. */
export const mapping =
  (item: (name: string) => Check): Check =>
  (value, at) => {
    if (!isObject(value)) return wrong(at, "must be an object");
    for (const [name, of] of Object.entries(value)) item(name)(of, within(at, name.slice(0, 64)));
  };

/**
 * Any JSON of limited depth. The name `__proto__` is refused: a bundle file is a JavaScript module, whose object literals would take
 * it for the prototype.
 */
export const json =
  (depth = deepest): Check =>
  (value, at) => {
    if (depth === 0) return wrong(at, "is nested too deep");
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) return list(json(depth - 1))(value, at);
    if (!isObject(value)) return;
    mapping((name) => (name === "__proto__" ? (_of, place) => wrong(place, "has a name that no bundle can hold") : json(depth - 1)))(
      value,
      at,
    );
  };

/** The deepest nesting of constants and attributes. */
export const deepest = 200;

/** Returns whether a value is an object and not a list. */
export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
