/** Posts the outcomes of a store in order. Errors that may pass are held back for a moment, and repeated errors are only counted. */
import { openGracePeriod } from "./grace-period.ts";
import type { BrokenOutcome, Outcome } from "../compile/outcome.ts";

/** The receiver, and what was posted before. */
export interface OutcomePosterOptions {
  readonly post: (outcome: Outcome) => void;
  /** How long a broken set may follow a good one before it is reported: files are often written in several steps. */
  readonly graceMilliseconds: number;
  readonly last: Outcome["kind"] | undefined;
  readonly lastFailure: string | undefined;
}

/** Posts outcomes. */
export interface OutcomePoster {
  /** The kind that was posted last, or is held back. */
  readonly last: () => Outcome["kind"] | undefined;
  /** Posts an outcome; an error that was held back is dropped. */
  readonly post: (outcome: Outcome) => void;
  /** Posts that the store cannot be read; a repetition is marked as one, so that it is not logged again. */
  readonly postUnreachable: (message: string) => void;
  /** Posts a remark. */
  readonly postRemark: (message: string) => void;
  /** Holds back that a set is broken; it is posted if it persists. */
  readonly hold: (broken: BrokenOutcome) => void;
  readonly isHolding: () => boolean;
  /** Ends posting. */
  readonly close: () => void;
}

/** Opens it. */
export function openOutcomePoster({ post, graceMilliseconds, ...before }: OutcomePosterOptions): OutcomePoster {
  let { last, lastFailure } = before;
  let closed = false;
  const send = (outcome: Outcome): void => {
    if (!closed) post(outcome);
  };
  const held = openGracePeriod<BrokenOutcome>(graceMilliseconds, send);
  const postOutcome = (outcome: Outcome): void => {
    const earlier = held.take();
    if (earlier !== undefined) send(outcome.kind === "unreachable" ? earlier : { ...earlier, passed: true });
    last = outcome.kind;
    send(outcome);
  };
  return {
    last: () => last,
    post: postOutcome,
    postUnreachable: (message) => {
      postOutcome({ kind: "unreachable", message, ...(last === "unreachable" && message === lastFailure && { again: true }) });
      lastFailure = message;
    },
    postRemark: (message) => send({ kind: "remark", message }),
    hold: (broken) => {
      last = "broken";
      const earlier = held.hold(broken);
      if (earlier !== undefined) send({ ...earlier, passed: true });
    },
    isHolding: () => !held.isEmpty(),
    close: () => {
      closed = true;
      held.take();
    },
  };
}
