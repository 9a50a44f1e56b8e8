/** The iterations of a macro's loop. One scope is created for all; its variables change. */
import type { Loop } from "../ast.ts";
import { type EvalError, evalError } from "../error.ts";
import { isList, type MapValue } from "../kind.ts";
import { mapEntries, mapKeys } from "../map.ts";
import { stepLimit } from "../step-limit.ts";
import type { Value } from "../value.ts";
import { workStep } from "../work.ts";
import { placed } from "./place.ts";
import { exhausted, type Name, type Scope, withName } from "./scope.ts";

/** The error of exceeding the step limit (D46). */
export const tooManySteps = (): EvalError => evalError("too many steps", `more than ${stepLimit()}`);

/** A loop being evaluated. */
export interface LoopState {
  /** The scope of the loop body. */
  readonly inside: Scope;
  /** Advances to the next iteration; false after the last one, or when the step limit is exceeded. */
  readonly next: () => boolean;
  /** List index or map key of the current iteration. */
  readonly key: () => Value;
  /** Element or map value; with one variable over a map, the key. */
  readonly item: () => Value;
  /** The error that ended the loop early, if any. */
  readonly failure: () => EvalError | undefined;
}

/** Starts a loop. Every iteration costs one step (D46). */
export function openLoop(tree: Loop, range: readonly Value[] | MapValue, scope: Scope): LoopState {
  const [first, second] = tree.variables;
  const { keys, items } = contentsOf(range, second !== undefined);
  const outer: Name = { name: first, value: undefined, lazy: undefined, ofLoop: second === undefined, next: scope.names };
  const inner: Name = second === undefined ? outer : { name: second, value: undefined, lazy: undefined, ofLoop: true, next: outer };
  const { run } = scope;
  let at = -1;
  let failure: EvalError | undefined;
  const key = (): Value => (keys === undefined ? BigInt(at) : (keys[at] ?? null));
  const item = (): Value => items[at] ?? null;
  return {
    inside: withName(scope, inner),
    next() {
      at += 1;
      if (at >= items.length) return false;
      run.steps.taken += 1;
      workStep();
      if (exhausted(run.steps)) {
        failure = placed(tooManySteps(), tree);
        run.exhaustedBy ??= failure;
        return false;
      }
      if (second !== undefined) outer.value = key();
      inner.value = item();
      run.recorder?.iteration(key());
      return true;
    },
    key,
    item,
    failure: () => failure,
  };
}

/** Returns the keys (undefined for a list, whose keys are its indexes) and the values of the last variable. */
function contentsOf(
  range: readonly Value[] | MapValue,
  two: boolean,
): { readonly keys: readonly Value[] | undefined; readonly items: readonly Value[] } {
  if (isList(range)) return { keys: undefined, items: range };
  const keys: Value[] = [];
  const values: Value[] = [];
  if (!two) {
    const only = mapKeys(range);
    return { keys: only, items: only };
  }
  for (const [key, value] of mapEntries(range)) {
    keys.push(key);
    values.push(value);
  }
  return { keys, items: values };
}
