/** Error messages for arguments that no overload of an operator or function accepts. */
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import { signOf } from "../../runtime/cel/signature.ts";
import { dyn, printType, type Type } from "../../runtime/cel/type.ts";
import type { Overload } from "./environment.ts";
import type { Issue } from "./issue.ts";
import { isDynamicOrError } from "./unify.ts";

/** Explains why no overload accepts a call. */
export function noOverload(tree: Call, overloads: readonly Overload[], args: readonly Type[]): Issue {
  const [message, told] = operatorSentence(tree, args) ?? functionSentence(tree, overloads, args);
  const hint = negatedLiteral(tree) ?? told;
  return { start: tree.start, end: tree.end, message, ...(hint !== undefined && { hint }) };
}

/** `!` binds tighter than `in`; of a literal nothing else can be meant. */
function negatedLiteral({ function: name, args: [operand] }: Call): string | undefined {
  if (name !== "!_" || operand?.kind !== "literal") return undefined;
  const { value } = operand;
  if (typeof value === "bigint") return `write \`!(${value} in …)\``;
  return typeof value === "string" ? `write \`!(${/^[\w .:@-]{1,40}$/.test(value) ? `'${value}'` : "…"} in …)\`` : undefined;
}

type Sentence = readonly [message: string, hint?: string | undefined];

function operatorSentence({ function: name, args: [operand] }: Call, args: readonly Type[]): Sentence | undefined {
  const [a = dyn, b = dyn, c = dyn] = args;
  const [left, right] = [printType(a), printType(b)];
  const sign = signOf(name);
  switch (name) {
    case "_==_":
    case "_!=_":
      return [`\`${sign}\` cannot compare ${left} with ${right}`, conversion(a, b) ?? comparisonHint(a, b, operand)];
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return a.kind === b.kind
        ? [`${left} has no order, so no \`${sign}\``]
        : [
            `\`${sign}\` cannot order ${left} and ${right}`,
            conversion(a, b) ?? (a.kind === "bool" && numeric(b) ? "two comparisons are joined with `&&`: `1 < a && a < 5`" : undefined),
          ];
    case "_+_":
    case "_-_":
    case "_*_":
    case "_/_":
    case "_%_":
      return a.kind === b.kind && a.kind !== "list"
        ? [`\`${sign}\` does not work on ${left}`]
        : [`\`${sign}\` cannot combine ${left} and ${right}`, name === "_+_" ? conversion(a, b) : numberConversion(a, b)];
    case "!_":
      return [`\`!\` negates a condition, not ${left}`, "compare it with something first"];
    case "-_":
      return [`\`-\` negates int and double, not ${left}`, a.kind === "uint" ? "convert it: `-int(…)`" : undefined];
    case "@in":
      return inSentence(a, b);
    case "_[_]":
    case "_[?_]":
      return indexSentence(a, b);
    case "_?_:_":
      return a.kind !== "bool" && !isDynamicOrError(a)
        ? [`the condition before \`?\` must be bool, not ${left}`]
        : [`the two values after \`?\` must have one type, not ${right} and ${printType(c)}`, "wrap one of them: `dyn(…)`"];
    default:
      return undefined;
  }
}

const numeric = (type: Type): boolean => type.kind === "int" || type.kind === "uint" || type.kind === "double";

/** A hint if two scalars of different types could be made comparable by a conversion. */
function conversion(a: Type, b: Type): string | undefined {
  if (numeric(a) && numeric(b))
    return a.kind === "double" || b.kind === "double" ? "convert one: `double(…)`; a double is written `1.0`" : "convert one: `int(…)`";
  if ((a.kind === "string" && numeric(b)) || (numeric(a) && b.kind === "string")) return "convert one: `string(…)`";
  const time = [a.kind, b.kind].find((kind) => kind === "timestamp" || kind === "duration");
  return time !== undefined && (a.kind === "string" || b.kind === "string") ? `convert the string: \`${time}(…)\`` : undefined;
}

