/** The names and values that random policies and random requests have in common, so that they meet. */
import type { Value } from "../../runtime/cel/value.ts";
import type { Random } from "./random.ts";

/** Kinds as policies write them and as requests may. `leave-request` and `leave_request` are one kind; `doc:9x` stays as it is. */
export const kinds = ["album", "leave-request", "constructor", "doc:9x"];
export const kindsAsked = ["album", "leave-request", "leave_request", "leave@request", "constructor", "doc:9x", "toString", "nowhere"];
export const kindPatterns = [
  "album",
  "album",
  "leave-request",
  "leave_request",
  "leave-*",
  "leave_*",
  "constructor",
  "doc:9x",
  "doc:*",
  "*",
  "*",
  "**",
  "[a-c]*",
  "{album,doc:9x}*",
  "{album,leave-request}",
  "alb?m",
  "nowhere",
];
export const versions = ["default", "default", "default", "v2"];
export const versionsAsked = [undefined, undefined, undefined, "default", "v2", "", "v9"];

/** Scopes, in branches, down to the fourth below the root. */
export const scopes = ["acme", "acme.hr", "acme.hr.uk", "acme.hr.uk.york", "acme.hr.uk.york", "acme.it", "acme.it.ops-1", "beta", "beta.x"];
/** Those that no policy is at, a lone dot, and one with a dot before it. */
export const scopesNowhere = [".", ".acme", "acme.hr.uk.york.a.b", "acme.nowhere", "nowhere", "beta.x.y", "acm", "acme.hr.ukx"];

export const principalIds = ["ann", "ann", "bob", "red", "team-1", "team_1", "constructor"];

export const roles = [
  "user",
  "user",
  "admin",
  "clerk",
  "boss",
  "team-lead",
  "team_lead",
  "team_red",
  "team_blue",
  "stopgap",
  "constructor",
  "*",
];
export const rolePatterns = [
  "user",
  "user",
  "user",
  "admin",
  "clerk",
  "boss",
  "team-lead",
  "team_red",
  "team_*",
  "*",
  "*",
  "constructor",
  "us?r",
];
/** Roles that role policies are for, and those that they name as parents. */
export const limitedRoles = ["clerk", "clerk", "boss", "team-lead", "team_red", "admin"];
export const parentRoles = ["user", "user", "admin", "clerk", "boss", "team-lead", "team_red", "constructor", "*"];
/** So many roles or kinds that one word of bits cannot count them. */
export const manyRoles = Array.from({ length: 45 }, (_, index) => (index % 9 === 8 ? `many_${index}*` : `many_${index}`));

export const actions = ["view", "view", "edit", "delete", "view:public", "view:public:all", "constructor"];
export const actionPatterns = [
  "view",
  "view",
  "edit",
  "edit",
  "delete",
  "constructor",
  "*",
  "*",
  "view:*",
  "view:public",
  "**:all",
  "*:public",
  "{view,edit}*",
  "[d-f]*",
  "v?ew*",
  "vie?",
  "view*",
];
/** What role policies list: patterns without `*`, too. */
export const listedActions = [
  ...actionPatterns,
  "*",
  "view",
  "edit",
  "{view,edit}",
  "vie?",
  "e[a-e]it",
  "[!a]iew",
  "delet\\e",
  "view:publi?",
];

/** Numbers that JSON can carry, the edges among them. */
export const numbers = [
  0,
  1,
  2,
  3,
  -1,
  10,
  0.5,
  100,
  -0,
  1e21,
  9007199254740991,
  9007199254740992,
  2 ** 63,
  -(2 ** 63),
  1.7976931348623157e308,
];
export const words = [
  "OPEN",
  "DRAFT",
  "ann",
  "bob",
  "red",
  "blue",
  "",
  "a",
  "view",
  "1",
  "true",
  "10.5",
  "a:b",
  "é",
  "\u{1F600}b",
  "\u{1F600}b",
  "\uffff",
  "\uffff",
  "__proto__",
  "length",
];

type Make = (random: Random) => Value;
const number: Make = (random) => random.pick(numbers);
const word: Make = (random) => random.pick(words);
const flag: Make = (random) => random.chance(0.6);
const nothing: Make = () => null;
const listOf =
  (make: Make): Make =>
  (random) =>
    random.several(0, 4, () => make(random));

/** Attributes of principals and resources and the kind of value that each mostly holds. `missing` is never there. */
export const attributes: readonly (readonly [name: string, make: Make])[] = [
  ["state", (random) => random.pick(["OPEN", "DRAFT"])],
  ["owner", (random) => random.pick(["ann", "bob"])],
  ["team", (random) => random.pick(["red", "blue"])],
  ["word", word],
  ["amount", number],
  ["count", (random) => random.pick([0, 1, 2, 3])],
  ["flag", flag],
  ["open", flag],
  ["tags", listOf((random) => random.pick(["red", "blue", "a", "OPEN"]))],
  ["numbers", listOf(number)],
  ["flags", listOf(flag)],
  ["mixed", listOf((random) => random.pick([number, word, flag, nothing])(random))],
  ["items", listOf((random) => record(random, ["name", "open", "count"], 0.8))],
  ["nested", (random) => record(random, ["state", "tags", "nested", "constructor", "count"], 0.7)],
  ["shares", (random) => Object.fromEntries(random.some(0, 3, words).map((name) => [name, random.pick(["read", "write", 1])]))],
  ["name", word],
  ["nothing", nothing],
  ["constructor", word],
  ["__proto__", (random) => random.pick<Value>(["red", { state: "OPEN" }])],
  ["toString", flag],
  ["length", number],
  ["a-b", word],
];
export const attributeNames = [...attributes.map(([name]) => name), "missing"];

/** Makes an object with each of the named attributes, when chance will have it. */
function record(random: Random, names: readonly string[], present: number): { readonly [key: string]: Value } {
  const own = attributes.filter(([name]) => names.includes(name) && name !== "nested" && random.chance(present));
  return Object.fromEntries(own.map(([name, make]) => [name, make(random)]));
}

/** Makes the attributes of a principal or resource: most of them there, most of their usual kind. */
export function makeAttributes(random: Random): { readonly [key: string]: Value } {
  const present = random.pick([0.6, 0.95, 1]);
  const held = attributes.filter(() => random.chance(present));
  return Object.fromEntries(held.map(([name, make]) => [name, random.chance(0.04) ? random.pick(attributes)[1](random) : make(random)]));
}

/** What the server's configuration would give as `globals`: integers stay integers there. */
export const globals: { readonly [name: string]: Value } = { environment: "test", limit: 5n, ratio: 1.5, constructor: "global" };
export const globalNames = ["environment", "limit", "ratio", "constructor", "missing"];
