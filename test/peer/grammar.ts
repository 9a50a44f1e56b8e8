/** Random CEL of a wanted type, over everything that the reference 0.51.0 knows; one part in eight is of an unknown type. */
import type { Random } from "../agree/random.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  nullType,
  opaque,
  string,
  timestamp,
  typeOf,
  uint,
  type Type,
} from "../../runtime/cel/type.ts";
import { writeCall, writeRow } from "./calls.ts";
import { leaf, path, select } from "./leaves.ts";
import { writeLoop } from "./loops.ts";
import { presentRows } from "./lacking.ts";

/** A variable of a loop or of `cel.bind`. */
export interface Local {
  readonly name: string;
  readonly type: Type;
}

/** What a part of an expression may use to write its own parts. */
export interface Writer {
  readonly random: Random;
  readonly locals: readonly Local[];
  readonly depth: number;
  /** Writes a part, one level down; `more` are variables that it may use. It can stand as an operand. */
  readonly part: (type: Type, more?: readonly Local[]) => string;
  /** The same, where any expression may stand. */
  readonly whole: (type: Type, more?: readonly Local[]) => string;
}

/** The types of the policy library, which have no names in expressions. */
export const hierarchy = opaque("hierarchy");
export const spiffeId = opaque("spiffeID");
export const trustDomain = opaque("spiffeTrustDomain");

const simple: readonly Type[] = [bool, int, uint, double, string, bytes, timestamp, duration, nullType, dyn];
/** A type to put where any would do. */
export const anyType = (random: Random, deep = 1): Type =>
  random.weigh<Type>([
    [10, () => random.pick(simple)],
    [4, () => random.pick([int, string, double, dyn])],
    [deep > 0 ? 3 : 0, () => listOf(anyType(random, deep - 1))],
    [deep > 0 ? 2 : 0, () => mapOf(random.pick([string, string, int, bool, uint, dyn]), anyType(random, deep - 1))],
    [0.5, () => typeOf(dyn)],
    [0.5, () => random.pick([hierarchy, spiffeId, trustDomain])],
  ]);

/** Writes one expression. */
export function writeExpression(random: Random): string {
  const depth = 1 + random.whole(4);
  const writer = openWriter(random, [], depth);
  return random.weigh([
    // Every overload as often as any other, so that the rare ones are met too.
    [40, () => writeRow(writer, random.pick(presentRows))],
    [15, () => writeLoop(writer, undefined)],
    [25, () => writer.whole(bool)],
    [20, () => writer.whole(anyType(random, 2))],
  ]);
}

function openWriter(random: Random, locals: readonly Local[], depth: number): Writer {
  const write = (type: Type, more: readonly Local[] = []): string => {
    const wanted = random.chance(0.01) ? anyType(random) : random.chance(0.12) ? dyn : type;
    return writeTyped(openWriter(random, more.length === 0 ? locals : [...locals, ...more], depth - 1), wanted);
  };
  return { random, locals, depth, whole: write, part: (type, more) => operand(random, write(type, more)) };
}

/** Puts in parentheses what binds less than a call; now and then not, so that precedence is met too. */
function operand(random: Random, text: string): string {
  return /^(?:[\w.]+|"[^"]*"|b"[^"]*"|[\w.]+\([^()]*\))$/.test(text) || random.chance(0.02) ? text : `(${text})`;
}

