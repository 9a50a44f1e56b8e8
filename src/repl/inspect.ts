/** `:type`, `:ast`, `:js` and `:why`: show the type, the syntax tree, the generated code and the trace of an expression. */
import { childrenOf } from "../../compiler/cel/children.ts";
import { printAst } from "../../compiler/cel/print-ast.ts";
import { printExpression } from "../../compiler/cel/print.ts";
import { printExpressionProgram } from "../../compiler/emit/print-expression-program.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { explain } from "../../runtime/cel/evaluate/explain.ts";
import { printType } from "../../runtime/cel/type.ts";
import { refuse, say, type Answer, type Command, type SessionHost } from "./answer.ts";
import { areProblems, checkExpression } from "./expression.ts";
import { hintFor } from "./error-hint.ts";
import { oneLine, printAnnotatedTree, type AnnotatedRow } from "./annotated-tree.ts";
import { printTrace } from "./print-trace.ts";
import { activationOf } from "./activation.ts";
import type { CheckedExpression, State } from "./state.ts";

/** Checks the expression of a command, then shows something of it. */
const inspect =
  (show: (checked: CheckedExpression, state: State, host: SessionHost) => Answer): Command["run"] =>
  (part, state, host) => {
    const checked = checkExpression(part, state);
    return areProblems(checked) ? refuse(state, checked) : show(checked, state, host);
  };

const textOf = ({ text }: CheckedExpression, tree: Expression): string => oneLine(text.slice(tree.start, tree.end));

const showType = (checked: CheckedExpression, state: State): Answer => {
  const rows: AnnotatedRow[] = [];
  const walk = (tree: Expression, depth: number): void => {
    if (depth > 0 && tree.kind === "literal") return;
    const type = checked.types.get(tree.id);
    rows.push({ depth, text: textOf(checked, tree), note: type === undefined ? "" : printType(type) });
    for (const part of childrenOf(tree)) walk(part, depth + 1);
  };
  walk(checked.tree, 0);
  return say(state, rows.length === 1 ? printType(checked.type) : printAnnotatedTree(rows));
};

const showAst = ({ tree }: CheckedExpression, state: State): Answer => say(state, `${printExpression(tree)}\n\n${printAst(tree)}`);

const showJavaScript = ({ text, tree }: CheckedExpression, state: State): Answer => {
  const { variables = [], constants = [] } = state.loaded.policies.get(state.used ?? "")?.definitions ?? {};
  const byHand = Array.from(state.constants, ([name, value]) => ({ name, value }));
  const definitions = { variables, constants: [...constants.filter(({ name }) => !state.constants.has(name)), ...byHand] };
  return say(state, printExpressionProgram(oneLine(text), tree, { ...definitions, names: state.names.keys() }).trimEnd());
};

const showWhy = ({ text, tree }: CheckedExpression, state: State, host: SessionHost): Answer => {
  const activation = activationOf(state, host.now());
  const trace = explain(tree, activation.bindings, activation.context);
  const hint = trace.outcome instanceof EvalError ? hintFor(trace.outcome, activation) : undefined;
  // The trace is an answer even when it contains an error; the hint is printed below.
  return say(state, `${printTrace(trace, text)}${hint === undefined ? "" : `\n  = hint: ${hint}`}`);
};

/** The four commands. */
export const inspectCommands: readonly Command[] = [
  {
    name: "type",
    form: "EXPRESSION",
    summary: "show the type that the checker finds, and those of the parts",
    examples: [["R.attr.amount > 5 && P.id == R.attr.owner", "attributes are `dyn`: anything goes, until it is evaluated"]],
    multiline: true,
    completion: "expression",
    run: inspect(showType),
  },
  {
    name: "why",
    form: "EXPRESSION",
    summary: "evaluate, and show what each part came to and which one failed",
    examples: [['R.attr.tags.exists(t, t == "x") || P.id == "ann"', "what was not looked at is marked so"]],
    multiline: true,
    completion: "expression",
    run: inspect(showWhy),
  },
  {
    name: "js",
    form: "EXPRESSION",
    summary: "show the JavaScript that a policy with this expression would run",
    examples: [["R.attr.amount < 1000 && R.attr.team == P.attr.team", "`q` is the query; `rt` is what runtime/emitted offers"]],
    multiline: true,
    completion: "expression",
    run: inspect(showJavaScript),
  },
  {
    name: "ast",
    form: "EXPRESSION",
    summary: "show the expression as it was read: canonical text, then the tree with macros expanded",
    examples: [["a || b && !c", "shows how tightly each operator holds"]],
    multiline: true,
    completion: "expression",
    run: inspect(showAst),
  },
];
