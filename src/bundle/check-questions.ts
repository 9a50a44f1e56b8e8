/** Validates that a unit's program evaluates the conditions of its own policies only, each where its kind belongs, by the trees that the unit has of them. */
import type { BundledUnit } from "../../runtime/bundle.ts";
import type { Question } from "../../runtime/decide/trees.ts";
import type { QuestionUse, PolicyQuestions } from "../../runtime/sandbox/gate/index.ts";
import { isObject, within, wrong, type Place } from "./check.ts";

/**
 * Throws a refusal that names the first condition which belongs to another policy than the one that asks for it, or is used where its
 * kind does not belong.
 */
export function checkQuestions({ scopes, trees: written }: BundledUnit, programs: readonly PolicyQuestions[], of: Place): void {
  const at = within(of, "trees");
  const trees = parsed(written);
  if (!isObject(trees) || !Array.isArray(trees["p"]) || trees["p"].length !== scopes.length || !Array.isArray(trees["q"]))
    return wrong(at, "must be the conditions of each policy");
  const questions: readonly unknown[] = trees["q"];
  if (programs.length !== scopes.length) return wrong(within(of, "scopes"), "must be those of the unit's program");
  programs.forEach(({ first, end, uses }, policy) => {
    const next = programs[policy + 1]?.first ?? questions.length;
    const isLaid = (policy > 0 || first === 0) && end <= next;
    const own = questions.slice(first, next);
    const key = scopes[policy]?.key ?? "";
    if (!isLaid || !own.every((question) => Array.isArray(question) && question[1] === policy))
      wrong(at, `must hold the questions of ${key} where its program asks for them`);
    own.forEach((question, index) => {
      const where = uses[index];
      const kind: unknown = Array.isArray(question) ? question[0] : undefined;
      if (where !== undefined && !kindsOf[where].some((each) => each === kind))
        wrong(at, `must have ${words[where]} as question ${first + index}: the program of ${key} asks for one there`);
    });
  });
}

/** The kinds of condition that may be used in each place. */
const kindsOf: { readonly [where in QuestionUse]: readonly Question["kind"][] } = {
  listed: ["listed", "both"],
  matched: ["rule", "matched", "both"],
  both: ["both"],
  marked: ["policy"],
  told: ["output"],
};

const words: { readonly [where in QuestionUse]: string } = {
  listed: "the condition of a derived role that is listed",
  matched: "the condition of a rule, or of a derived role that is matched",
  both: "the condition of a derived role that is both listed and matched",
  marked: "a mark of rows",
  told: "an output",
};

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
