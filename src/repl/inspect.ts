/** `:type`, `:ast`, `:js` and `:why`: show the type, the syntax tree, the generated code and the trace of an expression. */
import { childrenOf } from "../../compiler/cel/children.ts";
import { printAst } from "../../compiler/cel/print-ast.ts";
import { printExpression } from "../../compiler/cel/print.ts";
import { printExpressionProgram } from "../../compiler/emit/print-expression-program.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { explain } from "../../runtime/cel/evaluate/explain.ts";
import { printType } from "../../runtime/cel/type.ts";
import { refuse, say, type Answer, type Command, type World } from "./answer.ts";
import { areProblems, prepare } from "./expression.ts";
import { hintFor } from "./failure.ts";
import { oneLine, printOutline, type OutlineRow } from "./outline.ts";
import { printTrace } from "./print-trace.ts";
import { openScene } from "./scene.ts";
import type { Prepared, State } from "./state.ts";

/** Checks the expression of a command, then shows something of it. */
const inspect =
  (show: (prepared: Prepared, state: State, world: World) => Answer): Command["run"] =>
  (part, state, world) => {
    const prepared = prepare(part, state);
    return areProblems(prepared) ? refuse(state, prepared) : show(prepared, state, world);
  };

const textOf = ({ text }: Prepared, tree: Expression): string => oneLine(text.slice(tree.start, tree.end));

const showType = (prepared: Prepared, state: State): Answer => {
  const rows: OutlineRow[] = [];
  const walk = (tree: Expression, depth: number): void => {
    if (depth > 0 && tree.kind === "literal") return;
    const type = prepared.types.get(tree.id);
    rows.push({ depth, left: textOf(prepared, tree), right: type === undefined ? "" : printType(type) });
    for (const part of childrenOf(tree)) walk(part, depth + 1);
  };
  walk(prepared.tree, 0);
  return say(state, rows.length === 1 ? printType(prepared.type) : printOutline(rows));
};

const showAst = ({ tree }: Prepared, state: State): Answer => say(state, `${printExpression(tree)}\n\n${printAst(tree)}`);

const showJavaScript = ({ text, tree }: Prepared, state: State): Answer => {
  const { variables = [], constants = [] } = state.loaded.policies.get(state.used ?? "")?.definitions ?? {};
  const byHand = Array.from(state.constants, ([name, value]) => ({ name, value }));
  const definitions = { variables, constants: [...constants.filter(({ name }) => !state.constants.has(name)), ...byHand] };
  return say(state, printExpressionProgram(oneLine(text), tree, { ...definitions, names: state.names.keys() }).trimEnd());
};

const showWhy = ({ text, tree }: Prepared, state: State, world: World): Answer => {
  const scene = openScene(state, world.now());
  const trace = explain(tree, scene.bindings, scene.context);
  const hint = trace.outcome instanceof EvalError ? hintFor(trace.outcome, scene) : undefined;
  // The trace is an answer even when it contains an error; the hint is printed below.
  return say(state, `${printTrace(trace, text)}${hint === undefined ? "" : `\n  = hint: ${hint}`}`);
};

/** The four commands. */
export const inspectCommands: readonly Command[] = [
  {
    name: "type",
    form: "EXPRESSION",
    says: "show the type that the checker finds, and those of the parts",
    examples: [["R.attr.amount > 5 && P.id == R.attr.owner", "attributes are `dyn`: anything goes, until it is evaluated"]],
    continues: true,
    completes: "expression",
    run: inspect(showType),
  },
  {
    name: "why",
    form: "EXPRESSION",
    says: "evaluate, and show what each part came to and which one failed",
    examples: [['R.attr.tags.exists(t, t == "x") || P.id == "ann"', "what was not looked at is marked so"]],
    continues: true,
    completes: "expression",
    run: inspect(showWhy),
  },
  {
    name: "js",
    form: "EXPRESSION",
    says: "show the JavaScript that a policy with this expression would run",
    examples: [["R.attr.amount < 1000 && R.attr.team == P.attr.team", "`q` is the query; `rt` is what runtime/emitted offers"]],
    continues: true,
    completes: "expression",
    run: inspect(showJavaScript),
  },
  {
    name: "ast",
    form: "EXPRESSION",
    says: "show the expression as it was read: canonical text, then the tree with macros expanded",
    examples: [["a || b && !c", "shows how tightly each operator holds"]],
    continues: true,
    completes: "expression",
    run: inspect(showAst),
  },
];
