/** Conditions as policies write them, asked of the interpreter and of generated code in all its variants against one request. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { block, constants, js } from "../../../compiler/emit/code.ts";
import { conditionHolds } from "../../../compiler/emit/condition.ts";
import type { FormName } from "../../../compiler/emit/forms/index.ts";
import { printForMachine } from "../../../compiler/emit/print-code.ts";
import { arrow } from "../../../compiler/emit/context.ts";
import { openUnitWriter } from "../../../compiler/emit/unit-writer.ts";
import type { EvaluationContext } from "../../../runtime/cel/declare.ts";
import { EvalError, invariant } from "../../../runtime/cel/error.ts";
import { parseTimestamp } from "../../../runtime/cel/timestamp-text.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";
import { evaluateCondition } from "../../../runtime/decide/evaluate-condition.ts";
import type { Condition } from "../../../runtime/decide/condition.ts";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { openQuery } from "../../../runtime/decide/open-query.ts";
import type { Query } from "../../../runtime/decide/query.ts";
import { emitted } from "../../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../../runtime/load.ts";
import { variants } from "../../compiler/emit/ways.ts";
import type { Area } from "../area.ts";

type Written = { readonly expr: string } | { readonly [K in "all" | "any" | "none"]?: { readonly of: readonly Written[] } };

interface CelCase {
  readonly id: string;
  readonly now: string;
  readonly globals: { readonly [name: string]: Value };
  readonly condition: Written;
  readonly request: Pick<CheckInput, "principal" | "resource" | "auxData">;
  readonly want: boolean;
}

export const cel: Area = {
  name: "cel",
  *cases(folder) {
    for (const file of readdirSync(join(folder, "cel"))
      .filter((name) => name.endsWith(".yaml"))
      .sort()) {
      // The edge where the case's YAML becomes ours; its shape is the one that its README states.
      const test = parseYaml(readFileSync(join(folder, "cel", file), "utf8")) as CelCase;
      yield { id: test.id, run: () => runCase(test) };
    }
  },
};

function runCase({ condition, globals, now: text, request, want }: CelCase): void {
  const now = parseTimestamp(text);
  invariant(!(now instanceof EvalError), "the case says when it happens");
  const input: CheckInput = { ...request, actions: ["*"] };
  const bindings = policyBindings(input, { globals, constants: new Map(), variables: new Map(), effectiveDerivedRoles: [] });
  const compiled = compile(condition);
  const errors: string[] = [];
  const holds = evaluateCondition(compiled, bindings, { now }, ({ expression, message }) => errors.push(`${expression}: ${message}`));
  for (const [name, forms] of variants) {
    const generated = generatedHolds(compiled, forms, input, globals, { now });
    if (generated !== holds) throw new Error(`interpreted, it is ${holds}; generated with ${name}, it is ${generated}`);
  }
  if (holds === want) return;
  const failing = leaves(compiled).filter((leaf) => !evaluateCondition(leaf, bindings, { now }, () => undefined));
  throw new Error(
    [`it is ${holds}`, ...failing.map((leaf) => (leaf.kind === "expression" ? `not true: ${leaf.expression.text}` : "")), ...errors].join(
      "\n",
    ),
  );
}

function generatedHolds(
  condition: Condition,
  forms: ReadonlySet<FormName>,
  input: CheckInput,
  globals: CelCase["globals"],
  context: EvaluationContext,
): boolean {
  const unit = openUnitWriter(forms);
  const scope = unit.contextFor({
    constants: new Map(),
    variable: () => undefined,
    allConstants: () => js`undefined`,
    allVariables: () => js`undefined`,
  });
  const holds = arrow([js`q`], scope.frame, conditionHolds(condition, scope));
  const program = printForMachine(block(js`(rt, k) => {`, [constants, ...unit.head, ...unit.body, js`return ${holds};`], js`}`));
  // A true edge: the emitter vouches for what its text is.
  const factory = evaluateInThisRealm(program.text) as (rt: typeof emitted, k: readonly Value[]) => (q: Query) => boolean;
  return factory(emitted, program.constants)(openQuery(input, globals, context));
}

function compile(written: Written): Condition {
  if ("expr" in written) return { kind: "expression", expression: compileExpression(written.expr) };
  for (const kind of ["all", "any", "none"] as const) {
    const of = written[kind]?.of;
    if (of !== undefined) return { kind, of: of.map(compile) };
  }
  throw new Error("a condition is one of expr, all, any, none");
}

function compileExpression(text: string): { readonly text: string; readonly tree: ReturnType<typeof check>["tree"] } {
  const { tree, issues } = parse(text);
  if (tree === undefined) throw new Error(`it does not parse: ${text}: ${issues[0]?.message}`);
  const checked = check(tree, policyEnvironment);
  if (checked.issues.length > 0) throw new Error(`it does not compile: ${text}: ${checked.issues[0]?.message}`);
  return { text, tree: checked.tree };
}

const leaves = (condition: Condition): readonly Condition[] =>
  condition.kind === "expression" ? [condition] : condition.of.flatMap(leaves);