/** The same for operators that strings do not have. */
function numberConversion(a: Type, b: Type): string | undefined {
  const other = a.kind === "string" ? b : a;
  return numeric(other) && (a.kind === "string" || b.kind === "string") ? `convert the string: \`${other.kind}(…)\`` : conversion(a, b);
}

const tests: ReadonlySet<string> = new Set(["!_", "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in"]);

function comparisonHint(a: Type, b: Type, operand: Expression | undefined): string | undefined {
  if (a.kind === "null" || b.kind === "null") return "it is never null";
  if (a.kind === "bool" && (numeric(b) || b.kind === "string") && operand?.kind === "call" && tests.has(operand.function))
    return "`!` and comparisons on the left are taken first: write `!(a == b)`";
  if (a.kind === b.kind) return "wrap one side to compare anyway: `dyn(…)`";
  if (a.kind === "list" || b.kind === "list") return "`item in list` looks for one";
  if (a.kind === "bool" || b.kind === "bool") return "a bool is compared with `true` or `false`, without quotes";
  const isTypeWithText = (left: Type, right: Type): boolean => left.kind === "type" && right.kind === "string";
  return isTypeWithText(a, b) || isTypeWithText(b, a) ? "a type is written without quotes: `type(a) == string`" : undefined;
}

function inSentence(a: Type, b: Type): Sentence {
  const sought = printType(a);
  if (b.kind === "list")
    return [
      `a ${printType(b)} cannot hold ${sought}`,
      a.kind === "list" ? "`in` looks for one element: turn the sides round, or write `hasIntersection(a, b)`" : conversion(a, b.element),
    ];
  if (b.kind === "map") return [`a ${printType(b)} has no ${sought} keys`, conversion(a, b.key)];
  return [
    `\`in\` looks into a list or a map, not into ${printType(b)}`,
    b.kind === "string"
      ? "`text.contains(part)` looks into a string"
      : b.kind === "message"
        ? "a field is tested with `has(a.b)`"
        : undefined,
  ];
}

function indexSentence(a: Type, b: Type): Sentence {
  if (a.kind === "list")
    return [`a list is indexed by int, not by ${printType(b)}`, b.kind === "string" ? "`item in list` looks for an element" : undefined];
  if (a.kind === "map") return [`a ${printType(a)} is indexed by ${printType(a.key)}, not by ${printType(b)}`];
  return [
    `${printType(a)} has no elements to index`,
    a.kind === "message" ? "a field is written `a.b`" : a.kind === "string" ? "`text.charAt(0)` takes one character" : undefined,
  ];
}

/** Most overloads shown in a hint. */
const shownForms = 4;

function functionSentence(tree: Call, overloads: readonly Overload[], args: readonly Type[]): Sentence {
  const receiver = tree.target !== undefined;
  const { function: name } = tree;
  const fitting = overloads.filter((overload) => overload.receiver === receiver);
  const ofKind = fitting.filter(({ parameters: [first] }) => first !== undefined && args[0] !== undefined && areAlike(first, args[0]));
  const shown = (ofKind.length > 0 ? ofKind : fitting.length > 0 ? fitting : overloads).map((overload) =>
    signature(name, overload.receiver, overload.parameters),
  );
  const hint = `write ${[...new Set(shown)]
    .slice(0, shownForms)
    .map((form) => `\`${form}\``)
    .join(" or ")}`;
  const looksForElement = name === "contains" && args[0]?.kind === "list";
  return fitting.length === 0
    ? [`\`${name}\` is ${receiver ? "no method" : "a method"}`, hint]
    : [
        `\`${name}\` does not take ${args.length === 0 ? "no arguments" : `\`${signature(name, receiver, args)}\``}`,
        looksForElement ? "`item in list` looks for an element" : hint,
      ];
}

const areAlike = (a: Type, b: Type): boolean => a.kind === b.kind && (a.kind !== "opaque" || b.kind !== "opaque" || a.name === b.name);

function signature(name: string, receiver: boolean, types: readonly Type[]): string {
  const [first, ...rest] = types.map(printType);
  return receiver ? `${first}.${name}(${rest.join(", ")})` : `${name}(${types.map(printType).join(", ")})`;
}
