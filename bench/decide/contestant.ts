/** Who answers the questions of `bench/decide.ts`, each prepared once in the way that is fastest for it. */
import type { Question } from "./leave-request.ts";

/** Somebody who decides. */
export interface Contestant {
  readonly name: string;
  /** Of the package; absent where it is none. */
  readonly version?: string;
  /** Loads policies for these kinds, and answers what makes a call of a question; the call is what is timed. */
  readonly prepare: (kinds: readonly string[]) => Promise<(question: Question) => () => boolean>;
}