function writeTyped(writer: Writer, type: Type): string {
  const { random, part, whole } = writer;
  if (writer.depth <= 0) return leaf(writer, type);
  const choice = (): string => `${part(bool)} ? ${part(type)} : ${whole(type)}`;
  const binding = (): string => {
    const of = anyType(random);
    const name = localName(random);
    return `cel.bind(${name}, ${whole(of)}, ${whole(type, [{ name, type: of }])})`;
  };
  const called = (): string => writeCall(writer, type) ?? leaf(writer, type);
  const looped = (): string => writeLoop(writer, type);
  const picked = (): string => element(writer, type);

  switch (type.kind) {
    case "bool":
      return random.weigh([
        [14, () => chain(writer)],
        [6, () => `!${part(bool)}`],
        [14, () => comparison(writer)],
        [6, () => `has(${select(writer)})`],
        [4, () => membership(writer)],
        [14, looped],
        [5, choice],
        [3, binding],
        [12, called],
        [2, picked],
        [6, () => leaf(writer, type)],
      ]);
    case "list":
      return random.weigh([
        [10, () => `[${random.several(0, 4, () => whole(type.element)).join(", ")}]`],
        [10, looped],
        [8, called],
        [2, choice],
        [2, binding],
        [2, picked],
        [5, () => leaf(writer, type)],
      ]);
    case "map":
      return random.weigh([
        [10, () => `{${random.several(0, 3, () => `${mapKey(writer, type.key)}: ${whole(type.value)}`).join(", ")}}`],
        [8, looped],
        [2, choice],
        [2, binding],
        [2, picked],
        [4, () => leaf(writer, type)],
      ]);
    case "dyn":
      return random.weigh([
        [8, () => path(writer)],
        [10, () => `dyn(${whole(anyType(random))})`],
        [3, () => select(writer)],
        [3, picked],
        [2, choice],
        [2, binding],
        [2, called],
        [3, () => leaf(writer, type)],
      ]);
    case "type":
      return random.weigh([
        [6, () => `type(${whole(anyType(random))})`],
        [3, () => leaf(writer, type)],
      ]);
    default:
      return random.weigh([
        [12, called],
        [3, choice],
        [2, binding],
        [2, picked],
        [5, () => leaf(writer, type)],
      ]);
  }
}

/** A key: seldom of a type that is wrong, because then hardly anything is left to see. */
export const mapKey = ({ random, whole, ...rest }: Writer, type: Type): string =>
  random.chance(0.05)
    ? whole(type)
    : leaf({ random, whole, ...rest }, type.kind === "dyn" || !keyKinds.has(type.kind) ? random.pick([string, int, bool, uint]) : type);
const keyKinds: ReadonlySet<string> = new Set(["string", "int", "bool", "uint", "double"]);

/** A name for a variable; some hide others, some are names that JavaScript knows. */
export const localName = (random: Random): string =>
  random.pick(["x", "y", "v", "k", "i", "x", "y", "R", "P", "V", "constructor", "size", "__proto__"]);

function chain({ random, part, whole }: Writer): string {
  const operator = random.pick([" && ", " || "]);
  const terms = random.several(2, 4, () => (random.chance(0.9) ? part(bool) : part(dyn)));
  // `a && b || c` without parentheses.
  return random.chance(0.1) ? `${terms.join(operator)} ${random.pick(["&&", "||"])} ${whole(bool)}` : terms.join(operator);
}

const comparable: readonly Type[] = [int, uint, double, string, bool, bytes, timestamp, duration, dyn, dyn];

function comparison({ random, part }: Writer): string {
  if (random.chance(0.45)) {
    const left = random.pick(comparable);
    const numbers: readonly Type[] = [int, uint, double];
    const right = numbers.includes(left) ? random.pick([...numbers, dyn]) : random.chance(0.2) ? random.pick(comparable) : left;
    return `${part(left)} ${random.pick(["<", "<=", ">", ">="])} ${part(right)}`;
  }
  const left = anyType(random);
  const right = random.chance(0.3) ? dyn : left;
  return `${part(left)} ${random.pick(["==", "!="])} ${part(right)}`;
}

function membership({ random, part }: Writer): string {
  const of = random.pick([int, uint, double, string, bool, dyn, bytes, nullType]);
  const container = random.weigh<Type>([
    [5, () => listOf(of)],
    [3, () => mapOf(of, anyType(random, 0))],
    [2, () => dyn],
    [2, () => listOf(dyn)],
  ]);
  return `${part(of)} in ${part(container)}`;
}

/** An element of a list or of a map. */
function element({ random, part, whole }: Writer, type: Type): string {
  return random.weigh([
    [
      4,
      () => `${part(listOf(type))}[${random.pick(["0", "0", "1", "-1", "dyn(0.0)", "dyn(0u)", "dyn(1.5)", 'dyn("0")', ""]) || whole(int)}]`,
    ],
    [3, () => `${part(mapOf(string, type))}[${whole(string)}]`],
    [2, () => `${part(mapOf(string, type))}.${random.pick(["a", "b", "n", "constructor", "__proto__"])}`],
    [1, () => `${part(mapOf(int, type))}[${whole(random.pick([int, dyn]))}]`],
    [1, () => `{"a": ${whole(type)}, "b": ${whole(type)}}.${random.pick(["a", "b", "c"])}`],
  ]);
}
