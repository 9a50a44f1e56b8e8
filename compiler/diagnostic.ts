/** Diagnostics: each describes one problem in a source, with its code, position, message and hint. */
import { byUnits } from "../runtime/order.ts";
import type { Code } from "./messages.ts";
import type { Source, Span } from "./source.ts";

/** An error prevents a policy set from being used; a warning does not. */
export type Severity = "error" | "warning";

/** One problem. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /**
   * The reported span (its line and column are those of the reference implementation, D50). Absent for a problem of
   * the whole set.
   */
  readonly span?: Span;
  /** The file at fault if there is no span. */
  readonly source?: Source;
  /** The narrower span that the source frame underlines, such as one name inside a CEL expression. */
  readonly focus?: Span;
  /** YAML path of the node: `$.resourcePolicy.rules[1].name`. */
  readonly path?: string;
  /** What is wrong: lower case, no full stop, the author's words in backticks. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Other relevant spans: "first defined here". */
  readonly notes?: readonly Note[];
  /**
   * Further problems of the same expression, each with its hint. One diagnostic holds them all, because the reference
   * implementation counts them as one.
   */
  readonly further?: readonly Note[];
}

/** A span and a message about it. */
export interface Note {
  readonly span: Span;
  readonly message: string;
}

/** Receives a problem; the stage then carries on. */
export type Report = (diagnostic: Diagnostic) => void;

/** Returns the file that a diagnostic is about. */
export const sourceOf = (diagnostic: Diagnostic): Source | undefined =>
  diagnostic.span?.source ?? diagnostic.source ?? diagnostic.focus?.source;

/** Whether a diagnostic is an error. */
export const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** Compares two diagnostics by file, position and message. */
const byPlace = (left: Diagnostic, right: Diagnostic): number =>
  byUnits(pathOf(left), pathOf(right)) ||
  startOf(left) - startOf(right) ||
  byUnits(left.message, right.message) ||
  byUnits(left.code, right.code);

/** Sorts diagnostics by position and removes duplicates (same position, same message). */
export const inOrder = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.toSorted(byPlace).filter((diagnostic, index, sorted) => {
    const before = sorted[index - 1];
    return before === undefined || byPlace(before, diagnostic) !== 0;
  });

/** Replaces the diagnostics of some files, given by path, in a sorted list. This is cheaper than sorting again. */
export function replaceInOrder(ordered: readonly Diagnostic[], paths: Iterable<string>, by: readonly Diagnostic[]): readonly Diagnostic[] {
  let all: Diagnostic[] | undefined;
  for (const path of paths) {
    const current = all ?? ordered;
    const from = firstIndexAfter(current, (other) => byUnits(pathOf(other), path) < 0);
    const to = firstIndexAfter(current, (other) => byUnits(pathOf(other), path) <= 0);
    if (to > from) (all ??= [...ordered]).splice(from, to - from);
  }
  for (const diagnostic of by) {
    all ??= [...ordered];
    const at = firstIndexAfter(all, (other) => byPlace(other, diagnostic) <= 0);
    const before = all[at - 1];
    if (before === undefined || byPlace(before, diagnostic) !== 0) all.splice(at, 0, diagnostic);
  }
  return all ?? ordered;
}

/** Returns the index after the last diagnostic for which `comesBefore` holds, by binary search. */
function firstIndexAfter(ordered: readonly Diagnostic[], comesBefore: (diagnostic: Diagnostic) => boolean): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = ordered[middle];
    if (other !== undefined && comesBefore(other)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const pathOf = (diagnostic: Diagnostic): string => sourceOf(diagnostic)?.path ?? "";

const startOf = (diagnostic: Diagnostic): number => (diagnostic.span ?? diagnostic.focus)?.start ?? -1;
