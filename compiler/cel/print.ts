/** Prints a tree as canonical CEL: parsing the output gives the same tree. */
import type { Expression, Literal } from "../../runtime/cel/ast.ts";
import { unreachable } from "../../runtime/cel/error.ts";
import { printValue } from "../../runtime/cel/print-value.ts";
import { Uint } from "../../runtime/cel/value.ts";
import { quoteString } from "./go-literal.ts";
import { keywords } from "./keywords.ts";

/** Precedence levels, lowest first. An operand with a lower level than its position requires is put in parentheses. */
const level = { conditional: 0, or: 1, and: 2, relation: 3, sum: 4, product: 5, unary: 6, member: 7 } as const;

const binary: ReadonlyMap<string, readonly [symbol: string, level: number]> = new Map([
  ["_<_", ["<", level.relation]],
  ["_<=_", ["<=", level.relation]],
  ["_>_", [">", level.relation]],
  ["_>=_", [">=", level.relation]],
  ["_==_", ["==", level.relation]],
  ["_!=_", ["!=", level.relation]],
  ["@in", ["in", level.relation]],
  ["_+_", ["+", level.sum]],
  ["_-_", ["-", level.sum]],
  ["_*_", ["*", level.product]],
  ["_/_", ["/", level.product]],
  ["_%_", ["%", level.product]],
]);

/** Returns a tree as canonical CEL. */
export const printExpression = (tree: Expression): string => print(tree, level.conditional);

interface Printed {
  readonly text: string;
  readonly level: number;
}

function print(tree: Expression, least: number): string {
  const printed = layout(tree);
  return printed.level < least ? `(${printed.text})` : printed.text;
}

const atom = (text: string): Printed => ({ text, level: level.member });
const list = (trees: readonly Expression[]): string => trees.map(printExpression).join(", ");

function layout(tree: Expression): Printed {
  switch (tree.kind) {
    case "literal":
      return printLiteral(tree.value);
    case "identifier":
      return atom(tree.absolute === true ? `.${tree.name}` : tree.name);
    case "select": {
      const text = `${print(tree.operand, level.member)}.${tree.optional === true ? "?" : ""}${printField(tree.field)}`;
      return atom(tree.test === true ? `has(${text})` : text);
    }
    case "call":
      return printCall(tree.function, tree.target, tree.args);
    case "logic": {
      const own = tree.operator === "||" ? level.or : level.and;
      return { text: tree.terms.map((term) => print(term, own + 1)).join(` ${tree.operator} `), level: own };
    }
    case "list": {
      const optionals = new Set(tree.optionals);
      return atom(`[${tree.elements.map((element, i) => (optionals.has(i) ? "?" : "") + printExpression(element)).join(", ")}]`);
    }
    case "map":
      return atom(
        `{${tree.entries.map(({ key, value, optional }) => `${optional ? "?" : ""}${printExpression(key)}: ${printExpression(value)}`).join(", ")}}`,
      );
    case "struct":
      return atom(
        `${tree.name}{${tree.fields.map((field) => `${field.optional ? "?" : ""}${printField(field.name)}: ${printExpression(field.value)}`).join(", ")}}`,
      );
    case "loop": {
      const parts = [...tree.variables, ...(tree.filter === undefined ? [] : [printExpression(tree.filter)]), printExpression(tree.body)];
      return atom(`${print(tree.range, level.member)}.${tree.macroName}(${parts.join(", ")})`);
    }
    case "bind":
      return atom(`cel.bind(${tree.name}, ${printExpression(tree.init)}, ${printExpression(tree.body)})`);
    case "optionalMap":
      return atom(
        `${print(tree.target, level.member)}.${tree.flat ? "optFlatMap" : "optMap"}(${tree.variable}, ${printExpression(tree.body)})`,
      );
    default:
      return unreachable(tree);
  }
}

function printCall(name: string, target: Expression | undefined, args: readonly Expression[]): Printed {
  const [first, second, third] = args;
  if (target !== undefined) return atom(`${print(target, level.member)}.${name}(${list(args)})`);
  const operator = binary.get(name);
  if (operator !== undefined && first !== undefined && second !== undefined) {
    const [symbol, own] = operator;
    return { text: `${print(first, own)} ${symbol} ${print(second, own + 1)}`, level: own };
  }
  if (name === "_?_:_" && first !== undefined && second !== undefined && third !== undefined) {
    return { text: `${print(first, level.or)} ? ${print(second, level.or)} : ${printExpression(third)}`, level: level.conditional };
  }
  if ((name === "_[_]" || name === "_[?_]") && first !== undefined && second !== undefined) {
    return atom(`${print(first, level.member)}[${name === "_[?_]" ? "?" : ""}${printExpression(second)}]`);
  }
  if ((name === "!_" || name === "-_") && first !== undefined) {
    const operand = print(first, level.member);
    // A minus directly before a digit would be parsed as part of the number.
    return { text: name[0] + (name === "-_" && /^[0-9]/.test(operand) ? `(${operand})` : operand), level: level.unary };
  }
  return atom(`${name}(${list(args)})`);
}

const plainField = /^[A-Za-z_][A-Za-z0-9_]*$/;
const printField = (field: string): string => (plainField.test(field) && !keywords.has(field) ? field : `\`${field}\``);

/** A number has the precedence of a unary operator, so that it gets parentheses before a dot and after a minus. */
const number = (text: string): Printed => ({ text, level: level.unary });

function printLiteral(value: Literal["value"]): Printed {
  if (typeof value === "string") return atom(quoteString(value));
  if (typeof value === "number") return number(printDouble(value));
  return typeof value === "bigint" || value instanceof Uint ? number(printValue(value)) : atom(printValue(value));
}

function printDouble(value: number): string {
  // CEL has no literal for infinity or NaN, but constant folding can produce them.
  if (!Number.isFinite(value)) return `double("${value}")`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
