/** Conditions and output expressions, of attributes that requests do send, so that about half of them hold. */
import type { Random } from "../agree/random.ts";
import type { Quirk } from "./quirks.ts";
import type { Match, Output } from "./store.ts";

/** What an expression may name. */
export interface Names {
  /** Variables whose value is a bool. */
  readonly variables: readonly string[];
  readonly constants: readonly string[];
  /** Derived roles may be asked for. */
  readonly runtime: boolean;
  readonly quirk?: Quirk | undefined;
}

const plain = [
  "R.attr.n > 2",
  "R.attr.n == 2",
  "R.attr.n + 1.0 >= 3.0",
  'R.attr.s == "a"',
  'R.attr.s.startsWith("a")',
  '"b" in R.attr.l',
  "size(R.attr.l) > 1",
  "R.attr.b",
  "!R.attr.b",
  "R.attr.owner == P.id",
  "request.resource.attr.owner != request.principal.id",
  "P.attr.level >= 2.0",
  'P.attr.dept == "hr"',
  "P.attr.tags.exists(t, t in R.attr.l)",
  '"admin" in P.roles',
  'P.roles.all(r, r != "team_b")',
  'R.id.endsWith("1")',
  'R.kind == "album" || R.attr.b',
  'R.scope == "acme"',
  "has(R.scope)",
  'has(P.scope) && P.scope.startsWith("a")',
  'P.policyVersion == "v2"',
  "has(R.attr.o.k)",
  "R.attr.o.k == 1",
  "R.attr.o.deep.x == 'y'",
  "G.flag",
  "G.limit < 4",
  "G.words.exists(w, w == R.attr.s)",
  "true",
  "false",
  // Not a bool; fails where it is absent; fails for some values.
  "R.attr.s",
  "R.attr.absent == 1",
  "R.attr.unsure > 1",
  "has(R.attr.unsure)",
  "R.attr.unsure == null || R.attr.b",
  'timestamp("2024-05-01T00:00:00Z") < now()',
];

/** An expression for a condition. */
export function conditionText(random: Random, names: Names, depth = 1): string {
  const part = (): string => `(${conditionText(random, names, depth - 1)})`;
  return random.weigh([
    [12, () => random.pick(plain)],
    [names.variables.length > 0 ? 6 : 0, () => `V.${random.pick(names.variables)}`],
    [names.variables.length > 0 ? 1 : 0, () => `has(V.${random.pick(names.variables)}) && variables.${random.pick(names.variables)}`],
    [names.constants.length > 0 ? 3 : 0, () => constantText(random, random.pick(names.constants))],
    [
      names.runtime ? 3 : 0,
      () =>
        random.pick([
          '"near" in runtime.effectiveDerivedRoles',
          '"deep" in runtime.effectiveDerivedRoles',
          "size(runtime.effective_derived_roles) > 0",
        ]),
    ],
    [names.quirk === "missing global" ? 4 : 0, () => random.pick(["G.nowhere == null", "G.nowhere == 1", "!has(G.nowhere)"])],
    [depth > 0 ? 3 : 0, () => `${part()} ${random.pick(["&&", "||"])} ${part()}`],
    [depth > 0 ? 1 : 0, () => `!${part()}`],
  ]);
}

const constantText = (random: Random, name: string): string =>
  random.pick(name.endsWith("list") ? [`R.attr.s in C.${name}`] : [`R.attr.n > C.${name}`, `constants.${name} >= P.attr.level`]);

/** A whole condition. */
export function match(random: Random, names: Names, depth = 2): Match {
  const of = (): { readonly of: readonly Match[] } => ({ of: random.several(1, 3, () => match(random, names, depth - 1)) });
  return random.weigh<Match>([
    [7, () => ({ expr: conditionText(random, names) })],
    [depth > 0 ? 1 : 0, () => ({ all: of() })],
    [depth > 0 ? 1 : 0, () => ({ any: of() })],
    [depth > 0 ? 1 : 0, () => ({ none: of() })],
  ]);
}

/** What an output may say. Of an integer both answer the same up to 2^53. */
const values = [
  '"text"',
  "R.id",
  '{"id": P.id, "n": R.attr.n}',
  "[1, 2.5, null, true, 7u]",
  "R.attr",
  "R.attr.l",
  'timestamp("2024-01-01T00:00:00.12+05:30")',
  'duration("90m5ms")',
  'b"abc\\xff"',
  "9007199254740993",
  "request.principal",
  "P.roles",
  "G.limit",
  "runtime.effectiveDerivedRoles",
  '"%s of %d".format([R.kind, 3])',
  "R.attr.absent",
  "R.attr.n / 0.5",
  "R.attr.unsure + 1.0",
];

export const unconvertible = ['hierarchy("a.b")', "{1: 2}", "type(R.id)", '[spiffeTrustDomain("acme")]'];
export const notNumbers = ["0.0 / 0.0", "[1.0 / 0.0]", '{"low": -1.0 / 0.0}'];

function outputText(random: Random, names: Names): string {
  return random.weigh([
    [10, () => random.pick(values)],
    [names.variables.length > 0 ? 3 : 0, () => `[V.${random.pick(names.variables)}]`],
    [names.constants.length > 0 ? 2 : 0, () => `C.${random.pick(names.constants)}`],
    [names.quirk === "unconvertible output" ? 14 : 0, () => random.pick(unconvertible)],
    [names.quirk === "not a number" ? 3 : 0, () => random.pick(notNumbers)],
  ]);
}

export function output(random: Random, names: Names): Output {
  const text = (): string => outputText(random, names);
  return random.weigh<Output>([
    [4, () => ({ when: { ruleActivated: text() } })],
    [3, () => ({ when: { conditionNotMet: text() } })],
    [4, () => ({ when: { ruleActivated: text(), conditionNotMet: text() } })],
    [1, () => ({ expr: text() })],
    [0.5, () => ({ expr: text(), when: { conditionNotMet: text() } })],
    [0.5, () => ({ expr: text(), when: { ruleActivated: text() } })],
    [names.quirk === "empty output" ? 0.7 : 0, () => random.pick<Output>([{}, { when: {} }])],
  ]);
}
