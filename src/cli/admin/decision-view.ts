/** The state of the decision viewer, and the transitions by key presses. */
import { jsonLine } from "./print-values.ts";
import { cellOf, decisionColumns, type DecisionRow } from "./decision-rows.ts";

/** The state of the viewer. */
export interface View {
  readonly rows: readonly DecisionRow[];
  readonly filter: string;
  /** Whether the filter is being typed. */
  readonly isTyping: boolean;
  /** The index of the cursor among the filtered rows. */
  readonly at: number;
  /** The index of the first visible row among the filtered rows, or of the first visible line of an open entry. */
  readonly top: number;
  /** The row whose entry is open. */
  readonly open: DecisionRow | undefined;
  /** The last error; "" when there is none. */
  readonly problem: string;
}

/** An effect that a key requests besides a new view. */
export type ViewerCommand = "leave" | "fetch" | undefined;

/** A key: its name if it has one, else the character. */
export interface Key {
  readonly name: string;
  /** The character that it types; "" when none. */
  readonly text: string;
}

/** Returns the initial view. */
export const initialView = (rows: readonly DecisionRow[]): View => ({
  rows,
  filter: "",
  isTyping: false,
  at: 0,
  top: 0,
  open: undefined,
  problem: "",
});

// A cache by row: rows never change, and every key press filters again.
const searchTexts = new WeakMap<DecisionRow, string>();

function searchTextOf(row: DecisionRow): string {
  const known =
    searchTexts.get(row) ??
    `${decisionColumns.map(([, column]) => cellOf(row, column)).join(" ")} ${jsonLine(row.entry.json)}`.toLowerCase();
  searchTexts.set(row, known);
  return known;
}

/** Returns the rows that match the filter: every word occurs in a column or in the entry's JSON. */
export function shownRows({ rows, filter }: View): readonly DecisionRow[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length === 0 ? rows : rows.filter((row) => words.every((word) => searchTextOf(row).includes(word)));
}

/** Replaces the rows; the cursor stays on the same decision. */
export function withRows(view: View, rows: readonly DecisionRow[]): View {
  const current = shownRows(view)[view.at];
  const next = { ...view, rows, problem: "" };
  const at = current === undefined ? 0 : shownRows(next).findIndex(({ id }) => id === current.id);
  // At the top, stay at the top, so that new rows become visible.
  return clampCursor(view.at === 0 || at === -1 ? next : { ...next, at, top: Math.max(0, next.top + at - view.at) });
}

/** Returns the next view after a key press; `page` is the number of visible rows. */
export function handleKey(view: View, key: Key, page: number): readonly [View, ViewerCommand] {
  if (key.name === "interrupt") return [view, "leave"];
  if (view.isTyping) return [handleKeyInFilter(view, key), undefined];
  if (view.open !== undefined) return handleKeyInEntry(view, key, page);
  const last = shownRows(view).length - 1;
  switch (key.name) {
    case "q":
      return [view, "leave"];
    case "escape":
      return view.filter === "" ? [view, "leave"] : [clampCursor({ ...view, filter: "", at: 0, top: 0 }), undefined];
    case "r":
      return [view, "fetch"];
    case "/":
      return [{ ...view, isTyping: true }, undefined];
    case "return": {
      const open = shownRows(view)[view.at];
      return [open === undefined ? view : { ...view, open, top: 0 }, undefined];
    }
    default:
      return [scrollToCursor({ ...view, at: moveCursor(view.at, key, page, last) }, page), undefined];
  }
}

function handleKeyInEntry(view: View, key: Key, page: number): readonly [View, ViewerCommand] {
  if (["q", "escape", "return", "backspace", "left", "h"].includes(key.name))
    return [scrollToCursor({ ...view, open: undefined, top: 0 }, page), undefined];
  const last = Math.max(0, linesOf(view).length - page);
  return [{ ...view, top: moveCursor(view.top, key, page, last) }, undefined];
}

function handleKeyInFilter(view: View, key: Key): View {
  const filtered = (filter: string): View => clampCursor({ ...view, filter, at: 0, top: 0 });
  switch (key.name) {
    case "return":
      return { ...view, isTyping: false };
    case "escape":
      return { ...filtered(""), isTyping: false };
    case "backspace":
      return view.filter === "" ? { ...view, isTyping: false } : filtered([...view.filter].slice(0, -1).join(""));
    default:
      return filtered(view.filter + key.text);
  }
}

function moveCursor(from: number, { name }: Key, page: number, last: number): number {
  const steps: { readonly [key: string]: number } = { up: -1, k: -1, down: 1, j: 1, pageup: -page, b: -page, pagedown: page, space: page };
  const to =
    name === "home" || name === "g"
      ? 0
      : name === "end" || name === "G"
        ? last
        : from + (Object.hasOwn(steps, name) ? (steps[name] ?? 0) : 0);
  return Math.max(0, Math.min(to, last));
}

const clampCursor = (view: View): View => {
  const at = Math.max(0, Math.min(view.at, shownRows(view).length - 1));
  return { ...view, at, ...(view.open === undefined && { top: Math.min(view.top, at) }) };
};

/** Scrolls so that the cursor is visible. */
export function scrollToCursor(view: View, page: number): View {
  if (view.open !== undefined) return view;
  return { ...view, top: Math.max(Math.min(view.top, view.at), view.at - page + 1, 0) };
}

/** Returns the lines of the open entry. */
export const linesOf = ({ open }: View): readonly string[] =>
  open === undefined ? [] : JSON.stringify(open.entry.json, undefined, 2).split("\n");
