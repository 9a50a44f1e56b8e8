/** Random requests and constants, as JSON text: what both sides are given. */
import type { Random } from "../agree/random.ts";
import type { Type } from "../../runtime/cel/type.ts";
import { addresses, durationTexts, networks, numberTexts, patterns, spiffeIds, timestampTexts, words } from "./texts.ts";

/** What one batch of expressions is evaluated on, each as the JSON text of an object. */
export interface Input {
  readonly request: string;
  readonly constants: string;
  readonly variables: string;
  readonly globals: string;
}

/** A JSON value whose numbers may be written as they are: `-0` would be lost otherwise. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Make = (random: Random) => Json;

const numbers = [
  0,
  1,
  2,
  3,
  5,
  10,
  -1,
  -2,
  0.5,
  -0.5,
  2.5,
  -0,
  100,
  1e6,
  1e21,
  123456789,
  1e-7,
  1e308,
  -1e308,
  5e-324,
  9007199254740991,
  9007199254740992,
  -9007199254740992,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  4294967296,
  0.1,
];
const number: Make = (random) => random.pick(numbers);
const small: Make = (random) => random.pick([0, 1, 2, 3, 4, -1, 1.5]);
const word: Make = (random) => random.pick(words);
const flag: Make = (random) => random.chance(0.6);
const nothing: Make = () => null;
const listOf =
  (make: Make): Make =>
  (random) =>
    random.several(0, 4, () => make(random));
const any: Make = (random) => random.pick([number, word, flag, nothing, listOf(small), record])(random);
const record: Make = (random) =>
  Object.fromEntries(
    random
      .some(0, 3, ["a", "b", "n", "k", "__proto__", "constructor", "0", "tags"])
      .map((name) => [name, random.pick([number, word, flag, nothing, listOf(word)])(random)]),
  );

/** Attributes: the name, what it mostly holds, and how expressions count on it. `missing` is never there. */
const attributes: readonly (readonly [name: string, kind: string, make: Make])[] = [
  ["n", "double", number],
  ["m", "double", number],
  ["i", "double", small],
  ["s", "string", word],
  ["t", "string", word],
  ["num", "string", (random) => random.pick(numberTexts)],
  ["at", "string", (random) => random.pick(timestampTexts)],
  ["span", "string", (random) => random.pick(durationTexts)],
  ["re", "string", (random) => random.pick(patterns)],
  ["ip", "string", (random) => random.pick(addresses)],
  ["net", "string", (random) => random.pick(networks)],
  ["who", "string", (random) => random.pick(spiffeIds)],
  ["b", "bool", flag],
  ["c", "bool", flag],
  ["z", "null", nothing],
  ["l", "list", listOf(any)],
  ["tags", "list", listOf(word)],
  ["numbers", "list", listOf(number)],
  ["flags", "list", listOf(flag)],
  ["nested", "list", listOf(listOf(small))],
  ["items", "list", listOf(record)],
  ["o", "map", record],
  ["p", "map", record],
  ["__proto__", "map", any],
  ["constructor", "string", any],
  ["toString", "bool", any],
  ["length", "double", any],
  ["a-b", "string", word],
];

/** Every name that an expression may ask for. */
export const attributeNames: readonly string[] = [...attributes.map(([name]) => name), "missing"];

/** The names that mostly hold a value of such a type. */
export function namesFor(type: Type): readonly string[] {
  const kind = type.kind === "int" || type.kind === "uint" ? "double" : type.kind;
  const fitting = attributes.filter(([, of]) => of === kind).map(([name]) => name);
  return fitting.length === 0 ? attributeNames : fitting;
}

/** Constants, variables and globals: all there, or reading one would be another question (a name that is not set). */
const named: readonly (readonly [string, Make])[] = [
  ["limit", number],
  ["word", word],
  ["list", listOf(any)],
  ["map", record],
  ["flag", flag],
];

/** The names under which every input has constants, and globals alike. */
export const constantNames: readonly string[] = named.map(([name]) => name);

const makeNamed: Make = (random) => Object.fromEntries(named.map(([name, make]) => [name, make(random)]));

function makeAttributes(random: Random): Json {
  const present = random.pick([0.6, 0.95, 1, 1]);
  return Object.fromEntries(
    attributes.filter(() => random.chance(present)).map(([name, , make]) => [name, random.chance(0.05) ? any(random) : make(random)]),
  );
}

/** Makes the input of one batch. */
export function makeInput(random: Random): Input {
  const party = (own: Json): Json => ({
    ...(typeof own === "object" && own !== null ? own : {}),
    ...(random.chance(0.9) ? { attr: makeAttributes(random) } : {}),
    ...(random.chance(0.5) ? { policyVersion: random.pick(["default", "v1", ""]) } : {}),
    ...(random.chance(0.5) ? { scope: random.pick(["", "acme", "acme.hr"]) } : {}),
  });
  const request = {
    principal: party({
      id: random.pick(["ann", "spiffe://acme/a/b", "é"]),
      roles: random.several(1, 3, () => random.pick(["user", "admin", "a"])),
    }),
    resource: party({ kind: random.pick(["album", "leave_request"]), id: random.pick(["x1", "a/b/c", ""]) }),
    ...(random.chance(0.6) ? { auxData: random.chance(0.9) ? { jwt: record(random) } : {} } : {}),
  };
  const text = (make: Make): string => writeJson(make(random));
  return { request: writeJson(request), constants: text(makeNamed), variables: text(makeNamed), globals: text(makeNamed) };
}

function writeJson(json: Json): string {
  if (typeof json === "number") return Object.is(json, -0) ? "-0" : JSON.stringify(json);
  // The reference reads its prompt's lines with a lexer of its own: whatever that might take for something else is written by number.
  if (typeof json === "string") return `"${json.replaceAll(/[^\w .,:-]/g, unicode)}"`;
  if (json === null || typeof json !== "object") return JSON.stringify(json);
  if (isList(json)) return `[${json.map(writeJson).join(",")}]`;
  return `{${Object.entries(json)
    .map(([key, value]) => `${writeJson(key)}:${writeJson(value)}`)
    .join(",")}}`;
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json);
const unicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The lines that make the reference know the input. */
export const settingsOf = ({ request, constants, variables, globals }: Input): readonly string[] => [
  `:let request = ${request}`,
  `:let C = ${constants}`,
  `:let V = ${variables}`,
  `:let G = ${globals}`,
];
