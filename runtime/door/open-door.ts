/** Builds the embedded API, `check` and `isAllowed`, on top of an evaluator. */
import { maxWork, tooMuchWork, withWork } from "../cel/work.ts";
import type { Decision, Evaluator } from "../decide/decision.ts";
import type { CheckInput, CheckOptions, SchemaEnforcement } from "../decide/input.ts";
import { freezeJson } from "./freeze-json.ts";
import { type ResolvedOptions, serverDefaults, resolveOptions } from "./options.ts";
import { errorNamed } from "./problems.ts";
import { type RequestRead, readSingleAction, readRequest } from "./read-request.ts";
import type { CheckResult, Door, DoorSettings } from "./types.ts";

/** Decides single inputs. */
export interface Decider {
  readonly decide: Decide<Decision>;
  /** Whether the single action of the input is allowed. */
  readonly allows: Decide<boolean>;
}

type Decide<T> = (input: CheckInput, options: CheckOptions, longestText: number) => T;

/** What the API needs from its environment. */
export interface DoorEnvironment {
  /** Returns milliseconds since 1970. */
  readonly clock: () => number;
  /** Receives an error that a hook threw and no other hook handled. */
  readonly report: (error: unknown) => void;
  /** The digest of the policy set. */
  readonly policySet: string;
  /** How attributes are validated, unless the caller overrides it. */
  readonly schemas?: SchemaEnforcement;
  /** Settings that cannot be used with these policies, and why. */
  readonly lacks?: Unavailable;
  /** Settings that cannot be changed for a single check, and why. */
  readonly fixed?: Unavailable;
}

interface Unavailable {
  readonly names: readonly (keyof ResolvedOptions)[];
  readonly why: string;
}

const hooks = ["onDecision", "onDecisionFailed"];

/** Builds the API. Throws an `OptionError` for invalid settings, a `TypeError` for hooks that are no functions. */
export function openDoor({ decide, allows }: Decider, settings: DoorSettings | undefined, environment: DoorEnvironment): Door {
  const { schemas } = environment;
  const defaults = resolveOptions(settings, schemas === undefined ? serverDefaults : { ...serverDefaults, schemas }, hooks);
  const { onDecision, onDecisionFailed = environment.report } = settings ?? {};
  for (const hook of [onDecision, onDecisionFailed])
    if (hook !== undefined && typeof hook !== "function") throw new TypeError("`onDecision` and `onDecisionFailed` must be functions");
  demand(defaults, environment);

  const tell = (onDecision: NonNullable<DoorSettings["onDecision"]>, input: CheckInput, decision: Decision, now: number): void => {
    const event = () => ({ request: input, result: resultOf(decision), now, policySet: environment.policySet });
    // Run the hook only after the caller has its answer. Nothing that the hook does changes the answer.
    void Promise.resolve()
      .then(() => onDecision(event()))
      .catch(onDecisionFailed)
      .catch(() => undefined);
  };
  // Thousands of calls arrive each second, most without options, so the options object is reused.
  let plain = optionsAt(Number.NaN, false, defaults);
  /** Returns the options of a check. */
  const optionsFor = (said: unknown, readsRoles: boolean, others?: readonly string[]): CheckOptions => {
    const resolved = resolveOptions(said, defaults, others);
    if (resolved !== defaults) demand(resolved, environment, defaults);
    const now = resolved.now ?? environment.clock();
    if (resolved !== defaults) return optionsAt(now, readsRoles, resolved);
    if (plain.now !== now || plain.effectiveDerivedRoles !== readsRoles) plain = optionsAt(now, readsRoles, defaults);
    return plain;
  };
  const answer = ({ input, longestText }: RequestRead, options: CheckOptions): Decision => {
    const decision = decide(input, options, longestText);
    if (onDecision !== undefined) tell(onDecision, input, decision, options.now);
    return decision;
  };
  return {
    check: (request, said) => {
      const asked = readRequest(request);
      // A cast: the result has exactly the requested actions, which TypeScript cannot see.
      return resultOf(answer(asked, optionsFor(said, true))) as never;
    },
    isAllowed: (principal, resource, action, said) => {
      const asked = readSingleAction(principal, resource, action, said?.auxData);
      // Only the hook needs more than the answer.
      const options = optionsFor(said, onDecision !== undefined, aside);
      if (onDecision !== undefined) return answer(asked, options).actions.get(action)?.effect === "EFFECT_ALLOW";
      return allows(asked.input, options, asked.longestText);
    },
  };
}

/**
 * Returns the options of a check; the time is the clock's if `resolved` has none. Not by object spread, because a
 * spread copy would get a hidden class of its own.
 */
const optionsAt = (now: number, effectiveDerivedRoles: boolean, resolved: ResolvedOptions): CheckOptions => {
  const nowOffset = resolved.now === undefined ? "local" : 0;
  return Object.freeze(Object.assign({}, resolved, { now, nowOffset, effectiveDerivedRoles } as const));
};

const aside = ["auxData"];

/** Throws an `OptionError` if a setting is not available here, or must not be changed for a single check. */
function demand(resolved: ResolvedOptions, { lacks, fixed }: DoorEnvironment, before: ResolvedOptions = resolved): void {
  const missing = lacks?.names.find((name) => resolved[name] !== undefined && resolved[name] !== false);
  if (missing !== undefined) throw optionError(`\`${missing}\` is not available here: ${lacks?.why ?? ""}`);
  const changed = fixed?.names.find((name) => resolved[name] !== before[name]);
  if (changed !== undefined) throw optionError(`\`${changed}\` cannot be set for one check: ${fixed?.why ?? ""}`);
}

const optionError = (message: string): Error => errorNamed("OptionError", message);

/** Decides with an evaluator within the work budget of one check. */
export const decideWith = ({ check, allows }: Evaluator): Decider => ({
  decide: (input, options, longestText) => withinBounds(longestText, () => check([input], options)[0]),
  allows: (input, options, longestText) => withinBounds(longestText, () => allows(input, options)),
});

function withinBounds<T>(longestText: number, answer: () => T | undefined): T {
  try {
    const answered = withWork(maxWork, longestText, answer);
    if (answered !== undefined) return answered;
  } catch (error) {
    if (error !== tooMuchWork) throw error;
  }
  throw new Error("this takes more work than one check may cost: the request is too large for what the policies do with it");
}

function resultOf(decision: Decision): CheckResult {
  // Field by field: a rest pattern would cost more than the decision.
  return Object.freeze({
    requestId: decision.requestId,
    resourceId: decision.resourceId,
    effectiveDerivedRoles: frozen(decision.effectiveDerivedRoles),
    outputs: frozen(decision.outputs),
    validationErrors: frozen(decision.validationErrors),
    evaluationErrors: frozen(decision.evaluationErrors),
    actions: byName(decision.actions),
    effectivePolicies: decision.effectivePolicies.size === 0 ? none : byName(decision.effectivePolicies),
  });
}

/** Freezes a part of a result, because the caller and the hook share it, and some parts later answers and the policies too. */
function frozen<T extends object>(part: T): T {
  freezeJson(part);
  return part;
}

/** Builds an object from names chosen by others. */
function byName<T extends object>(entries: ReadonlyMap<string, T>): { readonly [name: string]: T } {
  // `Object.create(null)` makes a dictionary-mode object, which is slow to freeze and to read.
  const named = Object.setPrototypeOf({}, null) as { [name: string]: T };
  for (const [name, value] of entries) named[name] = frozen(value);
  return Object.freeze(named);
}

const none = byName(new Map<string, never>());
