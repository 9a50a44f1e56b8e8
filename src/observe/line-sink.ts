/**
 * Writes lines to a file descriptor without blocking. Lines that the reader has no room for are buffered up to a limit, and dropped
 * beyond it.
 */
import { write } from "node:fs";
import { codeOf } from "../refusal.ts";
import { turnsOf } from "./turns.ts";

/** A destination of lines. */
export interface LineSink {
  /** Writes one or several lines, each with its line feed. */
  readonly write: (lines: string) => void;
  /** Resolves when all lines are written, or after the given number of milliseconds. */
  readonly flush: (milliseconds: number) => Promise<void>;
}

/** The limits, and the callbacks. */
export interface LineSinkOptions {
  /** How many milliseconds lines wait for others; undefined: until the end of the turn of the event loop. */
  readonly gathers?: number | undefined;
  /** The most characters that may wait; further lines are dropped. */
  readonly most?: number;
  /** Called with the error code when writing fails; not again until it has succeeded. */
  readonly failed: (code: string) => void;
  /** Called with the number of dropped lines, when there is room again. */
  readonly dropped: (lines: number) => void;
  /** How many milliseconds to wait after a failure, and while the reader has no room. */
  readonly pause?: { readonly failure: number; readonly full: number };
}

const eightMebi = 8 * 1024 * 1024;
const usualPause = { failure: 1000, full: 20 } as const;

/** Opens a sink. Lines of the same turn of the event loop, or within `gathers`, are written together. */
export function openLineSink(descriptor: number, options: LineSinkOptions): LineSink {
  const { gathers, most = eightMebi, failed, dropped, pause = usualPause } = options;
  let waiting = "";
  let writing = 0;
  let scheduled = false;
  let lost = 0;
  let failing = false;
  let gone = false;
  const settle: (() => void)[] = [];
  const turns = turnsOf(descriptor);

  const begin = (): void => {
    scheduled = false;
    if (writing > 0) return;
    if (waiting === "") {
      for (const done of settle.splice(0)) done();
      return;
    }
    const bytes = Buffer.from(waiting);
    writing = waiting.length;
    waiting = "";
    turns.take(() => go(bytes));
  };
  const go = (bytes: Buffer): void =>
    write(descriptor, bytes, (error, written) => {
      if (error !== null) return stumble(error, bytes);
      failing = false;
      if (written < bytes.length) return go(bytes.subarray(written));
      writing = 0;
      turns.end();
      const [lines] = [lost, (lost = 0)];
      if (lines > 0) dropped(lines);
      begin();
    });
  // A partial line is continued, so that no line is torn.
  const stumble = (error: Error, bytes: Buffer): void => {
    const code = codeOf(error) ?? error.name;
    const full = code === "EAGAIN" || code === "EBUSY" || code === "EINTR";
    if (!full && !failing) {
      failing = true;
      failed(code);
    }
    if (code === "EPIPE" || code === "EBADF" || code === "EIO") {
      gone = true; // the reader is gone for good
      [waiting, writing] = ["", 0];
      turns.end();
      begin();
      return;
    }
    setTimeout(go, full ? pause.full : pause.failure, bytes).unref();
  };

  return {
    write: (lines) => {
      if (gone) return;
      if (waiting.length + writing + lines.length > most) {
        lost += Math.max(1, lines.split("\n").length - 1);
        return;
      }
      waiting += lines;
      if (scheduled || writing > 0) return;
      scheduled = true;
      if (gathers === undefined) setImmediate(begin);
      else setTimeout(begin, gathers);
    },
    flush: (milliseconds) =>
      new Promise((resolve) => {
        const late = setTimeout(resolve, milliseconds);
        settle.push(() => {
          clearTimeout(late);
          resolve();
        });
        if (!scheduled && writing === 0) begin();
      }),
  };
}
