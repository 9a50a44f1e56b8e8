/** What a store held when, and therefore which answers may be given when. */

/** What a store came to hold. */
interface Moment {
  /** What the set answers; undefined when it must not come into force. */
  readonly answer: string | undefined;
  /** A server that looks must find it from `until` on; it may find it from `from` on. */
  readonly from: number;
  until: number;
  /** Must a server take it in? Not when it is broken, or nobody can read the store. */
  readonly isDue: boolean;
  /** Does it answer otherwise than the last good one before? */
  readonly isNew: boolean;
  /** Who has answered with it. */
  readonly seenBy: Set<string>;
}

/** What is wrong with a reply. */
export type Fault = { readonly kind: "stale"; readonly milliseconds: number } | { readonly kind: "mixed" } | { readonly kind: "unknown" };

/** The history of one store. */
export interface Timeline {
  /** Says that the store is about to hold something else; the returned function says that it does. */
  readonly begin: (moment: { readonly answer: string; readonly isReadable: boolean }) => () => void;
  /** Judges an answer by when it was asked for and when it came. */
  readonly judge: (answer: string, asked: number, came: number, who: string) => Fault | undefined;
  /** Milliseconds from a commit to the first reply that knows it, for each server. */
  readonly delays: readonly number[];
  /** The answer that everybody must give, and since when; undefined while the store is broken or unreadable. */
  readonly due: () => { readonly answer: string; readonly since: number } | undefined;
}

/** Moments that nobody may answer from any more are forgotten beyond this many. */
const maxMoments = 5000;

/** Opens a history; a set may be in force for so long after another one could have been. */
export function openTimeline(graceMilliseconds: number): Timeline {
  let moments: Moment[] = [];
  const delays: number[] = [];
  /** When somebody answered first. */
  const known = new Map<string, number>();

  /** When a moment may no longer be answered from: after a stretch in which only newer ones were there and could be read. */
  const expiryOf = (index: number): number => {
    let since: number | undefined;
    for (const moment of moments.slice(index + 1)) {
      if (moment.isDue) since ??= moment.until;
      else {
        if (since !== undefined && moment.from - since >= graceMilliseconds) return since + graceMilliseconds;
        since = undefined;
      }
    }
    return since === undefined ? Infinity : since + graceMilliseconds;
  };
  const isMix = (answer: string): boolean => {
    const known = new Set(moments.flatMap((moment) => moment.answer?.split(" ") ?? []));
    return answer.split(" ").every((part) => known.has(part));
  };

  return {
    begin: ({ answer, isReadable }) => {
      const isGood = answer !== "broken";
      const moment: Moment = {
        answer: isGood ? answer : undefined,
        from: performance.now(),
        until: Infinity,
        isDue: isGood && isReadable,
        isNew: moments.findLast((before) => before.answer !== undefined)?.answer !== answer,
        seenBy: new Set(),
      };
      moments = [...moments.slice(-maxMoments), moment];
      return () => void (moment.until = performance.now());
    },
    judge: (answer, asked, came, who) => {
      const index = moments.findLastIndex((moment) => moment.answer === answer && moment.from <= came);
      const moment = moments[index];
      if (moment === undefined) return { kind: isMix(answer) ? "mixed" : "unknown" };
      const expiry = expiryOf(index);
      if (asked > expiry) return { kind: "stale", milliseconds: asked - expiry + graceMilliseconds };
      const wasThere = (known.get(who) ?? Infinity) < moment.until;
      if (wasThere && moment.isNew && moment.isDue && !moment.seenBy.has(who)) delays.push(Math.max(0, came - moment.until));
      if (!known.has(who)) known.set(who, came);
      moment.seenBy.add(who);
      return undefined;
    },
    delays,
    due: () => {
      const last = moments.at(-1);
      return last?.isDue === true && last.answer !== undefined ? { answer: last.answer, since: last.until } : undefined;
    },
  };
}
