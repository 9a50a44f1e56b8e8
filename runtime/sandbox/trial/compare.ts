/** Compares the results of a policy's program with those of the interpreter on the unit's own trees. */
import { EvalError } from "../../cel/error.ts";
import type { Value } from "../../cel/value.ts";
import { withinWork } from "../../cel/work.ts";
import { InputRecords } from "../../decide/activation.ts";
import { emptyCallerErrors } from "../../decide/caller-errors.ts";
import { ALLOW, DENY, NONE } from "../../decide/effect.ts";
import { evaluateReporting } from "../../decide/evaluate-condition.ts";
import type { Policy } from "../../decide/loaded-unit.ts";
import { convertOutput } from "../../decide/outputs.ts";
import { matchesNone } from "../../decide/patterns.ts";
import { openQuery } from "../../decide/open-query.ts";
import type { Query } from "../../decide/query.ts";
import { evaluateQuestion, type InterpreterContext, evaluateOutput } from "../../decide/questions.ts";
import type { TrialRequest } from "./inputs.ts";
import { epoch, type CollectedFunction } from "./probe.ts";
import { problem } from "./problem.ts";

/**
 * Work budget of one comparison; what costs more with such a small request is not compared. The interpreter needs
 * about twenty times as long as a program.
 */
const maxWork = 2 ** 17;

/** Runs everything collected from a program, a few functions a step, and returns the results as a string. */
export function* compareResults(
  policy: Policy,
  collected: readonly CollectedFunction[],
  request: TrialRequest,
): Generator<undefined, string> {
  const roles = rolesOf(policy, request);
  yield undefined;
  const of = contextOf(policy, request, roles);
  let said = roles.join();
  for (const each of collected) {
    yield undefined;
    withinWork(maxWork, () => {
      said += compareOne(policy, each, request, of, roles);
    });
  }
  for (const action of request.input.actions) {
    yield undefined;
    withinWork(maxWork, () => {
      said += String(effectOf(policy, action, request, roles));
    });
  }
  return said;
}

/** Compares one condition or output. Each gets a query of its own, because a query caches variables. */
function compareOne(
  policy: Policy,
  collected: CollectedFunction,
  request: TrialRequest,
  of: InterpreterContext,
  roles: readonly string[],
): string {
  const { question, index } = collected;
  const query = queryOf(request);
  query.effectiveDerivedRoles = question.kind === "listed" || question.kind === "both" ? none : roles;
  if ("computes" in collected) {
    const json = jsonOf(query.outputOf(index, collected.computes));
    if (json !== jsonOf(evaluateOutput(of, index))) differs(policy, `output ${index}`, of, index);
    return json;
  }
  const held = query.holds(index, collected.holds);
  if (held !== evaluateQuestion(of, question, quietly, quietly)) differs(policy, `condition ${index}`, of, index);
  return held ? "1" : "0";
}

/** The JSON of a value; all errors are the same, because only the interpreter knows their messages. */
function jsonOf(value: Value | EvalError | undefined): string {
  if (value === undefined || value instanceof EvalError) return "error";
  const { what } = convertOutput(value);
  return what.error === undefined ? JSON.stringify(what.val) : "error";
}

function differs(policy: Policy, what: string, { trees }: InterpreterContext, index: number): never {
  const question = trees.questions[index];
  const named =
    question !== undefined && "role" in question
      ? `the derived role \`${trees.policies[policy.index]?.derivedRoles[question.role]?.name ?? ""}\``
      : textOf(question);
  return problem(`its program decides otherwise than its own conditions say (${what}: ${named})`);
}

function textOf(question: InterpreterContext["trees"]["questions"][number] | undefined): string {
  if (question === undefined || !("condition" in question || "expression" in question)) return "a mark";
  let at = "condition" in question ? question.condition : ({ kind: "expression", expression: question.expression } as const);
  while (at.kind !== "expression" && at.of[0] !== undefined) at = at.of[0];
  const text = at.kind === "expression" ? at.expression.text : "nothing";
  return `\`${text.replaceAll(/\s+/g, " ").slice(0, 80)}\``;
}

/**
 * The active derived roles that the program lists; checks that they exist, are in order, and that their conditions
 * hold.
 */
function rolesOf(policy: Policy, request: TrialRequest): readonly string[] {
  if (policy.unit.type === "principal") return none;
  const known = policy.unit.trees().policies[policy.index]?.derivedRoles ?? [];
  let listed: readonly string[] = none;
  withinWork(maxWork, () => {
    const part = policy.content.part();
    const found: unknown = part.derivedRoles(queryOf(request), part.first);
    if (!Array.isArray(found)) problem("it lists derived roles in another way than programs do");
    listed = found;
  });
  const of = contextOf(policy, request, none);
  for (const [at, name] of listed.entries()) {
    const before = listed[at - 1];
    const role = known.findIndex((each) => each.name === name);
    if (role === -1 || (before !== undefined && before >= name))
      problem("it lists derived roles that the policy does not have, or not in order");
    const asking = of.trees.questions.find(
      (each) => (each.kind === "listed" || each.kind === "both") && each.policy === policy.index && each.role === role,
    );
    withinWork(maxWork, () => {
      if (asking !== undefined && !evaluateQuestion(of, asking, quietly, quietly))
        problem(`its program lists the derived role \`${name}\`, whose condition does not hold`);
    });
  }
  return listed;
}

/** The effect of the rows; checks that it is valid, and that actions without a row are not decided. */
function effectOf(policy: Policy, action: string, request: TrialRequest, roles: readonly string[]): number {
  const query = queryOf(request);
  query.effectiveDerivedRoles = roles;
  const part = policy.content.part();
  const effect: unknown = part.decide(query, action, request.matched, part.first);
  if (effect !== NONE && effect !== ALLOW && effect !== DENY) return problem("it answers something that is no effect");
  const ofRole = policy.unit.type === "role";
  if (ofRole && effect === ALLOW) return problem("it allows, and a role policy can only narrow");
  const applies = !matchesNone(request.matched) && policy.content.applies(action, request.matched);
  if (!applies && effect !== (ofRole ? DENY : NONE)) return problem(`it decides about an action that none of its rows is about`);
  return effect;
}

const contextOf = (policy: Policy, { input, globals }: TrialRequest, roles: readonly string[]): InterpreterContext => ({
  trees: policy.unit.trees(),
  input,
  globals,
  context: epoch,
  strict: false,
  activations: [],
  records: new InputRecords(input),
  callerErrors: emptyCallerErrors(),
  // The interpreter is what the program is compared with.
  evaluating: evaluateReporting,
  effectiveDerivedRoles: () => (policy.unit.type === "principal" ? none : roles),
});

const queryOf = ({ input, globals }: TrialRequest): Query => openQuery(input, globals, epoch);

const none: readonly string[] = Object.freeze([]);
function quietly(): void {}
