/** Random CEL: typed where that matters for compiling, driven by the table of functions, so that whatever it lists is tried. */
import type { FunctionRow } from "../../runtime/cel/declare.ts";
import { functionRows } from "../../runtime/cel/functions/index.ts";
import { bool, double, dyn, int, listOf, mapOf, nullType, optionalOf, string, uint } from "../../runtime/cel/type.ts";
import type { Type } from "../../runtime/cel/type.ts";
import { aboutVariables, familiar, integer, telling, text } from "./familiar.ts";
import { identifier, ints, leaf } from "./leaves.ts";
import type { Names } from "./leaves.ts";
import type { Random } from "./random.ts";
import { attributeNames, globalNames, words } from "./vocabulary.ts";

/** Writes a condition: most often one that requests meet, sometimes not even a boolean. */
export function conditionText(random: Random, names: Names): string {
  return random.weigh([
    [45, () => familiar(random)],
    [names.variables.length > 0 ? 14 : 0, () => aboutVariables(random, names)],
    [64, () => write(random, bool, names, 1 + random.whole(4))],
    [6, () => write(random, random.pick([dyn, string, int, nullType]), names, 2)],
  ]);
}

/** Writes an expression of any type. */
export const expressionText = (random: Random, names: Names): string =>
  write(random, random.pick([bool, bool, dyn, dyn, int, double, string, listOf(dyn), mapOf(string, dyn)]), names, 1 + random.whole(3));

/** Writes an output. */
export const outputText = (random: Random, names: Names): string =>
  random.weigh([
    [6, () => telling(random)],
    [names.variables.length > 0 ? 2 : 0, () => random.pick(["V", `V.${random.pick(names.variables)}`])],
    [names.constants.length > 0 ? 1 : 0, () => random.pick(["C", `C.${random.pick(names.constants)}`])],
    [5, () => expressionText(random, names)],
  ]);

function write(random: Random, type: Type, names: Names, depth: number): string {
  if (depth <= 0) return leaf(random, type, names);
  const deeper = (of: Type, more: readonly string[] = []): string =>
    write(random, of, { ...names, locals: [...names.locals, ...more] }, depth - 1);
  const local = (): string => random.pick(["x", "y", "v", "R", "constructor"]);

  const choice = (): string => `(${deeper(bool)} ? ${deeper(type)} : ${deeper(type)})`;
  const binding = (): string => {
    const name = local();
    return `cel.bind(${name}, ${deeper(random.pick([dyn, bool, int, string]))}, ${deeper(type, [name])})`;
  };
  const called = (): string => callText(random, type, deeper) ?? leaf(random, type, names);

  if (type.kind === "bool") {
    return random.weigh([
      [16, () => `(${random.several(2, 4, () => deeper(bool)).join(random.pick([" && ", " || "]))})`],
      [8, () => `!${paren(deeper(bool))}`],
      [18, () => comparison(random, deeper)],
      [8, () => `has(${paths(random, names, deeper).select})`],
      [12, () => loopText(random, deeper, ["all", "exists", "exists_one", "exists_one"], bool)],
      [
        5,
        () =>
          `(${paren(deeper(random.pick([dyn, string, int, double])))} in ${paren(deeper(random.pick([listOf(dyn), mapOf(string, dyn), dyn])))})`,
      ],
      [5, choice],
      [3, binding],
      [9, called],
      [4, () => textTest(random, deeper)],
      [6, () => familiar(random)],
      [10, () => leaf(random, type, names)],
    ]);
  }
  if (type.kind === "list") {
    return random.weigh([
      [10, () => `[${random.several(0, 3, () => deeper(type.element)).join(", ")}]`],
      [1, () => `[${deeper(type.element)}, ?${paren(deeper(optional))}]`],
      [8, () => loopText(random, deeper, ["map", "filter", "transformList"], type.element)],
      [3, choice],
      [2, binding],
      [4, called],
      [6, () => leaf(random, type, names)],
    ]);
  }
  if (type.kind === "map") {
    return random.weigh([
      [8, () => `{${random.several(0, 3, () => `${mapKey(random, type.key)}: ${deeper(type.value)}`).join(", ")}}`],
      [1, () => `{?${mapKey(random, type.key)}: ${deeper(optional)}}`],
      [3, () => loopText(random, deeper, ["transformMap", "transformMapEntry"], type.value)],
      [2, choice],
      [2, called],
      [5, () => leaf(random, type, names)],
    ]);
  }
  if (type.kind === "opaque" && type.name === "optional_type") {
    const macro = random.pick(["optMap", "optFlatMap"]);
    const name = local();
    return random.weigh([
      [6, () => leaf(random, type, names)],
      [6, called],
      [2, () => `${paren(deeper(optional))}.${macro}(${name}, ${deeper(macro === "optMap" ? dyn : optional, [name])})`],
      [2, () => `${paren(deeper(random.pick([dyn, optional])))}.?${random.pick(["state", "count", "constructor", "nested"])}`],
    ]);
  }
  if (type.kind === "dyn") {
    return random.weigh([
      [10, () => paths(random, names, deeper).value],
      [4, () => `${paren(deeper(random.pick([listOf(dyn), dyn])))}[${deeper(random.pick([int, dyn]))}]`],
      [4, () => `${paren(deeper(random.pick([mapOf(string, dyn), dyn])))}[${deeper(random.pick([string, dyn]))}]`],
      [3, () => `dyn(${deeper(random.pick([int, uint, double, string, bool, nullType, listOf(int)]))})`],
      [2, choice],
      [2, binding],
      [6, () => deeper(random.pick([bool, int, double, string, listOf(dyn), mapOf(string, dyn)]))],
    ]);
  }
  return random.weigh([
    [10, called],
    [3, choice],
    [2, binding],
    [5, () => leaf(random, type, names)],
  ]);
}

