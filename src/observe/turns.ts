/** Coordinates the log and the audit log where they share standard output or standard error: a turn ends with a complete line. */

/** The turns at one descriptor. */
export interface Turns {
  /** Calls back when it is the caller's turn: at once, or after all earlier ones. */
  readonly take: (begin: () => void) => void;
  /** Ends the turn; the output must end with a complete line. */
  readonly end: () => void;
}

/** For a descriptor that is not shared. */
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

/** Returns the turns at a descriptor. */
export const turnsOf = (descriptor: number): Turns => (descriptor === 1 || descriptor === 2 ? standard[descriptor] : alone);
