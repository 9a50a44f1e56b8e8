/** Runs the decision viewer at a terminal until the administrator quits. */
import type { Readable } from "node:stream";
import { emitKeypressEvents } from "node:readline";
import { noStyles, terminalStyles } from "../../repl/styles.ts";
import type { TtyInput } from "../read-without-echo.ts";
import { draw, pageOf, type Size } from "./decision-screen.ts";
import { initialView, handleKey, scrollToCursor, withRows, type Key, type View } from "./decision-view.ts";
import type { DecisionRow } from "./decision-rows.ts";

/** What is shown. */
export interface ViewerOptions {
  readonly rows: readonly DecisionRow[];
  /** Fetches the rows again; resolves to an error message when that fails. */
  readonly fetch: () => Promise<readonly DecisionRow[] | string>;
  /** The refresh interval in milliseconds; undefined: only on request. */
  readonly every: number | undefined;
}

/** The terminal. */
export interface ViewerTerminal {
  readonly input: Readable & TtyInput;
  readonly out: (text: string) => void;
  readonly size: () => Size;
  readonly onResize: (changed: () => void) => () => void;
  readonly hasColours: boolean;
}

// Switches to the alternate screen, so that the previous contents come back afterwards; hides the cursor; disables line wrapping.
const enterScreen = "\u001B[?1049h\u001B[?25l\u001B[?7l";
const leaveScreen = "\u001B[?7h\u001B[?25h\u001B[?1049l";

/** Runs the viewer; resolves when the administrator quits. */
export function runViewer(
  { rows, fetch, every }: ViewerOptions,
  { input, out, size, onResize, hasColours }: ViewerTerminal,
): Promise<void> {
  const styles = hasColours ? terminalStyles : noStyles;
  let view: View = initialView(rows);
  let isFetching = false;
  const show = (next: View): void => {
    view = scrollToCursor(next, pageOf(size()));
    const lines = draw(view, size(), styles);
    out(`\u001B[H${lines.map((line) => `${line}\u001B[K`).join("\r\n")}\u001B[J`);
  };
  const refresh = async (): Promise<void> => {
    if (isFetching) return;
    isFetching = true;
    const fetched = await fetch();
    isFetching = false;
    if (!isOver) show(typeof fetched === "string" ? { ...view, problem: fetched } : withRows(view, fetched));
  };
  let isOver = false;
  const timer = every === undefined ? undefined : setInterval(() => void refresh(), every);
  return new Promise((resolve) => {
    const stopResize = onResize(() => show(view));
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      stopResize();
      input.off("keypress", take);
      input.off("end", leave);
      input.setRawMode(false);
      input.pause();
      out(leaveScreen);
      resolve();
    };
    const take = (text: string | undefined, event: KeyEvent): void => {
      const [next, command] = handleKey(view, keyOf(text, event), pageOf(size()));
      if (command === "leave") return leave();
      if (command === "fetch") void refresh();
      show(next);
    };
    emitKeypressEvents(input);
    input.setRawMode(true);
    input.on("keypress", take);
    input.on("end", leave);
    out(enterScreen);
    show(view);
    input.resume();
  });
}

/** A key as readline describes it. */
interface KeyEvent {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

function keyOf(text: string | undefined, { name, ctrl = false, meta = false }: KeyEvent): Key {
  if (ctrl) return { name: name === "c" || name === "d" ? "interrupt" : "", text: "" };
  const written = text !== undefined && !meta && !/\p{Cc}/u.test(text) ? text : "";
  // Key names are in lower case, whatever was typed.
  const called = name === "enter" ? "return" : written.length === 1 && written !== " " ? written : (name ?? written);
  return { name: called, text: written };
}
