/** Decides the request of a golden case, and returns the outcome in the form of the case. */
import { isJsonObject, isList } from "../../runtime/cel/kind.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { Decision, Evaluator } from "../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions, SchemaEnforcement } from "../../runtime/decide/input.ts";
import type { TestOptions } from "../testing/suite.ts";

/** The request and its options. */
export interface RequestWithOptions {
  readonly inputs: readonly CheckInput[];
  readonly options: TestOptions;
}

/** The policies that decide. */
export interface Decider {
  readonly evaluator: Pick<Evaluator, "check">;
  readonly schemas?: SchemaEnforcement;
}

/** Returns the options of a check: as in the configuration of a server, whole numbers among the globals are ints. */
export const checkOptionsOf = (options: TestOptions, schemas: SchemaEnforcement | undefined): CheckOptions => ({
  ...options,
  globals: Object.fromEntries(Object.entries(options.globals).map(([name, value]) => [name, withInts(value)] as const)),
  now: options.now ?? 0,
  evaluationErrors: false,
  effectivePolicies: false,
  ...(schemas !== undefined && { schemas }),
});

function withInts(value: Value): Value {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (isList(value)) return value.map(withInts);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withInts(member)] as const)) : value;
}

/** What is told of a case that `outcomeOf` does not decide. */
export const clockMissing = "a condition reads the clock (now, timeSince), and the case's options do not set `now`";

/**
 * Decides; returns one entry per resource, in the order of the request. Undefined if a condition reads the clock and the case does
 * not set it: any instant would be a guess.
 */
export function outcomeOf({ inputs, options }: RequestWithOptions, { evaluator, schemas }: Decider): readonly Value[] | undefined {
  let readsClock = false;
  const noticing = options.now === undefined && { clockRead: () => void (readsClock = true) };
  const decisions = evaluator.check(inputs, { ...checkOptionsOf(options, schemas), ...noticing });
  if (readsClock) return undefined;
  return inputs.flatMap(({ resource }, index) => {
    const decision = decisions[index];
    return decision === undefined ? [] : [entryOf(resource, decision)];
  });
}

function entryOf({ kind, id }: CheckInput["resource"], decision: Decision): Value {
  const { actions, effectiveDerivedRoles, outputs, validationErrors } = decision;
  return {
    resource: `${kind} ${id}`,
    actions: Object.fromEntries(
      [...actions].map(([action, { effect, matchedPolicy, matchedScope }]) => [
        action,
        { effect, policy: matchedPolicy, ...(matchedScope !== "" && { scope: matchedScope }) },
      ]),
    ),
    ...(effectiveDerivedRoles.length > 0 && { derivedRoles: effectiveDerivedRoles }),
    ...(outputs.length > 0 && {
      outputs: outputs.map(({ src, action, val, error }) => ({ src, action, ...(error === undefined ? { val: val ?? null } : { error }) })),
    }),
    // Only the paths are recorded, because the wording of messages may change between versions.
    ...(validationErrors.length > 0 && { validationErrors: validationErrors.map(({ source, path }) => `${source} ${path}`) }),
  };
}
