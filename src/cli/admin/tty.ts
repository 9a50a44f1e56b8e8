/** The terminal of the administrator: its input and its size. */
import type { Readable } from "node:stream";
import type { TtyInput } from "../read-without-echo.ts";

/** Input from a terminal, or a pipe. */
export type StandardInput = Readable & Partial<TtyInput>;

/** What commands need of a terminal besides its output. */
export interface Tty {
  readonly input: StandardInput;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls back whenever the size changes; returns a function that stops it. */
  readonly onResize: (changed: () => void) => () => void;
}

/** The terminal of this process. */
export const processTty: Tty = {
  input: process.stdin,
  size: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }),
  onResize: (changed) => {
    process.stdout.on("resize", changed);
    return () => process.stdout.off("resize", changed);
  },
};

/** Returns whether the input is a terminal. */
export const isTty = (input: StandardInput): input is Readable & TtyInput => input.isTTY === true && input.setRawMode !== undefined;
