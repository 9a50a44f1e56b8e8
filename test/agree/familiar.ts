/** Conditions as real policies have them, and what stands near the edges of numbers and texts. */
import { ints } from "./leaves.ts";
import type { Names } from "./leaves.ts";
import type { Random } from "./random.ts";

/** What real policies say. */
export const familiar = (random: Random): string =>
  random.pick([
    "R.attr.owner == P.id",
    "request.resource.attr.owner == request.principal.id",
    "R.attr.owner != P.attr.owner",
    'R.attr.state == "OPEN"',
    'R.attr.state in ["OPEN", "DRAFT"]',
    'R.attr["state"] != "DRAFT"',
    "R.attr.team == P.attr.team",
    "R.attr.flag",
    "!R.attr.open",
    "P.attr.flag == true",
    "R.attr.count < 3",
    "R.attr.count >= P.attr.count",
    '"red" in R.attr.tags',
    "P.id in R.attr.tags",
    'R.attr.tags.exists(t, t == "red")',
    "R.attr.items.all(i, i.open)",
    "has(R.attr.owner)",
    "has(R.attr.nothing)",
    "!has(P.attr.nothing)",
    '"clerk" in P.roles',
    'R.kind == "album"',
    "size(R.attr.tags) > 1",
    "R.attr.amount > 1.0",
    "R.attr.nothing == null",
    "true",
    "false",
    'runtime.effectiveDerivedRoles.exists(r, r == "near")',
    '"far" in runtime.effective_derived_roles',
    "size(runtime.effectiveDerivedRoles) > 0",
    "P.attr.tags.exists(t, t in R.attr.tags)",
    "R.attr.items.exists_one(i, i.open)",
    "R.attr.word < P.attr.word",
    'R.attr.nested.state == "OPEN"',
    "R.attr.flag && R.attr.open",
    "R.attr.flag || R.attr.missing",
    "R.attr.count == 1",
    "R.attr.count != 2",
    "R.attr.count in [0, 1]",
    "!(R.attr.count == 1)",
    "!(R.attr.flag || P.attr.flag)",
    "R.attr.name.lowerAscii() == P.attr.name.lowerAscii()",
    "P.attr.missing.trim() != R.attr.word.trim()",
    "!(R.attr.open && P.attr.open)",
  ]);

/** What reading a variable can show: its value, whether it has one, whether it failed. */
export function aboutVariables(random: Random, { variables }: Names): string {
  const one = `V.${random.pick(variables)}`;
  const other = `variables.${random.pick(variables)}`;
  return random.pick([
    one,
    `!${one}`,
    `${one} || ${other}`,
    `${one} && !${other}`,
    `has(${one})`,
    `!has(${one})`,
    `${one} == null`,
    `${one} != null`,
    `${one} == ${other}`,
    `${one} || R.attr.flag`,
    `dyn(${one}) == false`,
    `[${one}] == [null]`,
  ]);
}

/** Arithmetic that has a value more often than not, near the edges too. */
export function integer(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.7)) {
    return `(${integer(random, depth - 1)} ${random.pick(["+", "-", "*", "/", "%"])} ${integer(random, depth - 1)})`;
  }
  return random.weigh([
    [6, () => random.pick(ints)],
    [3, () => `int(${random.pick(["R", "P"])}.attr.${random.pick(["count", "amount", "length"])})`],
    [1, () => `size(${random.pick(["R", "P"])}.attr.${random.pick(["tags", "word", "shares"])})`],
    [1, () => `-${random.pick(ints.slice(0, 5))}`],
  ]);
}

/** Text as it is ordered: beyond the basic plane, too. */
export const text = (random: Random): string =>
  random.pick([
    "R.attr.word",
    "P.attr.word",
    "R.attr.name",
    "P.attr.state",
    '"\\uffff"',
    '"\\U0001F600"',
    '"OPEN"',
    '"a"',
    "R.attr.name + P.attr.word",
  ]);

/** What rules tell their callers: texts, records, and what no answer can carry. */
export const telling = (random: Random): string =>
  random.pick([
    '"told"',
    '"%s may not".format([P.id])',
    "R.attr.count",
    "R.attr.missing",
    "R.attr.state == P.attr.state",
    '{"id": R.id, "state": R.attr.state, "roles": P.roles}',
    "R.attr.tags.map(t, t + P.attr.word)",
    "runtime.effectiveDerivedRoles",
    "runtime",
    "P",
    "R",
    "request",
    "G",
    "R.attr",
    "[1, 2u, 3.5, 9007199254740993, -9007199254740992]",
    "9223372036854775807",
    "18446744073709551615u",
    "[0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0]",
    "-0.0",
    'b"told"',
    "now()",
    'timestamp("2024-01-01T00:00:00.12+05:30")',
    'duration("90m0.5s")',
    "null",
    "type(R.attr.count)",
    "{1: 2}",
    "{true: 1}",
    'optional.of("told")',
    "R.attr.?missing",
    'hierarchy("a.b")',
    "[type(1)]",
    '{"a": {2u: 3}}',
    "1 / 0",
  ]);
