/** Explains decisions of embedded policies: decides with the reference interpreter, which lists every rule that it considers. */
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { explain } from "../../compiler/reference/decide.ts";
import { explainAction } from "../../compiler/reference/explain-action.ts";
import { openDoor, type Decider, type DoorEnvironment } from "../../runtime/door/open-door.ts";
import { maxWork, tooMuchWork, withWork } from "../../runtime/cel/work.ts";
import type { DoorSettings } from "../../runtime/door/types.ts";
import { refusal } from "../refusal.ts";
import type { Loaded } from "./door.ts";

type Explain = Loaded["explain"];

/** Refuses to explain, and says why. */
export const explainNothing =
  (why: string): Explain =>
  () => {
    throw refusal(why);
  };

/** Returns `explain` for policies, which are linked on the first call. Requests and options are read as `check` reads them. */
export function openExplain(
  linkPolicies: () => PolicySet,
  { onDecision: _onDecision, onDecisionFailed: _onDecisionFailed, ...settings }: DoorSettings,
  environment: DoorEnvironment,
  limitSteps: (decider: Decider) => Decider,
): Explain {
  let linked: PolicySet | undefined;
  let lines: readonly (readonly [action: string, lines: readonly string[]])[] = [];
  const decide: Decider["decide"] = (input, options, longestText) => {
    const set = (linked ??= linkPolicies());
    return withinBudget(longestText, () => {
      const explained = explain(set, input, options);
      lines = input.actions.map((action) => [action, explainAction(set, input, action, options, explained)]);
      return explained;
    });
  };
  const { check } = openDoor(limitSteps({ decide, allows: neverAsked }), settings, environment);
  return (request, options) => {
    const result = check(request, options);
    // `check` is synchronous, so these are the lines of this decision. Actions are names chosen by others: no prototype.
    const reasons = Object.freeze(Object.setPrototypeOf(Object.fromEntries(lines), null));
    return Object.freeze({ ...result, reasons });
  };
}

/** Larger than that of a check, because the interpreter is slower than generated code, and evaluates unmet conditions once more. */
const budget = 4 * maxWork;

function withinBudget<T>(longestText: number, run: () => T): T {
  try {
    return withWork(budget, longestText, run);
  } catch (error) {
    if (error !== tooMuchWork) throw error;
  }
  throw new Error("this takes more work to explain than is allowed: ask for fewer actions, or send a smaller request");
}

/** Only `check` of the door is used. */
const neverAsked = (): never => {
  throw new Error("an explanation is a check");
};
