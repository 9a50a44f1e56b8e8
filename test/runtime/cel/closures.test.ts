/** Trees that are turned into functions come to what the interpreter says: the same values, the same errors at the same places. */
import { describe as group, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { describe } from "../../../runtime/cel/evaluate/describe.ts";
import { evaluate, type Bindings, type StepCount } from "../../../runtime/cel/evaluate/evaluate.ts";
import { compileToClosure } from "../../../runtime/cel/evaluate/closures.ts";
import { defaultStepLimit } from "../../../runtime/cel/step-limit.ts";
import { printValue } from "../../../runtime/cel/print-value.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { withinWork } from "../../../runtime/cel/work.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";
import { conditionText, expressionText } from "../../agree/expressions.ts";
import { openRandom } from "../../agree/random.ts";
import { guessedExpressions } from "../../compiler/emit/expressions.ts";
import { makeBatch } from "../../agree/requests.ts";
import { globals } from "../../agree/vocabulary.ts";
import { context } from "./ask.ts";
import { checked } from "./outcome.ts";

const documents = [{ apiVersion: "api.authz.dev/v1", resourcePolicy: { resource: "doc", scope: "" } }];
const names = { variables: ["set", "unset"], constants: ["limit"], locals: [], complete: true };
const given = new Map<string, Value>([
  ["set", "eng"],
  ["limit", 10],
]);

function checkedPolicy(text: string): Expression | undefined {
  const { tree, issues } = parse(text);
  if (tree === undefined || issues.length > 0) return undefined;
  const result = check(tree, policyEnvironment);
  return result.issues.length > 0 ? undefined : result.tree;
}

/** The value, or everything that an error tells. */
function told(outcome: Value | EvalError): unknown {
  if (!(outcome instanceof EvalError)) return printValue(outcome);
  const { kind, message, place } = outcome;
  const around = place && { start: place.tree.start, end: place.tree.end, asker: place.asker, operands: place.operands.map(printValue) };
  return { kind, message, around, iterations: place?.iterations.map(printValue), sentence: describe(outcome) };
}

/** What both say of a tree, and the steps that they take, of so many that are taken already. */
function both(tree: Expression, bindings: Bindings, taken: number): readonly [closure: unknown, interpreted: unknown] {
  const closure = compileToClosure(tree);
  const say = (run: (steps: StepCount) => Value | EvalError): unknown => {
    const steps = { taken };
    return { outcome: told(run(steps)), steps };
  };
  return [say((steps) => closure(bindings, context, steps)), say((steps) => evaluate(tree, bindings, context, steps))];
}

test("whatever can be written, asked of whatever can be sent", { timeout: 120_000 }, () => {
  const random = openRandom(20_261_122);
  const count = { expressions: 0, values: 0, errors: 0 };
  while (count.expressions < 4000) {
    const text = random.chance(0.6) ? conditionText(random, names) : expressionText(random, names);
    const tree = checkedPolicy(text);
    if (tree === undefined) continue;
    count.expressions++;
    for (const input of makeBatch(random, documents).inputs) {
      const bindings = policyBindings(input, { globals, constants: given, variables: given, effectiveDerivedRoles: ["owner"] });
      const [closure, interpreted] = both(tree, bindings, random.chance(0.1) ? defaultStepLimit + 1 : 0);
      expect({ text, input, said: closure }).toEqual({ text, input, said: interpreted });
      count[evaluate(tree, bindings, context) instanceof EvalError ? "errors" : "values"]++;
    }
  }
  // Neither may be rare.
  expect(Math.min(count.values, count.errors)).toBeGreaterThan(2000);
});

const sent: { readonly [name: string]: Value } = {
  P: { yes: true, no: false, one: 1, text: "a", list: [1, 2], nothing: null, map: { team: "x" } },
  runtime: {},
};
const elsewhere = new EvalError("invalid argument", "it failed elsewhere", { tree: checked("P.nope", sent), operands: [], iterations: [] });
const bindings: Bindings = (name) => (name === "runtime" ? elsewhere : name === "P" ? sent["P"] : undefined);

group("where it is easily got wrong", () => {
  test.each([
    ["a term that decides hides an error before it", "P.nope || P.yes"],
    ["a term that decides hides an error behind it", "P.no && P.nope"],
    ["a term that does not decide hides none", "P.nope || P.no"],
    ["the first of two errors is told", "P.first && P.second"],
    ["a term that is no boolean fails, unless one decides", "P.one && P.yes"],
    ["and is hidden where one does", "P.one || P.yes"],
    ["a branch that is not taken does not fail", "P.yes ? P.one : P.nope"],
    ["a choice by something else", "P.one ? P.one : P.nope"],
    ["a choice by what is not there", "P.nope ? 1 : 2"],
    ["equality of all kinds", "P.one == P.text"],
    ["inequality of what is not there", "P.nope != 1"],
    ["null is a value", "P.nothing == null"],
    ["null that is read as a map", "P.nothing.x == 1"],
    ["the left side fails first", "P.left == P.right"],
    ["a near name is told", "P.map.teem == 'x'"],
    ["a function of something else", "P.text.startsWith(P.one)"],
    ["an argument that fails", "P.text.startsWith(P.nope)"],
    ["a list with an element that fails", "1 in [P.nope]"],
    ["a position that is not there", "P.list[2]"],
    ["an index that may be missing", "P.list[?2].orValue(7)"],
    ["a field that may be missing", "P.?nope.orValue(P.text)"],
    ["what a test cannot look into", "has(P.nope.x)"],
    ["a test of a list", "has(P.list.x)"],
    ["a name that failed elsewhere fails here", "runtime.effectiveDerivedRoles == []"],
    ["a type", "type(P.one) == double"],
    ["a macro that gives a name to something else", "P.list.exists(P, P == 2)"],
    ["a loop in a term", "P.nope || P.list.all(x, x > 0)"],
    ["a name for the length of a body", "cel.bind(P, 1, P + 1) == 2"],
  ])("%s: %s", (_sentence, text) => {
    const tree = checked(text, sent);
    for (const taken of [0, defaultStepLimit, defaultStepLimit + 1]) {
      const [closure, interpreted] = both(tree, bindings, taken);
      expect(closure).toEqual(interpreted);
    }
  });

  test.each(guessedExpressions)("types that were guessed, met by others: %s", (text) => {
    const tree = checkedPolicy(text);
    if (tree === undefined) throw new Error(`it does not compile: ${text}`);
    for (const attr of [
      { l: ["a"], b: true, s: "2024-01-31T00:00:00Z", t: "a" },
      { l: [1, null], b: "x", s: 5, t: null },
    ]) {
      const input = { principal: { id: "ann", roles: ["user"], attr }, resource: { kind: "doc", id: "1", attr }, actions: ["view"] };
      const guessing = policyBindings(input, { globals: {}, constants: given, variables: given, effectiveDerivedRoles: [] });
      const [closure, interpreted] = both(tree, guessing, 0);
      expect(closure).toEqual(interpreted);
    }
  });

  test("it is paid for", () => {
    const tree = checked(Array.from({ length: 100 }, (_, at) => `P.x${at} == 1`).join(" || "), sent);
    const closure = compileToClosure(tree);
    expect(withinWork(2 ** 20, () => void closure(bindings, context))).toBe(true);
    expect(withinWork(200, () => void closure(bindings, context))).toBe(false);
  });
});