const optional = optionalOf(dyn);

/** Compares two things: of one type, or of several through `dyn`. */
function comparison(random: Random, deeper: (type: Type) => string): string {
  const simple: readonly Type[] = [int, double, string, bool, dyn, dyn, dyn, uint];
  const left = random.pick(simple);
  const right = left.kind === "dyn" || random.chance(0.3) ? random.pick(simple) : left;
  const operator = random.pick(["==", "!=", "==", "!=", "<", "<=", ">", ">="]);
  if (random.chance(0.03))
    return `(type(${deeper(dyn)}) == ${random.pick(["int", "double", "string", "bool", "list", "map", "null_type", "type(1u)"])})`;
  if (random.chance(0.12)) return `(${integer(random, 2)} ${operator} ${integer(random, 1)})`;
  if (random.chance(0.06)) {
    return `(${paren(loopText(random, deeper, ["all", "exists"], bool))} ${random.pick(["==", "!="])} ${paren(deeper(bool))})`;
  }
  if (random.chance(0.08)) return `(${counted(random, deeper)} ${operator} ${counted(random, deeper)})`;
  if (random.chance(0.08)) return `(${text(random)} ${operator} ${text(random)})`;
  if (random.chance(0.1)) {
    const type = random.pick([listOf(dyn), mapOf(string, dyn), listOf(int)]);
    return `(${paren(deeper(type))} ${random.pick(["==", "!="])} ${paren(deeper(random.pick([type, dyn])))})`;
  }
  return `(${paren(deeper(left))} ${operator} ${paren(deeper(right))})`;
}

/** Asks a text, or what is none, about literal text. */
const textTest = (random: Random, deeper: (type: Type) => string): string =>
  `${paren(deeper(random.pick([string, dyn, dyn])))}.${random.pick(["startsWith", "endsWith", "contains"])}(${JSON.stringify(random.pick(words))})`;

/** Counts: sizes of what has one and of what has none, and what is made of them. */
function counted(random: Random, deeper: (type: Type) => string): string {
  const of = paren(deeper(random.pick([listOf(dyn), dyn, dyn, string, mapOf(string, dyn)])));
  const size = random.chance(0.5) ? `size(${of})` : `${of}.size()`;
  return random.weigh([
    [6, () => size],
    [3, () => random.pick(ints)],
    [2, () => `(${size} ${random.pick(["+", "-", "*"])} ${random.pick(ints)})`],
  ]);
}

/** An attribute's path, and one that ends in `.name`, as `has` wants it. */
function paths(random: Random, names: Names, deeper: (type: Type) => string): { readonly value: string; readonly select: string } {
  const root = random.pick([
    "R.attr",
    "R.attr",
    "P.attr",
    "request.resource.attr",
    "request.principal.attr",
    "request.auxData.jwt",
    "request.aux_data.jwts.main.claims",
  ]);
  const name = random.pick(attributeNames);
  const plain = identifier.test(name) ? `${root}.${name}` : `${root}[${JSON.stringify(name)}]`;
  const further = random.pick(["state", "tags", "count", "name", "constructor", "length", "__proto__", "missing"]);
  const held = names.locals.length > 0 && random.chance(0.5) ? random.pick(names.locals) : undefined;
  const select = random.weigh([
    [10, () => (identifier.test(name) ? plain : `${root}.state`)],
    [4, () => `${plain}.${further}`],
    [1, () => `${paren(deeper(dyn))}.${further}`],
    [
      1,
      () =>
        random.pick([
          "R.scope",
          "R.policyVersion",
          "P.policy_version",
          "R.attr",
          "P.roles",
          "request.auxData",
          "runtime.effectiveDerivedRoles",
        ]),
    ],
    [names.variables.length > 0 ? 2 : 0, () => `V.${random.pick(names.variables)}`],
    [1, () => `G.${random.pick(globalNames)}`],
    [held === undefined ? 0 : 6, () => `${held}.${further}`],
  ]);
  const value = random.weigh([
    [12, () => plain],
    [4, () => select],
    [2, () => `${root}[${deeper(random.pick([dyn, string]))}]`],
    [held === undefined ? 0 : 14, () => held ?? ""],
  ]);
  return { value, select };
}

