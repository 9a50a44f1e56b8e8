/** Records an evaluation as it happens, within bounds: of a long loop only few turns are kept. */
import type { Expression } from "../ast.ts";
import { EvalError, invariant } from "../error.ts";
import type { Value } from "../value.ts";
import type { Recorder } from "./scope.ts";

/** What one sub-expression came to, and what was evaluated for it. */
export interface Trace {
  readonly tree: Expression;
  readonly outcome: Value | EvalError;
  /** In the order of evaluation; what was not evaluated is not there. */
  readonly parts: readonly Trace[];
  /** Of what a loop evaluates in its turns: the position, or the map's key. */
  readonly turn?: Value;
  /** Parts that are not kept: a loop keeps its first turns, the first that failed, and the last. */
  readonly leftOut: number;
}

/** Turns that are kept from the beginning of a loop. */
const firstTurns = 3;
/** Sub-expressions that are kept of one evaluation. */
const mostTraces = 5000;

const none: readonly never[] = [];

/** A sub-expression that is being evaluated. */
interface Draft {
  readonly tree: Expression;
  readonly around: Draft | undefined;
  /** Made with the first part: most have none. */
  parts: Trace[] | undefined;
  /** How many traces each part is, with all that is inside of it. */
  sizes: number[] | undefined;
  leftOut: number;
  /** Of a loop: the turn that is under way, and where its parts begin. */
  key: Value | undefined;
  turnAt: number;
  turns: number;
  hasFailed: boolean;
}

/** Starts writing down. */
export function openRecording(): { readonly recorder: Recorder; readonly root: () => Trace | undefined } {
  let current: Draft | undefined;
  let root: Trace | undefined;
  let kept = 0;

  const dropTurn = (loop: Draft): void => {
    for (const size of loop.sizes?.splice(loop.turnAt) ?? []) kept -= size;
    loop.leftOut += loop.parts?.splice(loop.turnAt).length ?? 0;
  };

  const recorder: Recorder = {
    enter(tree) {
      kept += 1;
      current = {
        tree,
        around: current,
        parts: undefined,
        sizes: undefined,
        leftOut: 0,
        key: undefined,
        turnAt: 0,
        turns: 0,
        hasFailed: false,
      };
    },
    leave(outcome) {
      invariant(current !== undefined, "what is left was entered");
      const { tree, around, parts = none, sizes = none, leftOut } = current;
      const turn = around?.key;
      const made: Trace = turn === undefined ? { tree, outcome, parts, leftOut } : { tree, outcome, parts, turn, leftOut };
      current = around;
      if (around === undefined) {
        root = made;
        return;
      }
      let size = 1;
      for (const each of sizes) size += each;
      if (kept > mostTraces) {
        kept -= size;
        around.leftOut += 1;
        return;
      }
      (around.parts ??= []).push(made);
      (around.sizes ??= []).push(size);
    },
    turn(key) {
      invariant(current !== undefined, "a turn is one of a loop that was entered");
      if (current.turns > 0 && !keepsTurn(current)) dropTurn(current);
      current.turns += 1;
      current.turnAt = current.parts?.length ?? 0;
      current.key = key;
    },
  };
  return { recorder, root: () => root };
}

/** Says whether the turn that has just ended is kept though another follows. */
function keepsTurn(loop: Draft): boolean {
  if (loop.turns <= firstTurns) return true;
  if (loop.hasFailed) return false;
  loop.hasFailed = loop.parts?.slice(loop.turnAt).some(({ outcome }) => outcome instanceof EvalError) ?? false;
  return loop.hasFailed;
}
