/** Diagnostics: one problem each in what an author wrote, with its code, place, message and hint. */
import { byUnits } from "../runtime/order.ts";
import type { Code } from "./messages.ts";
import type { Source, Span } from "./source.ts";

/** An error keeps a set from being used; a warning does not. */
export type Severity = "error" | "warning";

/** One problem, placed and explained. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** The place that is reported (line and column as the reference reports them, D50); absent for a problem of the whole set. */
  readonly span?: Span;
  /** The file at fault when there is no span. */
  readonly source?: Source;
  /** The narrower place that the source frame underlines, such as one name inside a CEL expression. */
  readonly focus?: Span;
  /** YAML path of the node: `$.resourcePolicy.rules[1].name`. */
  readonly path?: string;
  /** What is wrong: lower case, no full stop, the author's words in backticks. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Other places that matter: "first defined here". */
  readonly notes?: readonly Note[];
  /** Further problems of the same expression, each with what to do about it: one diagnostic holds them all, as the reference counts them. */
  readonly further?: readonly Note[];
}

/** A place, and what is said about it. */
export interface Note {
  readonly span: Span;
  readonly message: string;
}

/** Collects problems while a pass carries on. */
export type Report = (diagnostic: Diagnostic) => void;

/** The file a diagnostic is about. */
export const sourceOf = (diagnostic: Diagnostic): Source | undefined =>
  diagnostic.span?.source ?? diagnostic.source ?? diagnostic.focus?.source;

/** Is it one with which a set cannot be used? */
export const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** Orders two diagnostics by file, place and message. */
const byPlace = (left: Diagnostic, right: Diagnostic): number =>
  byUnits(pathOf(left), pathOf(right)) ||
  startOf(left) - startOf(right) ||
  byUnits(left.message, right.message) ||
  byUnits(left.code, right.code);

/** Sorts diagnostics by place, and keeps the first of those that say the same of the same place. */
export const inOrder = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.toSorted(byPlace).filter((diagnostic, index, sorted) => {
    const before = sorted[index - 1];
    return before === undefined || byPlace(before, diagnostic) !== 0;
  });

/** Replaces what is said of some files, by their paths, among diagnostics that are in order: cheaper than to sort all again. */
export function replaceInOrder(ordered: readonly Diagnostic[], paths: Iterable<string>, by: readonly Diagnostic[]): readonly Diagnostic[] {
  let all: Diagnostic[] | undefined;
  for (const path of paths) {
    const current = all ?? ordered;
    const from = placeWhere(current, (other) => byUnits(pathOf(other), path) < 0);
    const to = placeWhere(current, (other) => byUnits(pathOf(other), path) <= 0);
    if (to > from) (all ??= [...ordered]).splice(from, to - from);
  }
  for (const diagnostic of by) {
    all ??= [...ordered];
    const at = placeWhere(all, (other) => byPlace(other, diagnostic) <= 0);
    const before = all[at - 1];
    if (before === undefined || byPlace(before, diagnostic) !== 0) all.splice(at, 0, diagnostic);
  }
  return all ?? ordered;
}

/** Returns the place behind all that come before, of those that are in order. */
function placeWhere(ordered: readonly Diagnostic[], comesBefore: (diagnostic: Diagnostic) => boolean): number {
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
