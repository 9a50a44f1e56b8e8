/** Calls of functions and operators, driven by the table of functions: whatever it lists is written. */
import type { FunctionRow } from "../../runtime/cel/declare.ts";
import { bool, double, duration, dyn, int, listOf, string, timestamp, uint, type Type } from "../../runtime/cel/type.ts";
import { anyType, type Writer } from "./grammar.ts";
import { presentRows } from "./lacking.ts";
import { isReadable } from "./readable.ts";
import {
  addresses,
  base64Texts,
  boolTexts,
  durationTexts,
  formats,
  networks,
  numberTexts,
  patterns,
  spiffeIds,
  timestampTexts,
  trustDomains,
  words,
  writeText,
  zones,
} from "./texts.ts";

/** Writes a call whose result has the type; undefined when there is none. */
export function writeCall(writer: Writer, type: Type): string | undefined {
  const fitting = presentRows.filter((row) => fits(row.result, type));
  if (fitting.length === 0) return undefined;
  const { random } = writer;
  // First the name, then the overload, so that a function with many overloads is not preferred.
  const name = random.pick([...new Set(fitting.map((row) => row.name))]);
  return writeRow(writer, random.pick(fitting.filter((row) => row.name === name)), type);
}

function fits(result: Type, wanted: Type): boolean {
  if (wanted.kind === "dyn") return result.kind === "dyn";
  if (result.kind === "parameter") return true;
  if (result.kind === "list" && wanted.kind === "list") return result.element.kind === "parameter" || fits(result.element, wanted.element);
  if (result.kind === "opaque" && wanted.kind === "opaque") return result.name === wanted.name;
  return result.kind === wanted.kind;
}

const operators: ReadonlyMap<string, (args: readonly string[]) => string> = new Map([
  ...["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="].map(
    (operator) => [`_${operator}_`, (args: readonly string[]) => args.join(` ${operator} `)] as const,
  ),
  ["@in", (args) => args.join(" in ")],
  ["!_", ([arg = ""]) => `!${arg}`],
  ["-_", ([arg = ""]) => `-(${arg})`],
  ["_&&_", (args) => args.join(" && ")],
  ["_||_", (args) => args.join(" || ")],
  ["_?:_", ([a, b, c]) => `${a} ? ${b} : ${c}`],
  ["_?_:_", ([a, b, c]) => `${a} ? ${b} : ${c}`],
  ["_[_]", ([of, at]) => `${of}[${at}]`],
]);

/** Writes a call of one overload. */
export function writeRow(writer: Writer, row: FunctionRow, wanted?: Type): string {
  const { random, part } = writer;
  const bound = new Map<string, Type>();
  if (wanted !== undefined) bind(row.result, wanted, bound);
  const args = row.parameters.map((parameter, index) => special(writer, row, index) ?? part(concrete(writer, parameter, bound)));
  if (row.name === "now") return nowText(writer);
  if (row.name === "timeSince") return sinceText(writer, row.receiver);
  if (row.name === "math.greatest" || row.name === "math.least") {
    // A macro of any number of arguments.
    const more = row.parameters.length === 2 ? random.several(0, 2, () => part(random.pick([int, uint, double]))) : [];
    return `${row.name}(${[...args, ...more].join(", ")})`;
  }
  if (row.name === "format") return formatText(writer);
  const operator = operators.get(row.name);
  if (operator !== undefined) return operator(args);
  return row.receiver ? `${args[0]}.${row.name}(${args.slice(1).join(", ")})` : `${row.name}(${args.join(", ")})`;
}

function bind(pattern: Type, wanted: Type, bound: Map<string, Type>): void {
  if (pattern.kind === "parameter") bound.set(pattern.name, wanted);
  if (pattern.kind === "list" && wanted.kind === "list") bind(pattern.element, wanted.element, bound);
}

function concrete(writer: Writer, type: Type, bound: Map<string, Type>): Type {
  switch (type.kind) {
    case "parameter": {
      const known = bound.get(type.name) ?? anyType(writer.random, 0);
      bound.set(type.name, known);
      return known;
    }
    case "list":
      return listOf(concrete(writer, type.element, bound));
    case "map":
      return { kind: "map", key: concrete(writer, type.key, bound), value: concrete(writer, type.value, bound) };
    default:
      return type;
  }
}

