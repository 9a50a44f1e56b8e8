/** The smallest expressions: literals at the edges of each type, attributes, constants, and paths through them. */
import type { Random } from "../agree/random.ts";
import { double, dyn, int, string, type Type } from "../../runtime/cel/type.ts";
import { isReadable } from "./readable.ts";
import { anyType, mapKey, type Writer } from "./grammar.ts";
import { attributeNames, constantNames, namesFor } from "./inputs.ts";
import { durationTexts, spiffeIds, timestampTexts, trustDomains, words, writeText } from "./texts.ts";

const identifier = /^[a-zA-Z_]\w*$/;

const ints = [
  "0",
  "1",
  "2",
  "3",
  "5",
  "10",
  "-1",
  "-2",
  "100",
  "0xFF",
  "-0x1",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
  "-9223372036854775807",
  "4294967296",
  "2147483647",
  "3037000500",
  "63",
  "64",
  "1000000000000",
];
const uints = [
  "0u",
  "1u",
  "2u",
  "5u",
  "10u",
  "0xFFu",
  "9007199254740993u",
  "9223372036854775807u",
  "9223372036854775808u",
  "18446744073709551615u",
  "4294967296u",
  "64u",
];
const doubles = [
  "0.0",
  "1.0",
  "2.0",
  "0.5",
  "-0.5",
  "1.5",
  "2.5",
  "-1.0",
  "-0.0",
  "10.0",
  ".5",
  "1e3",
  "1e-7",
  "123456.789",
  "9007199254740992.0",
  "9007199254740993.0",
  "9223372036854775807.0",
  "9223372036854775808.0",
  "-9223372036854775808.0",
  "18446744073709551615.0",
  "18446744073709551616.0",
  "1e308",
  "-1.7976931348623157e308",
  "5e-324",
  "2.2250738585072014e-308",
  "1e21",
  "123456789012.0",
  "0.1",
  "100000.0",
  "1000000.0",
  'double("NaN")',
  "(0.0 / 0.0)",
  "(1.0 / 0.0)",
  "(-1.0 / 0.0)",
  'double("-Infinity")',
  "4503599627370497.5",
  "0.49999999999999994",
];
const byteTexts = [
  'b""',
  'b"abc"',
  'b"\\xff"',
  'b"\\x00\\x01"',
  'b"é"',
  "b'a'",
  'b"\\377\\u0041"',
  'b"a"',
  'b"\\xc3\\xa9"',
  'b"\\xf0\\x9f\\x98\\x80"',
  'b"\\xed\\xa0\\x80"',
];
const goodTimestamps = timestampTexts.filter((text) => isReadable("string_to_timestamp", text));
const goodDurations = durationTexts.filter((text) => isReadable("string_to_duration", text));

const random_timestamp = (random: Random): string =>
  `timestamp("${1 + random.whole(9998)}-${1 + random.whole(12)}-${1 + random.whole(28)}T${random.whole(24)}:${random.whole(60)}:${random.whole(60)}${random.chance(0.3) ? `.${random.whole(1e9)}` : ""}${random.pick(["Z", "Z", "+05:30", "-08:00"])}")`.replace(
    /"(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)/,
    (_, year: string, ...rest: string[]) => {
      const [month = "", day = "", hour = "", minute = "", second = ""] = rest.slice(0, 5).map((each) => each.padStart(2, "0"));
      return `"${year.padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}`;
    },
  );

/** Writes a leaf of a type. */
export function leaf(writer: Writer, type: Type): string {
  const { random, locals } = writer;
  const fitting = locals.filter((local) => local.type.kind === type.kind || local.type.kind === "dyn" || type.kind === "dyn");
  if (fitting.length > 0 && random.chance(0.55)) return random.pick(fitting).name;
  const attribute = (): string => path(writer, random.chance(0.08) ? attributeNames : namesFor(type));
  const half = (literals: readonly string[]): string => (random.chance(0.7) ? random.pick(literals) : attribute());
  switch (type.kind) {
    case "bool":
      return half(["true", "false", "true", "false", "has(R.attr.s)"]);
    case "int":
      return random.chance(0.06) ? String(random.whole(2 ** 31) - 2 ** 30) : random.chance(0.9) ? random.pick(ints) : attribute();
    case "uint":
      return random.chance(0.9) ? random.pick(uints) : attribute();
    case "double":
      return half(doubles);
    case "string":
      return random.weigh([
        [10, () => writeText(random, random.pick(words))],
        [
          1,
          () =>
            random.pick([
              "P.id",
              "R.id",
              "R.kind",
              "R.scope",
              "P.policyVersion",
              "request.resource.kind",
              "P.scope",
              "request.principal.policy_version",
            ]),
        ],
        [3, attribute],
      ]);
    case "bytes":
      return random.chance(0.9) ? random.pick(byteTexts) : `bytes(${writeText(random, random.pick(words))})`;
    case "null":
      return random.chance(0.7) ? "null" : attribute();
    case "timestamp":
      return random.weigh([
        [5, () => `timestamp(${writeText(random, random.pick(goodTimestamps))})`],
        [4, () => random_timestamp(random)],
        [
          1,
          () =>
            `timestamp(${random.pick(["0", "-62135596800", "253402300799", "dyn(253402300800)", "1700000000", "-1", "R.attr.at", "P.attr.at"])})`,
        ],
      ]);
    case "duration":
      return random.chance(0.9) ? `duration(${writeText(random, random.pick(goodDurations))})` : "duration(R.attr.span)";
    case "list":
      return random.weigh([
        [4, () => `[${random.several(0, 4, () => leaf(writer, type.element)).join(", ")}]`],
        [type.element.kind === "string" ? 2 : 0.2, () => "P.roles"],
        [3, () => path(writer, type.element.kind === "double" ? ["numbers"] : type.element.kind === "string" ? ["tags"] : namesFor(type))],
      ]);
    case "map":
      return random.weigh([
        [4, () => `{${random.several(0, 3, () => `${mapKey(writer, type.key)}: ${leaf(writer, type.value)}`).join(", ")}}`],
        [3, attribute],
        [1, () => random.pick(["R.attr", "P.attr", "request.auxData.jwt", "request.resource.attr"])],
      ]);
    case "type":
      return random.pick([
        "int",
        "uint",
        "double",
        "bool",
        "string",
        "bytes",
        "list",
        "map",
        "null_type",
        "type",
        "google.protobuf.Timestamp",
        "google.protobuf.Duration",
        "type(R.attr.n)",
      ]);
    case "opaque":
      return opaqueLeaf(random, type.name);
    default:
      return random.weigh([
        [5, () => path(writer)],
        [2, () => leaf(writer, anyType(random, 0))],
        [2, () => `dyn(${leaf(writer, random.pick([int, double, string, anyType(random, 0)]))})`],
      ]);
  }
}

