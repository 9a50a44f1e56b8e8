/** Posts the outcomes of a store in order. Errors that may pass are held back for a moment, and repeated errors are only counted. */
import { openHolding } from "./holding.ts";
import type { Broken, Outcome } from "../compile/outcome.ts";

/** The receiver, and what was posted before. */
export interface PostingOptions {
  readonly post: (outcome: Outcome) => void;
  /** How long a broken set may follow a good one before it is reported: files are often written in several steps. */
  readonly graceMilliseconds: number;
  readonly last: Outcome["kind"] | undefined;
  readonly lastFailure: string | undefined;
}

/** Posts outcomes. */
export interface Posting {
  /** The kind that was posted last, or is held back. */
  readonly last: () => Outcome["kind"] | undefined;
  /** Posts an outcome; an error that was held back is dropped. */
  readonly tell: (outcome: Outcome) => void;
  /** Posts that the store cannot be read; a repetition is marked as one, so that it is not logged again. */
  readonly tellUnreachable: (message: string) => void;
  /** Posts a remark. */
  readonly remark: (message: string) => void;
  /** Holds back that a set is broken; it is posted if it persists. */
  readonly hold: (broken: Broken) => void;
  readonly isHolding: () => boolean;
  /** Ends posting. */
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
