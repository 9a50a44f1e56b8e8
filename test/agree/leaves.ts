/** The smallest expressions: literals, attributes, variables, of the type that is wanted or nearly. */
import type { Type } from "../../runtime/cel/type.ts";
import type { Random } from "./random.ts";
import { attributeNames, globalNames, words } from "./vocabulary.ts";

/** What an expression may refer to. */
export interface Names {
  readonly variables: readonly string[];
  readonly constants: readonly string[];
  /** Variables of the loops and bindings around it. */
  readonly locals: readonly string[];
}

/** What can stand behind a dot. */
export const identifier = /^[a-zA-Z_]\w*$/;

/** Writes a leaf. */
export function leaf(random: Random, type: Type, names: Names): string {
  const held = names.locals.length > 0 && random.chance(0.5) ? random.pick(names.locals) : undefined;
  if (held !== undefined) return held;
  if (random.chance(0.1) && names.variables.length > 0) return `${random.pick(["V", "variables"])}.${random.pick(names.variables)}`;
  if (random.chance(0.05) && names.constants.length > 0) return `${random.pick(["C", "constants"])}.${random.pick(names.constants)}`;
  if (random.chance(0.05)) return `${random.pick(["G", "globals"])}.${random.pick(globalNames)}`;
  const attribute = (wanted: readonly string[]): string => {
    const name = random.chance(0.1) ? random.pick(attributeNames) : random.pick(wanted);
    const root = random.pick(["R.attr", "P.attr"]);
    return identifier.test(name) ? `${root}.${name}` : `${root}[${JSON.stringify(name)}]`;
  };
  const half = (literals: readonly string[], wanted: readonly string[]): string =>
    random.chance(0.5) ? random.pick(literals) : attribute(wanted);
  switch (type.kind) {
    case "bool":
      return half(["true", "false"], ["flag", "open", "toString"]);
    case "int":
      return half(ints, ["count", "amount", "length"]);
    case "uint":
      return random.pick(["0u", "1u", "2u", "18446744073709551615u", "9007199254740993u"]);
    case "double":
      return half(doubles, ["amount", "count", "length"]);
    case "string":
      return half(
        [...words.map((word) => JSON.stringify(word)), "P.id", "R.id", "R.kind", "R.scope", "R.policyVersion"],
        ["word", "owner", "name", "state", "constructor"],
      );
    case "bytes":
      return random.pick(['b"abc"', 'b"\\xff"', 'b""']);
    case "null":
      return "null";
    case "timestamp":
      return random.pick(['timestamp("2024-02-29T12:00:00Z")', "now()", 'timestamp("1969-12-31T23:59:59.5+01:00")', "timestamp(0)"]);
    case "duration":
      return random.pick(['duration("1h")', 'duration("-1.5s")', 'duration("0")']);
    case "list":
      return type.element.kind === "int"
        ? random.pick(["[1, 2, 3]", "[0]", "[9007199254740993, 1]"])
        : type.element.kind === "dyn"
          ? random.pick([
              attribute(["tags", "numbers", "flags", "mixed", "items"]),
              "P.roles",
              '["red", 1, 2.0, null, 3u]',
              "[]",
              "runtime.effectiveDerivedRoles",
            ])
          : attribute(["tags", "mixed"]);
    case "map":
      return random.pick([attribute(["nested", "shares"]), "R.attr", "P.attr", '{"state": "OPEN", "a": 1}', "{}"]);
    case "opaque":
      return random.pick(opaques.get(type.name) ?? [attribute(attributeNames)]);
    default:
      return random.chance(0.03) ? random.pick(records) : attribute(attributeNames);
  }
}

/** Records taken whole. */
const records = ["V", "R", "P", "request", "C", "G", "runtime", "request.auxData", "request.auxData.jwts", "request.resource"];

/** Values of types that have no literals. */
const opaques: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "optional_type",
    [
      "optional.none()",
      "optional.of(1)",
      "R.attr.?state",
      "P.attr.?nested.?state",
      'R.attr[?"word"]',
      "R.attr.tags[?0]",
      "optional.ofNonZeroValue(P.attr.word)",
    ],
  ],
  [
    "hierarchy",
    ['hierarchy("a.b.c")', 'hierarchy("a.b")', 'hierarchy(R.attr.word, ":")', "hierarchy(P.attr.tags)", 'hierarchy(R.id, "/")'],
  ],
  ["net.IP", ['ip("10.0.0.1")', 'ip("::1")', "ip(R.attr.word)"]],
  ["net.CIDR", ['cidr("10.0.0.0/8")', 'cidr("::/0")', 'cidr("10.1.2.3/16")']],
  ["spiffeID", ['spiffeID("spiffe://acme/a/b")', "spiffeID(P.id)"]],
  ["spiffeTrustDomain", ['spiffeTrustDomain("acme")', 'spiffeTrustDomain("spiffe://acme/x")']],
  ["spiffeMatcher", ["spiffeMatchAny()", 'spiffeMatchExact("spiffe://acme/a/b")', 'spiffeMatchTrustDomain("acme")']],
]);

export const ints = [
  "0",
  "1",
  "2",
  "3",
  "10",
  "-1",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
];
const doubles = [
  "0.0",
  "1.0",
  "2.0",
  "0.5",
  "-1.0",
  "10.0",
  "9007199254740992.0",
  "9223372036854775808.0",
  "1e308",
  "(0.0 / 0.0)",
  "(1.0 / 0.0)",
  "(-1.0 / 0.0)",
];
