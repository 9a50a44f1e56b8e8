/** Holds what a unit says of its conditions, as trees, to what its program asks: each policy asks about its own, and about no other's. */
import type { BundledUnit } from "../../runtime/bundle.ts";
import type { PolicyQuestions } from "../../runtime/sandbox/gate/index.ts";
import { isObject, within, wrong, type Place } from "./check.ts";

/** Throws a refusal that names the first question which belongs to another policy than its program asks it for. */
export function checkQuestions({ scopes, trees: written }: BundledUnit, asked: readonly PolicyQuestions[], of: Place): void {
  const at = within(of, "trees");
  const trees = parsed(written);
  if (!isObject(trees) || !Array.isArray(trees["p"]) || trees["p"].length !== scopes.length || !Array.isArray(trees["q"]))
    return wrong(at, "must be the conditions of each policy");
  const questions: readonly unknown[] = trees["q"];
  if (asked.length !== scopes.length) return wrong(within(of, "scopes"), "must be those of the unit's program");
  asked.forEach(({ first, end }, policy) => {
    const next = asked[policy + 1]?.first ?? questions.length;
    const isLaid = (policy > 0 || first === 0) && end <= next;
    const own = questions.slice(first, next);
    if (!isLaid || !own.every((question) => Array.isArray(question) && question[1] === policy))
      wrong(at, `must hold the questions of ${scopes[policy]?.key ?? ""} where its program asks for them`);
  });
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
