/** Warns of a call that always fails, because an attribute, a claim or a constant never has the type that it requires. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { functionRows } from "../../runtime/cel/functions/index.ts";
import type { Type } from "../../runtime/cel/type.ts";
import { Uint } from "../../runtime/cel/value.ts";
import type { ExpressionNode } from "../policy/document.ts";
import { focusOf } from "../policy/expression.ts";
import type { AttributeCall } from "./attribute-calls.ts";
import type { Rule } from "./rule.ts";

/** Checks every expression. */
export const reportFailingOperations: Rule = ({ attributeCalls }, report) => {
  for (const each of attributeCalls) {
    const { expression } = each;
    const wanted = neverFitting(each);
    if (wanted === undefined) continue;
    report({
      code: "failing-operation",
      severity: "warning",
      span: expression.span,
      focus: focusOf(expression, each.call),
      path: expression.path,
      message: `\`${textOf(expression, each.call)}\` always fails: it needs ${wanted.kinds.map(withArticle).join(" or ")}, which \`${textOf(expression, wanted.tree)}\` never is`,
      hint: hintFor(expression, each, wanted),
    });
  }
};

interface Wanted {
  /** The argument of the wrong type. */
  readonly tree: Expression;
  readonly kinds: readonly string[];
}

const rowsById = new Map(functionRows.map((row) => [row.id, row]));

/** Returns the types that the possible overloads require of an argument from JSON, if none of them accepts one. */
function neverFitting({ args, overloads }: AttributeCall): Wanted | undefined {
  let first: Expression | undefined;
  const kinds = new Set<string>();
  for (const id of overloads) {
    const row = rowsById.get(id);
    if (row === undefined) return undefined;
    const at = args.findIndex(({ isJson }, index) => isJson && !takesJson(row.parameters[index]));
    const parameter = row.parameters[at];
    const arg = args[at];
    if (parameter === undefined || arg === undefined) return undefined;
    first ??= arg.tree;
    if (arg.tree === first) kinds.add(parameter.kind === "opaque" ? parameter.name : parameter.kind);
  }
  return first && { tree: first, kinds: [...kinds] };
}

/** Whether a parameter accepts a JSON value: null, a boolean, a double, a string, a list or a map. */
function takesJson(parameter: Type | undefined): boolean {
  switch (parameter?.kind) {
    case "int":
    case "uint":
    case "bytes":
    case "timestamp":
    case "duration":
    case "type":
      return false;
    case "opaque":
      return parameter.name === "optional_type"; // left to the checker
    default:
      return true;
  }
}

const textOf = ({ text }: ExpressionNode, { start, end }: Expression): string => text.slice(start, end);

const withArticle = (kind: string): string =>
  kind === "bytes" ? kind : /^[aeiou]/.test(kind) && kind !== "uint" ? `an ${kind}` : `a ${kind}`;

const arithmetic: ReadonlySet<string> = new Set(["_+_", "_-_", "_*_", "_/_"]);
const convertible: ReadonlySet<string> = new Set(["int", "uint", "bytes", "timestamp", "duration"]);

function hintFor(expression: ExpressionNode, { call, args }: AttributeCall, { tree, kinds }: Wanted): string {
  const text = textOf(expression, tree);
  const whole = args.map((arg) => wholeNumber(arg.tree)).find((digits) => digits !== undefined);
  if (arithmetic.has(call.function) && whole !== undefined)
    return `attributes are doubles: write \`${whole.double}\` instead of \`${whole.written}\`, or convert with \`${kinds[0] ?? ""}(${text})\``;
  const conversions = kinds.filter((kind) => convertible.has(kind)).map((kind) => `\`${kind}(${text})\``);
  return conversions.length > 0 ? `convert it: ${conversions.join(" or ")}` : "attributes, claims and constants are what JSON can say";
}

function wholeNumber(tree: Expression): { readonly written: string; readonly double: string } | undefined {
  if (tree.kind !== "literal") return undefined;
  if (tree.value instanceof Uint) return { written: `${tree.value.value}u`, double: `${tree.value.value}.0` };
  return typeof tree.value === "bigint" ? { written: String(tree.value), double: `${tree.value}.0` } : undefined;
}
