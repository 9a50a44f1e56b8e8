/**
 * Checks the question numbers in a program: each number belongs to one policy, and is used with one function and in
 * one way.
 */
import { lightWeight, type Weight, weightOf } from "../../cel/weight.ts";
import { maxQuestions } from "./bounds.ts";
import { noteUser, type RoleDependence } from "./role-dependence.ts";
import { refuse } from "./refusal.ts";
import { noteWeight, type Cost, type Costs } from "./cost.ts";

/** How a question is used: as a condition, as the mark of a row, or as an output. */
type Purpose = "holds" | "marks" | "tells";

/** A function used with a question number, compared by identity. */
interface QuestionFunction {
  readonly cost: Cost;
  readonly roleDependence: RoleDependence;
}

/** The use of one number. */
interface NumberUse {
  readonly purpose: Purpose;
  /** The function; a mark has none. */
  readonly of: QuestionFunction | undefined;
  readonly weight: Weight;
}

/**
 * The questions used by one function (for derived roles or for rows) of a policy; numbers count from the policy's
 * first question.
 */
export interface UsedQuestions {
  /** By number of the question. */
  readonly uses: Map<number, NumberUse>;
  /** Whether it caches something that depends on derived roles, so that only one policy may use it. */
  cachesDependent: boolean;
  /** Whether a policy uses it already. */
  isUsed: boolean;
}

/** Returns an empty collection. */
export const openUsedQuestions = (): UsedQuestions => ({ uses: new Map(), cachesDependent: false, isUsed: false });

/** The collection of a function without questions. */
export const noUsedQuestions: UsedQuestions = Object.freeze(openUsedQuestions());

/**
 * Where a question is used: while listing derived roles, while evaluating rows, in both; as a mark of rows; as an
 * output.
 */
export type QuestionUse = "listed" | "matched" | "both" | "marked" | "told";

/** The questions of its unit that a policy uses: from `first` up to but not including `end`. */
export interface PolicyQuestions {
  readonly first: number;
  readonly end: number;
  /** For each of them where it is used; undefined if nowhere. */
  readonly uses: readonly (QuestionUse | undefined)[];
}

interface Reader {
  readonly reading: { readonly text: string; readonly start: number };
  readonly usedQuestions: UsedQuestions;
  readonly questions: PolicyQuestions[];
  readonly roleDependence: RoleDependence;
  readonly costs: Costs;
}

/** Records that the function being read uses a question number. */
export function noteQuestion(program: Reader, index: number, purpose: Purpose, of?: QuestionFunction): void {
  const { reading, usedQuestions } = program;
  const known = usedQuestions.uses.get(index);
  if (known === undefined)
    usedQuestions.uses.set(index, {
      purpose,
      of,
      weight: of === undefined ? lightWeight : weightOf(of.cost.characters, of.cost.allocates),
    });
  else if (known.purpose !== purpose || known.of !== of)
    refuse(reading.text, reading.start, `question ${index} behind another that has the same number`);
  if (of === undefined || of.roleDependence.caching.length === 0) return;
  usedQuestions.cachesDependent = true;
  noteUser(program, of.roleDependence, usedQuestions);
}

/**
 * Records the questions of a policy, given the functions that list its roles (if any) and evaluate its rows. They
 * must not overlap those of the previous policy.
 */
export function notePolicy(
  { reading: { text, start }, questions, costs }: Reader,
  first: number,
  listing: UsedQuestions,
  matching: UsedQuestions,
): void {
  const least = questions.at(-1)?.end ?? 0;
  if (first < least) refuse(text, start, `a policy whose questions begin at ${first}, where those of another end at ${least}`);
  const uses: (QuestionUse | undefined)[] = [];
  const note = (index: number, where: QuestionUse, weights: Weight[], { weight }: NumberUse): void => {
    if (first + index >= maxQuestions) refuse(text, start, `question ${first + index}, and a unit may have ${maxQuestions} at most`);
    while (uses.length <= index) uses.push(undefined);
    uses[index] = where;
    if (weight !== lightWeight) noteWeight(weights, first + index, weight);
  };
  for (const [index, question] of listing.uses) note(index, "listed", costs.conditions, question);
  for (const [index, question] of matching.uses) {
    const listed = listing.uses.get(index);
    // Without roles a condition may have another result, and the first result is cached; so the function must not
    // depend on roles.
    const isAlike =
      listed === undefined || (listed.purpose === question.purpose && listed.of === question.of && !listed.of?.roleDependence.isDependent);
    if (!isAlike) refuse(text, start, `question ${index} of rows, which may have another answer while derived roles are listed`);
    if (question.purpose === "tells") note(index, "told", costs.outputs, question);
    else note(index, question.purpose === "marks" ? "marked" : listed === undefined ? "matched" : "both", costs.conditions, question);
  }
  for (const usedQuestions of [listing, matching]) {
    if (!usedQuestions.cachesDependent) continue;
    if (usedQuestions.isUsed) refuse(text, start, "a second policy with a function that keeps what it makes of derived roles");
    usedQuestions.isUsed = true;
  }
  questions.push({ first, end: first + uses.length, uses });
}
