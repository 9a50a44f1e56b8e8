/**
 * Checks the question numbers in a program: each number belongs to one policy, and is used with one function and in
 * one way.
 */
import { light, type Weight, weightOf } from "../../cel/weight.ts";
import { mostQuestions } from "./bounds.ts";
import { keepApart, type OfRoles } from "./of-roles.ts";
import { refuse } from "./refusal.ts";
import { noteWeight, type Piece, type Weighed } from "./weighed.ts";

/** How a question is used: as a condition, as the mark of a row, or as an output. */
type Way = "holds" | "marks" | "tells";

/** A function used with a question number, compared by identity. */
interface Answering {
  readonly piece: Piece;
  readonly ofRoles: OfRoles;
}

/** The use of one number. */
interface Asked {
  readonly way: Way;
  /** The function; a mark has none. */
  readonly of: Answering | undefined;
  readonly weight: Weight;
}

/**
 * The questions used by one function (for derived roles or for rows) of a policy; numbers count from the policy's
 * first question.
 */
export interface Asks {
  /** By number of the question. */
  readonly asked: Map<number, Asked>;
  /** Whether it caches something that depends on derived roles, so that only one policy may use it. */
  isApart: boolean;
  /** Whether a policy uses it already. */
  isTaken: boolean;
}

/** Returns an empty collection. */
export const openAsks = (): Asks => ({ asked: new Map(), isApart: false, isTaken: false });

/** The collection of a function without questions. */
export const noAsks: Asks = Object.freeze(openAsks());

/**
 * Where a question is used: while listing derived roles, while evaluating rows, in both; as a mark of rows; as an
 * output.
 */
export type AskedWhere = "listed" | "matched" | "both" | "marked" | "told";

/** The questions of its unit that a policy uses: from `first` up to but not including `end`. */
export interface PolicyQuestions {
  readonly first: number;
  readonly end: number;
  /** For each of them where it is used; undefined if nowhere. */
  readonly asked: readonly (AskedWhere | undefined)[];
}

interface Reader {
  readonly reading: { readonly text: string; readonly start: number };
  readonly asks: Asks;
  readonly questions: PolicyQuestions[];
  readonly ofRoles: OfRoles;
  readonly weighed: Weighed;
}

/** Records that the function being read uses a question number. */
export function noteAsked(program: Reader, index: number, way: Way, of?: Answering): void {
  const { reading, asks } = program;
  const known = asks.asked.get(index);
  if (known === undefined)
    asks.asked.set(index, { way, of, weight: of === undefined ? light : weightOf(of.piece.characters, of.piece.keeps) });
  else if (known.way !== way || known.of !== of)
    refuse(reading.text, reading.start, `question ${index} behind another that has the same number`);
  if (of === undefined || of.ofRoles.keepers.length === 0) return;
  asks.isApart = true;
  keepApart(program, of.ofRoles, asks);
}

/**
 * Records the questions of a policy, given the functions that list its roles (if any) and evaluate its rows. They
 * must not overlap those of the previous policy.
 */
export function notePolicy({ reading: { text, start }, questions, weighed }: Reader, first: number, listing: Asks, matching: Asks): void {
  const least = questions.at(-1)?.end ?? 0;
  if (first < least) refuse(text, start, `a policy whose questions begin at ${first}, where those of another end at ${least}`);
  const asked: (AskedWhere | undefined)[] = [];
  const note = (index: number, where: AskedWhere, weights: Weight[], { weight }: Asked): void => {
    if (first + index >= mostQuestions) refuse(text, start, `question ${first + index}, and a unit may have ${mostQuestions} at most`);
    while (asked.length <= index) asked.push(undefined);
    asked[index] = where;
    if (weight !== light) noteWeight(weights, first + index, weight);
  };
  for (const [index, question] of listing.asked) note(index, "listed", weighed.conditions, question);
  for (const [index, question] of matching.asked) {
    const listed = listing.asked.get(index);
    // Without roles a condition may have another result, and the first result is cached; so the function must not
    // depend on roles.
    const isAlike = listed === undefined || (listed.way === question.way && listed.of === question.of && !listed.of?.ofRoles.isMade);
    if (!isAlike) refuse(text, start, `question ${index} of rows, which may have another answer while derived roles are listed`);
    if (question.way === "tells") note(index, "told", weighed.outputs, question);
    else note(index, question.way === "marks" ? "marked" : listed === undefined ? "matched" : "both", weighed.conditions, question);
  }
  for (const asks of [listing, matching]) {
    if (!asks.isApart) continue;
    if (asks.isTaken) refuse(text, start, "a second policy with a function that keeps what it makes of derived roles");
    asks.isTaken = true;
  }
  questions.push({ first, end: first + asked.length, asked });
}
