/** What decides -> `check` and `isAllowed`, as programs call them that hold their policies themselves. */
import { mostWork, tooMuchWork, withWork } from "../cel/work.ts";
import type { Decision, Evaluator } from "../decide/decision.ts";
import type { CheckInput, CheckOptions, SchemaEnforcement } from "../decide/input.ts";
import { type Settled, serverDefaults, settle } from "./options.ts";
import { type Asked, readRequest } from "./read-request.ts";
import type { CheckResult, Door, DoorSettings } from "./types.ts";

/** What answers one input. */
export interface Decider {
  readonly decide: Decide<Decision>;
  /** Whether the one action of the input is allowed. */
  readonly allows: Decide<boolean>;
}

type Decide<T> = (input: CheckInput, options: CheckOptions, longestText: number) => T;

/** What the door stands in. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Takes what a hook threw that nobody else wants. */
  readonly report: (error: unknown) => void;
  /** The digest of the policy set. */
  readonly policySet: string;
  /** How attributes are held against schemas, where nobody says otherwise. */
  readonly schemas?: SchemaEnforcement;
  /** Settings that these policies cannot be asked with, and why. */
  readonly lacks?: Unavailable;
  /** Settings that cannot be said of one check, and why. */
  readonly fixed?: Unavailable;
}

interface Unavailable {
  readonly names: readonly (keyof Settled)[];
  readonly why: string;
}

const hooks = ["onDecision", "onDecisionFailed"];

/** Opens a door. */
export function openDoor({ decide, allows }: Decider, settings: DoorSettings | undefined, surroundings: Surroundings): Door {
  const { schemas } = surroundings;
  const defaults = settle(settings, schemas === undefined ? serverDefaults : { ...serverDefaults, schemas }, hooks);
  const { onDecision, onDecisionFailed = surroundings.report } = settings ?? {};
  for (const hook of [onDecision, onDecisionFailed])
    if (hook !== undefined && typeof hook !== "function") throw new TypeError("`onDecision` and `onDecisionFailed` must be functions");
  demand(defaults, surroundings);

  const tell = (input: CheckInput, decision: Decision, now: number): void => {
    if (onDecision === undefined) return;
    const event = () => ({ request: input, result: resultOf(decision), now, policySet: surroundings.policySet });
    // Not before whoever asked has the answer; and whatever becomes of it, the answer stands.
    void Promise.resolve()
      .then(() => onDecision(event()))
      .catch(onDecisionFailed)
      .catch(() => undefined);
  };
  const ask = (
    request: unknown,
    said: unknown,
    readsRoles: boolean,
    others?: readonly string[],
  ): { readonly asked: Asked; readonly options: CheckOptions } => {
    const asked = readRequest(request);
    const settled = settle(said, defaults, others);
    if (settled !== defaults) demand(settled, surroundings, defaults);
    const now = settled.now ?? surroundings.clock();
    // Not spread: an object that begins as a copy has a hidden class of its own, and costs ten times as much.
    return { asked, options: Object.assign({}, settled, { now, effectiveDerivedRoles: readsRoles }) };
  };
  const check = (request: unknown, said: unknown, others?: readonly string[]): Decision => {
    const { asked, options } = ask(request, said, true, others);
    const decision = decide(asked.input, options, asked.longestText);
    tell(asked.input, decision, options.now);
    return decision;
  };
  return {
    check: (request, options) => resultOf(check(request, options)),
    isAllowed: (principal, resource, action, options) => {
      const request = { principal, resource, actions: [action], auxData: options?.auxData };
      // Only the hook would want more than the answer.
      if (onDecision !== undefined) return check(request, options, aside).actions.get(action)?.effect === "EFFECT_ALLOW";
      const { asked, options: settled } = ask(request, options, false, aside);
      return allows(asked.input, settled, asked.longestText);
    },
  };
}

const aside = ["auxData"];

/** Refuses what cannot be had here, or not otherwise than it was. */
function demand(settled: Settled, { lacks, fixed }: Surroundings, before: Settled = settled): void {
  const missing = lacks?.names.find((name) => settled[name] !== undefined && settled[name] !== false);
  if (missing !== undefined) throw optionError(`\`${missing}\` cannot be had here: ${lacks?.why ?? ""}`);
  const changed = fixed?.names.find((name) => settled[name] !== before[name]);
  if (changed !== undefined) throw optionError(`\`${changed}\` cannot be said of one check: ${fixed?.why ?? ""}`);
}

const optionError = (message: string): Error => Object.assign(new Error(message), { name: "OptionError" });

/** Decides with an evaluator, within the work that one check may cost. */
export const decideWith = ({ check, allows }: Evaluator): Decider => ({
  decide: (input, options, longestText) => withinBounds(longestText, () => check([input], options)[0]),
  allows: (input, options, longestText) => withinBounds(longestText, () => allows(input, options)),
});

function withinBounds<T>(longestText: number, answer: () => T | undefined): T {
  try {
    const answered = withWork(mostWork, longestText, answer);
    if (answered !== undefined) return answered;
  } catch (error) {
    if (error !== tooMuchWork) throw error;
  }
  throw new Error("this takes more work than one check may cost: the request is too large for what the policies do with it");
}

function resultOf(decision: Decision): CheckResult {
  const { actions, effectivePolicies, ...others } = decision;
  return Object.freeze({ ...others, actions: byName(actions), effectivePolicies: byName(effectivePolicies) });
}

/** An object of names that are somebody else's words. */
function byName<T>(entries: ReadonlyMap<string, T>): { readonly [name: string]: T } {
  const named: { [name: string]: T } = Object.create(null);
  for (const [name, value] of entries) named[name] = value;
  return Object.freeze(named);
}
