/** Records an evaluation within bounds: of a long loop only a few iterations are kept. */
import type { Expression } from "../ast.ts";
import { EvalError, invariant } from "../error.ts";
import type { Value } from "../value.ts";
import type { Recorder } from "./scope.ts";

/** The outcome of one sub-expression, and what was evaluated for it. */
export interface Trace {
  readonly tree: Expression;
  readonly outcome: Value | EvalError;
  /** In the order of evaluation; without the parts that were not evaluated. */
  readonly parts: readonly Trace[];
  /** For parts evaluated in a loop: the list index or map key. */
  readonly iteration?: Value;
  /** Number of parts not kept. A loop keeps its first iterations, the first that failed, and the last. */
  readonly leftOut: number;
}

/** Iterations kept from the beginning of a loop. */
const firstIterations = 3;
/** Most sub-expressions kept of one evaluation. */
const maxTraces = 5000;

const none: readonly never[] = [];

/** A sub-expression under evaluation. */
interface Draft {
  readonly tree: Expression;
  /** The enclosing sub-expression. */
  readonly around: Draft | undefined;
  /** Created with the first part; most have none. */
  parts: Trace[] | undefined;
  /** Number of traces within each part, itself included. */
  sizes: number[] | undefined;
  leftOut: number;
  /** For a loop: the current key, and the index where its parts begin. */
  key: Value | undefined;
  turnAt: number;
  iterations: number;
  hasFailed: boolean;
}

/** Starts a recording. Pass `recorder` to `evaluate`, then call `root` for the trace. */
export function openRecording(): { readonly recorder: Recorder; readonly root: () => Trace | undefined } {
  let current: Draft | undefined;
  let root: Trace | undefined;
  let kept = 0;

  const dropIteration = (loop: Draft): void => {
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
        iterations: 0,
        hasFailed: false,
      };
    },
    leave(outcome) {
      invariant(current !== undefined, "what is left was entered");
      const { tree, around, parts = none, sizes = none, leftOut } = current;
      const iteration = around?.key;
      const made: Trace = iteration === undefined ? { tree, outcome, parts, leftOut } : { tree, outcome, parts, iteration, leftOut };
      current = around;
      if (around === undefined) {
        root = made;
        return;
      }
      let size = 1;
      for (const each of sizes) size += each;
      if (kept > maxTraces) {
        kept -= size;
        around.leftOut += 1;
        return;
      }
      (around.parts ??= []).push(made);
      (around.sizes ??= []).push(size);
    },
    iteration(key) {
      invariant(current !== undefined, "an iteration is one of a loop that was entered");
      if (current.iterations > 0 && !keepsIteration(current)) dropIteration(current);
      current.iterations += 1;
      current.turnAt = current.parts?.length ?? 0;
      current.key = key;
    },
  };
  return { recorder, root: () => root };
}

/** Whether the iteration that has just ended is kept, although another follows. */
function keepsIteration(loop: Draft): boolean {
  if (loop.iterations <= firstIterations) return true;
  if (loop.hasFailed) return false;
  loop.hasFailed = loop.parts?.slice(loop.turnAt).some(({ outcome }) => outcome instanceof EvalError) ?? false;
  return loop.hasFailed;
}
