/** Renders a view for a terminal. */
import type { Styles } from "../../repl/styles.ts";
import { cellOf, decisionColumns, type DecisionRow } from "./decision-rows.ts";
import { linesOf, shownRows, type View } from "./decision-view.ts";
import { printable } from "./printable.ts";

/** The size of a screen in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Returns how many lines are left for rows, between the headings and the footer. */
export const pageOf = ({ rows }: Size): number => Math.max(1, rows - 2);

/** The greatest width of a column, so that one long value does not hide the others. */
const maxColumnWidth = 32;

/** Renders the whole screen: its lines, from the top. */
export function draw(view: View, size: Size, styles: Styles): readonly string[] {
  const page = pageOf(size);
  const body = view.open === undefined ? drawList(view, page, size, styles) : drawEntry(view, view.open, page, size, styles);
  return [...body, ...Array.from({ length: page + 1 - body.length }, () => ""), fit(footer(view), size)];
}

function drawList(view: View, page: number, size: Size, styles: Styles): readonly string[] {
  const shown = shownRows(view)
    .slice(view.top, view.top + page)
    .map(cellsOf);
  const headings = columns.map(([name]) => name);
  const widths = headings.map((heading, at) =>
    Math.min(
      maxColumnWidth,
      shown.reduce((most, row) => Math.max(most, lengthOf(row[at] ?? "")), heading.length),
    ),
  );
  const lineOf = (cells: readonly string[]): string =>
    fit(cells.map((cell, at) => padded(truncate(cell, widths[at] ?? 0), widths[at] ?? 0)).join("  "), size);
  return [
    styles.bold(lineOf(headings)),
    ...shown.map((cells, at) => {
      const text = lineOf(cells);
      if (view.top + at === view.at) return `\u001B[7m${padded(text, size.columns)}\u001B[27m`;
      return cells[effectAt] === "DENY" ? styles.error(text) : text;
    }),
    ...(shown.length === 0 ? [view.filter === "" ? "No decisions." : "No decision matches."] : []),
  ];
}

/** The columns of the list. Call ids are long, and are shown only in an open entry. */
const columns = decisionColumns.filter(([, column]) => column !== "callId");
const effectAt = columns.findIndex(([, column]) => column === "effect");

function cellsOf(row: DecisionRow): readonly string[] {
  return columns.map(([, column]) =>
    column === "time" ? row.time.slice(0, "2026-11-20T08:00:00".length).replace("T", " ") : printable(cellOf(row, column)),
  );
}

function drawEntry(view: View, open: DecisionRow, page: number, size: Size, styles: Styles): readonly string[] {
  const lines = linesOf(view).slice(view.top, view.top + page);
  return [styles.bold(fit(printable(`${open.entry.callId}  ${open.time}`), size)), ...lines.map((line) => fit(printable(line), size))];
}

function footer(view: View): string {
  if (view.isTyping) return printable(`/${view.filter}\u2588`);
  if (view.problem !== "") return printable(view.problem);
  if (view.open !== undefined) return "q back   arrows scroll";
  const [all, shown] = [view.rows.length, shownRows(view).length];
  const found =
    view.filter === "" ? `${all} decisions` : printable(`${shown} of ${all} decisions match \`${view.filter}\` (Esc shows all)`);
  return `${found}   Enter opens   / filters   r fetches   q leaves`;
}

const lengthOf = (text: string): number => [...text].length;
const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - lengthOf(text)));
const truncate = (text: string, width: number): string =>
  lengthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join("")}\u2026`;
const fit = (text: string, { columns }: Size): string => truncate(text, columns);
