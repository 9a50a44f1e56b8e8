/** The values of all names at one instant: of the request, the policy in use, and the overrides of the session. */
import { activeDerivedRoles } from "../../compiler/reference/derived-roles.ts";
import { withParents } from "../../compiler/reference/parents.ts";
import { scopeOf, withoutDots } from "../../compiler/reference/scopes.ts";
import type { Definitions } from "../../compiler/link/policy-set.ts";
import type { EvaluationContext } from "../../runtime/cel/declare.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { sanitise } from "../../compiler/policy/names.ts";
import { evaluate, type Bindings } from "../../runtime/cel/evaluate/evaluate.ts";
import { timestampFromMilliseconds } from "../../runtime/cel/timestamp.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { policyBindings } from "../../runtime/decide/activation.ts";
import type { CheckOptions } from "../../runtime/decide/input.ts";
import { inputOf } from "./request.ts";
import type { State } from "./state.ts";

/** The values that an expression is evaluated with, as in CEL: those of a request with its policy, at one instant. */
export interface Activation {
  readonly bindings: Bindings;
  readonly context: EvaluationContext;
  readonly variables: ReadonlyMap<string, Value>;
  readonly constants: ReadonlyMap<string, Value>;
  readonly derivedRoles: readonly string[];
  /** The errors of variables that have no value, by name. */
  readonly variableErrors: ReadonlyMap<string, EvalError>;
}

const noDefinitions: Definitions = { variables: [], constants: [] };

/** Evaluates the names of a session; without `definitions`, V and C are those of the policy in use. */
export function activationOf(state: State, milliseconds: number, definitions?: Definitions): Activation {
  const used = state.loaded.policies.get(state.used ?? "");
  const { variables, constants } = definitions ?? used?.definitions ?? noDefinitions;
  const input = withoutDots(inputOf(state.request));
  const context = { now: state.now ?? timestampFromMilliseconds(milliseconds, "local") };
  const globals = Object.fromEntries(state.globals);
  const derivedRoles = state.derivedRoles ?? activeRoles(state, context, milliseconds);

  const allConstants = new Map([...constants.map(({ name, value }) => [name, value] as const), ...state.constants]);
  const values = new Map(state.variables);
  const policyNames = policyBindings(input, { globals, constants: allConstants, variables: values, effectiveDerivedRoles: derivedRoles });
  const bindings: Bindings = (name) => {
    const named = state.names.get(name);
    return named === undefined ? policyNames(name) : named.value;
  };
  const failed = new Map<string, EvalError>();
  for (const { name, expression } of variables) {
    if (state.variables.has(name)) continue;
    // A policy's expressions do not see the names of the session.
    const value = evaluate(expression.tree, policyNames, context);
    if (value instanceof EvalError) failed.set(name, value);
    else values.set(name, value);
  }
  return { bindings, context, variables: values, constants: allConstants, derivedRoles, variableErrors: failed };
}

/** Returns the derived roles that conditions see: those of the resource policy at their own scope; principal policies see none (D32). */
function activeRoles(state: State, context: EvaluationContext, milliseconds: number): readonly string[] {
  const { set, policies } = state.loaded;
  const where = policies.get(state.used ?? "")?.derivedRolesOf;
  if (where === undefined) return [];
  const input = inputOf(state.request);
  const kind = sanitise(input.resource.kind);
  const policy =
    "derivedRoles" in where
      ? where
      : set.resourcePolicies.find(({ name, version, scope }) => name === kind && version === where.version && scope === where.scope);
  if (policy === undefined) return [];
  const options = checkOptions(state, milliseconds);
  const requestedScope = scopeOf(input.resource, options);
  const roles = input.principal.roles.flatMap((role) => withParents(set, role, requestedScope));
  return activeDerivedRoles(policy, roles, { input: withoutDots(input), options, context, onError: () => undefined }).names;
}

/** The options of a server with the settings of the session. */
export const checkOptions = (state: State, milliseconds: number): CheckOptions => ({
  now: state.now === undefined ? milliseconds : state.now.seconds * 1000 + state.now.nanos / 1e6,
  nowOffset: state.now === undefined ? "local" : state.now.offsetMinutes,
  globals: Object.fromEntries(state.globals),
  ...state.engine,
  evaluationErrors: true,
  effectivePolicies: false,
  ...(state.loaded.schemas && { schemas: state.loaded.schemas }),
});
