/** What is told of one resource, in one form whoever tells it: the reference, a reply, an entry of the audit log. */
import type { Decision } from "../../runtime/decide/decision.ts";

type Json = { readonly [name: string]: unknown };

/** It: what nobody tells is absent. */
export interface Told {
  readonly effects: Json;
  readonly policies?: Json;
  readonly roles?: readonly string[];
  readonly outputs: readonly unknown[];
  /** By whose schema it was found wrong, once for each finding. */
  readonly invalid: readonly unknown[];
  readonly errors?: readonly unknown[];
}

/** In an order of names: what is equal is written alike. */
export const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([left], [right]) => (left < right ? -1 : 1))
            .map(([name, one]) => [name, sorted(one)]),
        )
      : Object.is(value, -0)
        ? 0
        : value;

/** What the reference decides. */
export const toldByDecision = (decision: Decision): Told => ({
  effects: Object.fromEntries(Array.from(decision.actions, ([action, { effect }]) => [action, effect])),
  policies: Object.fromEntries(
    Array.from(decision.actions, ([action, { matchedPolicy, matchedScope }]) => [action, [matchedPolicy, matchedScope]]),
  ),
  roles: decision.effectiveDerivedRoles,
  outputs: decision.outputs.map(({ src, action, val, error }) => ({
    src,
    action,
    ...(val !== undefined && { val }),
    ...(error !== undefined && { error }),
  })),
  invalid: decision.validationErrors.map(({ source }) => source),
  errors: decision.evaluationErrors.map(({ expression, message }) => ({ expression, message })),
});

/** What a reply says of one of its resources. */
export function toldByReply(result: Json): Told {
  const { actions = {}, meta, outputs = [], validationErrors = [] } = result as { readonly [name: string]: never };
  const { actions: deciders = {}, effectiveDerivedRoles = [] } = (meta ?? {}) as { readonly [name: string]: never };
  const policies = Object.entries(deciders).map(([action, decider]) => {
    const { matchedPolicy, matchedScope = "" } = decider as Json;
    return [action, [matchedPolicy, matchedScope]] as const;
  });
  return {
    effects: actions,
    ...(meta !== undefined && { policies: Object.fromEntries(policies), roles: effectiveDerivedRoles }),
    outputs,
    invalid: sourcesOf(validationErrors),
  };
}

/** What an entry says of one of its resources. */
export function toldByEntry(output: Json): Told {
  const {
    actions = {},
    effectiveDerivedRoles = [],
    outputs = [],
    validationErrors = [],
    evaluationErrors = [],
  } = output as { readonly [name: string]: never };
  const each = Object.entries(actions).map(([action, decided]) => {
    const { effect, policy, scope = "" } = decided as Json;
    return { action, effect, decider: [policy, scope] };
  });
  return {
    effects: Object.fromEntries(each.map(({ action, effect }) => [action, effect])),
    policies: Object.fromEntries(each.map(({ action, decider }) => [action, decider])),
    roles: effectiveDerivedRoles,
    outputs,
    invalid: sourcesOf(validationErrors),
    errors: (evaluationErrors as readonly Json[]).map(({ celError }) => celError),
  };
}

const sourcesOf = (errors: readonly Json[]): readonly unknown[] => errors.map(({ source }) => source);

/** Says whether one tells the same as another, as far as it tells anything. */
export function tellsSame(known: Told, told: Told): boolean {
  return Object.entries(told).every(([name, value]) => JSON.stringify(sorted(value)) === JSON.stringify(sorted(known[name as keyof Told])));
}
