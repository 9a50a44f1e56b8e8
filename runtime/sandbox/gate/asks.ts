/** Checks the question numbers in a program: each number is asked by one function and in one way, and belongs to one policy. */
import { light, type Weight, weightOf } from "../../cel/weight.ts";
import { mostQuestions } from "./bounds.ts";
import { keepApart, type OfRoles } from "./of-roles.ts";
import { refuse } from "./refusal.ts";
import { noteWeight, type Piece, type Weighed } from "./weighed.ts";

/** How a question is asked: for whether it holds, as the mark of a row, or for what it tells. */
type Way = "holds" | "marks" | "tells";

/** A function that is asked; each is an object of its own. */
interface Answering {
  readonly piece: Piece;
  readonly ofRoles: OfRoles;
}

/** What is asked under one number. */
interface Asked {
  readonly way: Way;
  /** The function that is asked; a mark has none. */
  readonly of: Answering | undefined;
  readonly weight: Weight;
}

/** What one function asks, that lists the derived roles of a policy or answers for its rows: numbers count from the policy's first question. */
export interface Asks {
  readonly asked: Map<number, Asked>;
  /** It keeps something that was made of derived roles, so that one policy alone may have it. */
  isApart: boolean;
  /** A policy has it. */
  isTaken: boolean;
}

/** Opens what a function asks. */
export const openAsks = (): Asks => ({ asked: new Map(), isApart: false, isTaken: false });

/** What is asked by what asks nothing. */
export const noAsks: Asks = Object.freeze(openAsks());

/** Where a question is asked: while derived roles are listed, while rows are matched, in both; a mark of rows; what rows tell. */
export type AskedWhere = "listed" | "matched" | "both" | "marked" | "told";

/** Which questions of its unit a policy asks: those from `first` on, before `end`. */
export interface PolicyQuestions {
  readonly first: number;
  readonly end: number;
  /** Where each of them is asked, from the first on; nothing for one that nobody asks. */
  readonly asked: readonly (AskedWhere | undefined)[];
}

interface Reader {
  readonly reading: { readonly text: string; readonly start: number };
  readonly asks: Asks;
  readonly questions: PolicyQuestions[];
  readonly ofRoles: OfRoles;
  readonly weighed: Weighed;
}

/** Notes that the function that is being read asks something under a number. */
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

/** Notes which questions a policy asks, given what lists its roles, if it has any, and what answers for its rows. They begin where those of the policy before end, at the earliest. */
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
    // While roles are listed there are none, and what was found out then is the answer ever after.
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