/** What a parameter is about, where a random value of its type would nearly always be an error, or too much. */
function special({ random, part }: Writer, { name, id, receiver, parameters }: FunctionRow, index: number): string | undefined {
  const text = (from: readonly string[], often = 0.9): string | undefined =>
    random.chance(often) ? writeText(random, random.pick(from)) : undefined;
  const small = (): string | undefined =>
    random.chance(0.85) ? random.pick(["0", "1", "2", "3", "-1", "5", "dyn(1)", "dyn(1.0)"]) : undefined;
  const kind = parameters[index]?.kind;
  // A list as long as it says would take all there is.
  if (name === "lists.range")
    return random.pick([
      "0",
      "1",
      "3",
      "5",
      "-1",
      "-9223372036854775808",
      "dyn(2)",
      "dyn(3u)",
      'dyn("a")',
      "size(R.attr.s)",
      "int(dyn(3.9))",
    ]);
  // A literal that cannot be read is refused (0.51: an error), which is soon known: most bad ones come as dyn.
  const literalOf = (reader: string, from: readonly string[], often: number): string | undefined => {
    if (!random.chance(often)) return undefined;
    const chosen = random.pick(from);
    return random.chance(0.02) || isReadable(reader, chosen) ? writeText(random, chosen) : `dyn(${writeText(random, chosen)})`;
  };
  if (name === "matches" && index === 1) return literalOf("matches", patterns, 0.9);
  if (id.endsWith("_with_tz") && index === 1) return text(zones);
  if (kind === "string" && !receiver && index === 0) {
    if (id.startsWith("string_to_int") || id.startsWith("string_to_uint") || id.startsWith("string_to_double")) return text(numberTexts);
    if (id === "string_to_bool") return text(boolTexts);
    if (id === "string_to_timestamp") return literalOf(id, timestampTexts, 0.85);
    if (id === "string_to_duration") return literalOf(id, durationTexts, 0.85);
    if (name === "base64.decode") return text(base64Texts);
    if (name === "spiffeID" || name === "spiffeMatchExact") return text(spiffeIds);
    if (name === "spiffeTrustDomain" || name === "spiffeMatchTrustDomain") return text(trustDomains);
    if (name === "hierarchy") return text(["a.b.c", "a.b", "a", "", "a..b", "a:b"]);
  }
  if (id === "matchesID_string" && index === 1) return text(spiffeIds);
  if (id === "spiffeMatchOneOf_stringList") return `[${random.several(0, 3, () => writeText(random, random.pick(spiffeIds))).join(", ")}]`;
  if (name === "inIPAddrRange") return text(index === 0 ? addresses : networks);
  if (kind === "int" && ["charAt", "substring", "indexOf", "lastIndexOf", "slice", "flatten", "split", "replace", "_[_]"].includes(name))
    return small();
  if (name.startsWith("math.bitShift") && index === 1)
    return random.chance(0.7) ? random.pick(["0", "1", "2", "8", "31", "32", "62", "63", "64", "65", "-1"]) : undefined;
  if (["contains", "startsWith", "endsWith", "indexOf", "lastIndexOf", "split", "replace", "join"].includes(name) && index === 1)
    return text(["", "a", "b", "l", ",", "an", "\u{1F600}", ".", "."], 0.6);
  if (name === "flatten" && index === 0) return random.chance(0.6) ? `[[1, [2, ${part(dyn)}]], ${part(listOf(dyn))}]` : undefined;
  if (id === "int64_to_timestamp")
    return random.pick([
      "0",
      "-62135596800",
      "253402300799",
      "dyn(253402300800)",
      "dyn(-62135596801)",
      "1700000000",
      `int(${part(double)})`,
    ]);
  if (id === "int64_to_duration") return `int(${part(string)})`;
  return undefined;
}

// The two sides ask the clock at different moments: only what holds at any of them is asked.
const nowText = ({ random }: Writer): string =>
  random.pick([
    'now() > timestamp("2024-01-01T00:00:00Z")',
    'now() < timestamp("9000-01-01T00:00:00Z")',
    "type(now())",
    "now() == now()",
    "now().getFullYear() > 2020",
    "now() - now()",
    "[now()].size()",
  ]);

const sinceText = ({ random }: Writer, receiver: boolean): string => {
  const at = `timestamp("${random.pick(["1999-12-31T23:59:59Z", "2020-02-29T12:00:00.5+01:00", "8000-01-01T00:00:00Z"])}")`;
  const call = receiver ? `${at}.timeSince()` : `timeSince(${at})`;
  return random.pick([`${call} > duration("1h")`, `${call} < duration("0s")`, `type(${call})`, `${call}.getHours() > 0`]);
};

function formatText({ random, part, whole }: Writer): string {
  const format = random.several(1, 3, () => random.pick(formats)).join(random.pick(["", " ", "a"]));
  const wanted = (format.match(/%(?!%)/g) ?? []).length;
  const verbs: ReadonlyMap<string, readonly Type[]> = new Map<string, readonly Type[]>([
    ["d", [int, uint, double]],
    ["f", [double, int]],
    ["e", [double, int]],
    ["x", [int, uint, string, { kind: "bytes" }]],
    ["X", [int, uint, string, { kind: "bytes" }]],
    ["o", [int, uint]],
    ["b", [int, uint, bool]],
  ]);
  const letters = Array.from(format.matchAll(/%(?:\.\d*)?([a-zA-Z])/g), ([, letter = ""]) => letter);
  const args = Array.from({ length: random.chance(0.93) ? wanted : random.whole(3) }, (_, at) => {
    const of = random.chance(0.9) ? verbs.get(letters[at] ?? "") : undefined;
    return of === undefined ? whole(random.pick([anyType(random, 2), string, timestamp, duration, listOf(dyn)])) : whole(random.pick(of));
  });
  // A format that is not a literal is looked at when it is run.
  const text = writeText(random, random.chance(0.9) ? format : random.pick(words));
  return `${random.chance(0.3) ? text : random.chance(0.9) ? `dyn(${text})` : part(string)}.format([${args.join(", ")}])`;
}