function opaqueLeaf(random: Random, name: string): string {
  const text = (from: readonly string[]): string => writeText(random, random.pick(from));
  switch (name) {
    case "hierarchy":
      return random.weigh([
        [5, () => `hierarchy(${text(["a.b.c", "a.b", "a", "", "a.b.x", "a..b", ".", "b.c"])})`],
        [2, () => `hierarchy(${text(["a:b:c", "a:b", "a", "a::b"])}, ${text([":", "::", "", "."])})`],
        [
          2,
          () =>
            random.pick([
              'hierarchy(["a", "b"])',
              "hierarchy([])",
              "hierarchy(R.attr.tags)",
              'hierarchy(["a", "b", "c", "d"])',
              "hierarchy(R.attr.s)",
            ]),
        ],
      ]);
    case "spiffeID":
      return random.chance(0.7)
        ? `spiffeID(${random.pick(['"spiffe://acme/a/b"', '"spiffe://acme"', '"spiffe://example.org/ns/a"'])})`
        : `spiffeID(${text(spiffeIds)})`;
    case "spiffeTrustDomain":
      return random.chance(0.7)
        ? `spiffeTrustDomain(${random.pick(['"acme"', '"example.org"'])})`
        : `spiffeTrustDomain(${text(trustDomains)})`;
    default:
      return random.pick([
        "spiffeMatchAny()",
        'spiffeMatchExact("spiffe://acme/a/b")',
        'spiffeMatchTrustDomain("acme")',
        'spiffeMatchOneOf(["spiffe://acme", "spiffe://acme/a/b"])',
      ]);
  }
}

const roots = [
  "R.attr",
  "P.attr",
  "R.attr",
  "P.attr",
  "request.resource.attr",
  "request.principal.attr",
  "request.auxData.jwt",
  "request.aux_data.jwt",
];

/** An attribute, claim, constant, variable or global. */
export function path({ random }: Writer, names: readonly string[] = attributeNames): string {
  if (random.chance(0.08)) return `${random.pick(["C", "constants", "V", "variables", "G", "globals"])}.${random.pick(constantNames)}`;
  const name = random.pick(names);
  const root = random.pick(roots);
  return identifier.test(name) && random.chance(0.9) ? `${root}.${name}` : `${root}[${writeText(random, name)}]`;
}

/** Something that ends in `.name`, as `has` wants it: of a map, a scalar, a list, of what is not there. */
export function select(writer: Writer): string {
  const { random, part, locals } = writer;
  const further = (): string => random.pick(["a", "b", "n", "k", "constructor", "length", "__proto__", "missing", "tags"]);
  const held = locals.length > 0 ? random.pick(locals).name : undefined;
  return random.weigh([
    [8, () => `${random.pick(roots)}.${random.pick(attributeNames.filter((name) => identifier.test(name)))}`],
    [6, () => `${path(writer)}.${further()}`],
    [2, () => `${path(writer)}.${further()}.${further()}`],
    [2, () => `${part(dyn)}.${further()}`],
    [
      2,
      () => `${part(random.pick([anyType(random), dyn, { kind: "map", key: string, value: anyType(random, 0) } as const]))}.${further()}`,
    ],
    [
      1,
      () =>
        random.pick([
          "R.scope",
          "R.policyVersion",
          "P.policy_version",
          "R.attr",
          "P.attr",
          "P.roles",
          "request.auxData",
          "request.auxData.jwt",
          "R.id",
          "request.principal",
          "request.resource",
        ]),
    ],
    [1, () => `{"a": ${part(random.pick([int, string, dyn]))}}.${further()}`],
    [1, () => `dyn(${part(random.pick([int, double, string]))}).${further()}`],
    [held === undefined ? 0 : 5, () => `${held ?? ""}.${further()}`],
  ]);
}
