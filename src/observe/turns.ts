/** Lets the log and the audit log take turns at writing to the standard output and standard error that they share: a turn ends with a whole line. */

/** The turns at one descriptor. */
export interface Turns {
  /** Calls back when it is the caller's turn: at once, or when all before it have ended theirs. */
  readonly take: (begin: () => void) => void;
  /** Ends the turn; what was written ends with a line. */
  readonly end: () => void;
}

/** Nobody shares the descriptor. */
const alone: Turns = { take: (begin) => begin(), end: () => undefined };

function openTurns(): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    take: (begin) => {
      if (taken) return void waiting.push(begin);
      taken = true;
      begin();
    },
    end: () => {
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    },
  };
}

const standard = { 1: openTurns(), 2: openTurns() } as const;

/** Returns the turns at a descriptor of this process. */
export const turnsOf = (descriptor: number): Turns => (descriptor === 1 || descriptor === 2 ? standard[descriptor] : alone);
