/** Where the administrator sits: what is typed, or piped in, and how large the screen is. */
import type { Readable } from "node:stream";
import type { Keyboard } from "../hidden-line.ts";

/** What is typed at a terminal, or comes through a pipe. */
export type TypedInput = Readable & Partial<Keyboard>;

/** The two ends of a terminal, as far as a command needs them beside its output. */
export interface Seat {
  readonly input: TypedInput;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls back whenever the size changes, until the returned function is called. */
  readonly onResize: (changed: () => void) => () => void;
}

/** The seat of this process. */
export const ourSeat: Seat = {
  input: process.stdin,
  size: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }),
  onResize: (changed) => {
    process.stdout.on("resize", changed);
    return () => process.stdout.off("resize", changed);
  },
};

/** Says whether somebody types. */
export const isKeyboard = (input: TypedInput): input is Readable & Keyboard => input.isTTY === true && input.setRawMode !== undefined;