/** A comprehension, over a list or a map, with one variable or two. */
function loopText(random: Random, deeper: (type: Type, more?: readonly string[]) => string, macros: readonly string[], body: Type): string {
  const macro = random.pick(macros);
  const range = paren(deeper(random.pick([listOf(dyn), listOf(int), dyn, dyn, mapOf(string, dyn)])));
  const [first, second] = random.some(2, 2, ["x", "y", "v", "i", "k"]);
  const one = [first ?? "x"];
  const two = [...one, second ?? "y"];
  switch (macro) {
    case "map":
      return `${range}.map(${one[0]}, ${random.chance(0.2) ? `${deeper(bool, one)}, ` : ""}${deeper(body, one)})`;
    case "filter":
      return `${range}.filter(${one[0]}, ${deeper(bool, one)})`;
    case "transformList":
    case "transformMap":
      return `${range}.${macro}(${two.join(", ")}, ${random.chance(0.3) ? `${deeper(bool, two)}, ` : ""}${deeper(body, two)})`;
    case "transformMapEntry":
      return `${range}.${macro}(${two.join(", ")}, {${deeper(string, two)}: ${deeper(body, two)}})`;
    default: {
      const variables = random.chance(0.3) ? two : one;
      return `${range}.${macro}(${variables.join(", ")}, ${deeper(bool, variables)})`;
    }
  }
}

/** A call of some function whose result has the type; undefined when there is none. */
function callText(random: Random, type: Type, deeper: (type: Type) => string): string | undefined {
  const fitting = functionRows.filter((row) => fits(row.result, type) && row.parameters.every(canWrite));
  if (fitting.length === 0) return undefined;
  // First the name, then the overload, so that a function with many overloads is not preferred.
  const name = random.pick([...new Set(fitting.map((row) => row.name))]);
  const row: FunctionRow = random.pick(fitting.filter((each) => each.name === name));
  const args = row.parameters.map((parameter) => paren(deeper(random.chance(0.15) ? dyn : concrete(random, parameter, type))));
  const operator = operators.get(name);
  if (operator !== undefined) return operator(args);
  return row.receiver ? `${args[0]}.${name}(${args.slice(1).join(", ")})` : `${name}(${args.join(", ")})`;
}

const operators: ReadonlyMap<string, (args: readonly string[]) => string> = new Map([
  ...["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="].map(
    (operator) => [`_${operator}_`, (args: readonly string[]) => `(${args.join(` ${operator} `)})`] as const,
  ),
  ["@in", (args) => `(${args.join(" in ")})`],
  ["!_", ([arg = ""]) => `!${arg}`],
  ["-_", ([arg = ""]) => `-${arg}`],
  ["_&&_", (args) => `(${args.join(" && ")})`],
  ["_||_", (args) => `(${args.join(" || ")})`],
  ["_?:_", ([a, b, c]) => `(${a} ? ${b} : ${c})`],
  ["_[_]", ([of, at]) => `${of}[${at}]`],
  ["_[?_]", ([of, at]) => `${of}[?${at}]`],
  ["_?._", ([of]) => `${of}.?state`],
]);

const simpleKinds = ["dyn", "null", "bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];

const canWrite = (type: Type): boolean =>
  simpleKinds.includes(type.kind) ||
  type.kind === "parameter" ||
  type.kind === "opaque" ||
  (type.kind === "list" && canWrite(type.element)) ||
  (type.kind === "map" && canWrite(type.key) && canWrite(type.value));

function fits(result: Type, wanted: Type): boolean {
  if (wanted.kind === "opaque") return result.kind === "opaque" && result.name === wanted.name;
  return result.kind === wanted.kind || (wanted.kind !== "null" && (result.kind === "dyn" || result.kind === "parameter"));
}

/** Puts types where a declaration has parameters. */
function concrete(random: Random, parameter: Type, wanted: Type): Type {
  switch (parameter.kind) {
    case "parameter":
      return simpleKinds.includes(wanted.kind) ? random.pick([wanted, dyn]) : dyn;
    case "list":
      return listOf(concrete(random, parameter.element, dyn));
    case "map":
      return mapOf(parameter.key.kind === "parameter" ? string : parameter.key, concrete(random, parameter.value, dyn));
    default:
      return parameter;
  }
}

const paren = (text: string): string => (/^[\w.]+$|^\(.*\)$|^".*"$/.test(text) && !/^\d/.test(text) ? text : `(${text})`);

const mapKey = (random: Random, key: Type): string =>
  key.kind === "string" ? JSON.stringify(random.pick(words)) : random.pick(['"a"', "1", "2u", "true", "9007199254740993"]);
