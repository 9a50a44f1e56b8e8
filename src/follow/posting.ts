/** What is told of a store, in its order: trouble that may pass is kept back for a moment, and trouble that goes on is only counted. */
import { openHolding } from "./holding.ts";
import type { Broken, Outcome } from "../compile/outcome.ts";

/** Who is told, and what has been told before. */
export interface PostingOptions {
  readonly post: (outcome: Outcome) => void;
  /** How long a set that was good and is broken may stay so before that is told: files are seldom written at once. */
  readonly graceMilliseconds: number;
  readonly last: Outcome["kind"] | undefined;
  readonly lastFailure: string | undefined;
}

/** The way out. */
export interface Posting {
  /** What was told last, or is kept back. */
  readonly last: () => Outcome["kind"] | undefined;
  /** Tells what has come of the store; what was kept back has passed. */
  readonly tell: (outcome: Outcome) => void;
  /** Tells that it cannot be read: the first time with words for the log. */
  readonly tellUnreachable: (message: string) => void;
  /** Tells something beside. */
  readonly remark: (message: string) => void;
  /** Keeps back that a set is broken: it is told when it has lasted. */
  readonly hold: (broken: Broken) => void;
  readonly isHolding: () => boolean;
  /** Nothing is told any more. */
  readonly close: () => void;
}

/** Opens it. */
export function openPosting({ post, graceMilliseconds, ...before }: PostingOptions): Posting {
  let { last, lastFailure } = before;
  let closed = false;
  const say = (outcome: Outcome): void => {
    if (!closed) post(outcome);
  };
  const passing = openHolding<Broken>(graceMilliseconds, say);
  const tell = (outcome: Outcome): void => {
    const held = passing.take();
    if (held !== undefined) say(outcome.kind === "unreachable" ? held : { ...held, passed: true });
    last = outcome.kind;
    say(outcome);
  };
  return {
    last: () => last,
    tell,
    tellUnreachable: (message) => {
      tell({ kind: "unreachable", message, ...(last === "unreachable" && message === lastFailure && { again: true }) });
      lastFailure = message;
    },
    remark: (message) => say({ kind: "remark", message }),
    hold: (broken) => {
      last = "broken";
      const held = passing.hold(broken);
      if (held !== undefined) say({ ...held, passed: true });
    },
    isHolding: () => !passing.isEmpty(),
    close: () => {
      closed = true;
      passing.take();
    },
  };
}
