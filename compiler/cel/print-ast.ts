/** Prints a tree in cel-go's debug format: macros are expanded, and each node is marked with its kind. */
import type { Expression, Literal, Loop } from "../../runtime/cel/ast.ts";
import { invariant, unreachable } from "../../runtime/cel/error.ts";
import { shortText } from "../../runtime/cel/number-text.ts";
import { printType } from "../../runtime/cel/type.ts";
import { Uint } from "../../runtime/cel/value.ts";
import type { CheckResult } from "./check.ts";
import { quoteBytes, quoteString } from "./go-literal.ts";

/** Returns a tree in cel-go's debug format. */
export const printAst = (tree: Expression): string => print(desugar(tree), kindMark, "");

/**
 * Returns a checked tree in cel-go's debug format: each node with its type, each name with its declaration, each call
 * with its overloads.
 */
export const printCheckedAst = ({ tree, types, overloads }: CheckResult): string =>
  print(
    desugar(tree),
    (core) => {
      const type = core.id === undefined ? undefined : types.get(core.id);
      const chosen = core.id === undefined ? undefined : overloads.get(core.id);
      const reference = core.kind === "name" ? core.name : core.kind === "call" ? chosen?.toSorted().join("|") : undefined;
      return (type === undefined ? "" : `~${printType(type)}`) + (reference === undefined ? "" : `^${reference}`);
    },
    "",
  );

/** A node of cel-go's own tree. It has fewer kinds than ours: macros and n-ary logic are expanded. */
type Core = { /** The node that it was made of. */ readonly id?: number } & Shape;

type Shape =
  | { readonly kind: "constant"; readonly text: string; readonly type: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "select"; readonly operand: Core; readonly field: string; readonly test: boolean }
  | { readonly kind: "call"; readonly function: string; readonly target?: Core; readonly args: readonly Core[] }
  | { readonly kind: "list"; readonly elements: readonly Core[]; readonly optionals: readonly number[] }
  | {
      readonly kind: "struct";
      readonly name: string;
      readonly entries: readonly { readonly key: string | Core; readonly value: Core; readonly optional: boolean }[];
    }
  | Comprehension;

interface Comprehension {
  readonly kind: "comprehension";
  readonly variables: readonly string[];
  readonly range: Core;
  readonly accumulator: string;
  readonly init: Core;
  readonly condition: Core;
  readonly step: Core;
  readonly result: Core;
}

const name = (text: string): Core => ({ kind: "name", name: text });
const call = (text: string, ...args: readonly Core[]): Core => ({ kind: "call", function: text, args });
const method = (target: Core, text: string, ...args: readonly Core[]): Core => ({ kind: "call", function: text, target, args });
const list = (...elements: readonly Core[]): Core => ({ kind: "list", elements, optionals: [] });
const constant = (text: string, type: string): Core => ({ kind: "constant", text, type });
const truth = (value: boolean): Core => constant(String(value), "Bool");
const whole = (value: number): Core => constant(String(value), "Int64");
const result = name("@result");

const desugar = (tree: Expression): Core => ({ ...spell(tree), id: tree.id });

function spell(tree: Expression): Core {
  switch (tree.kind) {
    case "literal":
      return constant(...printLiteral(tree.value));
    case "identifier":
      return name(tree.absolute === true ? `.${tree.name}` : tree.name);
    case "select":
      return tree.optional === true
        ? call("_?._", desugar(tree.operand), constant(quoteString(tree.field), "String"))
        : { kind: "select", operand: desugar(tree.operand), field: tree.field, test: tree.test === true };
    case "call": {
      const args = tree.args.map(desugar);
      return tree.target === undefined
        ? call(behindMacros.get(tree.function) ?? tree.function, ...args)
        : method(desugar(tree.target), tree.function, ...args);
    }
    case "logic":
      return balance(tree.operator === "&&" ? "_&&_" : "_||_", tree.terms.map(desugar), tree.id);
    case "list":
      return { kind: "list", elements: tree.elements.map(desugar), optionals: tree.optionals };
    case "map":
      return {
        kind: "struct",
        name: "",
        entries: tree.entries.map(({ key, value, optional }) => ({ key: desugar(key), value: desugar(value), optional })),
      };
    case "struct":
      return {
        kind: "struct",
        name: tree.name,
        entries: tree.fields.map((field) => ({ key: field.name, value: desugar(field.value), optional: field.optional })),
      };
    case "loop":
      return desugarLoop(tree);
    case "bind":
      return bind(tree.name, desugar(tree.init), desugar(tree.body));
    case "optionalMap": {
      const target = desugar(tree.target);
      const body = bind(tree.variable, method(target, "value"), desugar(tree.body));
      return call("_?_:_", method(target, "hasValue"), tree.flat ? body : call("optional.of", body), call("optional.none"));
    }
    default:
      return unreachable(tree);
  }
}

/** Variadic macro -> the internal function that cel-go expands it to. */
const behindMacros: ReadonlyMap<string, string> = new Map([
  ["math.greatest", "math.@max"],
  ["math.least", "math.@min"],
]);

/** Turns a chain of `&&` or `||` into a balanced binary tree, as cel-go does. */
function balance(operator: string, terms: readonly Core[], id: number): Core {
  const [only] = terms;
  if (terms.length === 1 && only !== undefined) return only;
  const middle = Math.floor(terms.length / 2) + (terms.length % 2);
  return { ...call(operator, balance(operator, terms.slice(0, middle), id), balance(operator, terms.slice(middle), id)), id };
}

/** `cel.bind` is a comprehension over an empty list whose accumulator is the bound variable, as in cel-go. */
const bind = (variable: string, init: Core, body: Core): Core => ({
  kind: "comprehension",
  variables: ["#unused"],
  range: list(),
  accumulator: variable,
  init,
  condition: truth(false),
  step: name(variable),
  result: body,
});

function desugarLoop(tree: Loop): Core {
  const range = desugar(tree.range);
  if (tree.macro === "sortBy") {
    const input = "@__sortBy_input__";
    const keys = desugarLoop({ ...tree, macro: "map", range: { kind: "identifier", name: input, id: 0, start: 0, end: 0 } });
    return bind(input, range, method(name(input), "@sortByAssociatedKeys", keys));
  }
  const body = desugar(tree.body);
  const filter = tree.filter === undefined ? undefined : desugar(tree.filter);
  const when = (step: Core): Core => (filter === undefined ? step : call("_?_:_", filter, step, result));
  const [first] = tree.variables;
  const over = (init: Core, condition: Core, step: Core, last: Core = result): Core => ({
    kind: "comprehension",
    variables: tree.variables,
    range,
    accumulator: "@result",
    init,
    condition,
    step,
    result: last,
  });
  const emptyMap: Core = { kind: "struct", name: "", entries: [] };
  switch (tree.macro) {
    case "all":
      return over(truth(true), call("@not_strictly_false", result), call("_&&_", result, body));
    case "exists":
      return over(truth(false), call("@not_strictly_false", call("!_", result)), call("_||_", result, body));
    case "existsOne":
      return over(whole(0), truth(true), call("_?_:_", body, call("_+_", result, whole(1)), result), call("_==_", result, whole(1)));
    case "map":
    case "transformList":
      return over(list(), truth(true), when(call("_+_", result, list(body))));
    case "filter":
      return over(list(), truth(true), call("_?_:_", body, call("_+_", result, list(name(first))), result));
    case "transformMap":
      return over(emptyMap, truth(true), when(call("cel.@mapInsert", result, name(first), body)));
    case "transformMapEntry":
      return over(emptyMap, truth(true), when(call("cel.@mapInsert", result, body)));
    default:
      return unreachable(tree.macro);
  }
}

function printLiteral(value: Literal["value"]): readonly [text: string, type: string] {
  if (value === null) return ["null", "Null"];
  if (value instanceof Uint) return [`${value.value}u`, "Uint64"];
  if (value instanceof Uint8Array) return [quoteBytes(value), "Bytes"];
  switch (typeof value) {
    case "boolean":
      return [String(value), "Bool"];
    case "bigint":
      return [String(value), "Int64"];
    case "number":
      return [shortText(value), "Double"];
    case "string":
      return [quoteString(value), "String"];
    default:
      return unreachable(value);
  }
}

const kinds = {
  name: "Expr_IdentExpr",
  select: "Expr_SelectExpr",
  call: "Expr_CallExpr",
  list: "Expr_ListExpr",
  struct: "Expr_StructExpr",
  comprehension: "Expr_ComprehensionExpr",
} as const;

/** Returns the mark that is printed after a node. A map entry has a mark but is not a node. */
type Mark = (node: Core | { readonly kind: "entry"; readonly id?: number }) => string;

const kindMark: Mark = (node) => {
  const kind =
    node.kind === "constant" ? `Constant_${node.type}Value` : node.kind === "entry" ? "Expr_CreateStruct_Entry" : kinds[node.kind];
  return `^#*expr.${kind}#`;
};

const print = (core: Core, mark: Mark, indent: string): string => printShape(core, mark, indent) + mark(core);

function printShape(core: Core, mark: Mark, indent: string): string {
  const inner = `${indent}  `;
  const block = (open: string, items: readonly string[], close: string): string =>
    items.length === 0 ? `${open}${close}` : `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
  switch (core.kind) {
    case "constant":
      return core.text;
    case "name":
      return core.name;
    case "select":
      return `${print(core.operand, mark, indent)}.${core.field}${core.test ? "~test-only~" : ""}`;
    case "call": {
      const target = core.target === undefined ? "" : `${print(core.target, mark, indent)}.`;
      return (
        target +
        block(
          `${core.function}(`,
          core.args.map((argument) => print(argument, mark, inner)),
          ")",
        )
      );
    }
    case "list":
      return block(
        "[",
        core.elements.map((element, i) => (core.optionals.includes(i) ? "?" : "") + print(element, mark, inner)),
        "]",
      );
    case "struct": {
      const entries = core.entries.map(
        ({ key, value, optional }) =>
          `${optional ? "?" : ""}${typeof key === "string" ? key : print(key, mark, inner)}:${print(value, mark, inner)}${mark({ kind: "entry" })}`,
      );
      return block(`${core.name}{`, entries, "}");
    }
    case "comprehension":
      return printComprehension(core, mark, inner);
    default:
      return unreachable(core);
  }
}

function printComprehension(core: Comprehension, mark: Mark, indent: string): string {
  const [first, second] = core.variables;
  invariant(first !== undefined, "a loop has a variable");
  const parts: readonly (readonly [title: string, text: string])[] = [
    ["Variable", first],
    ...(second === undefined ? [] : [["Variable2", second] as const]),
    ["Target", print(core.range, mark, indent)],
    ["Accumulator", core.accumulator],
    ["Init", print(core.init, mark, indent)],
    ["LoopCondition", print(core.condition, mark, indent)],
    ["LoopStep", print(core.step, mark, indent)],
    ["Result", print(core.result, mark, indent)],
  ];
  return `__comprehension__(\n${parts.map(([title, text]) => `${indent}// ${title}\n${indent}${text}`).join(",\n")})`;
}
