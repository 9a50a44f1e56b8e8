/**
 * Writes lines to a stream (a pipe, a socket, standard output): a started line is finished before anything else is written, and slow
 * readers are waited for.
 */
import { codeOf } from "../../refusal.ts";
import type { Delivery, Destination } from "../destination.ts";
import { closeFile, writeOnce } from "./descriptor.ts";
import type { Block } from "./line-queue.ts";
import { countLines, endOfFirstLine, endOfLastLine, lineFeed } from "./lines.ts";
import type { OutputTarget } from "./output-target.ts";

/** PIPE_BUF on Linux: POSIX guarantees that a write of at most this many bytes is not interleaved with writes of others. */
const pipeBytes = 4096;

/** Opens a stream of lines. */
export function openLineStream(target: Extract<OutputTarget, { readonly kind: "stream" }>): Destination<Block> {
  const { descriptor, pipe, turns } = target;
  /** How many bytes of the first waiting line are written; it is delivered again until it is complete. */
  let begun = 0;
  /**
   * The reader went away within a line, and the pipe may keep its beginning for the next reader: it must be terminated before the line
   * is written again.
   */
  let torn = false;

  /** Writes until done or until an error, which is returned; a full pipe is not an error. */
  const write = async (bytes: Buffer): Promise<{ readonly taken: number; readonly trouble?: unknown }> => {
    let taken = 0;
    while (taken < bytes.length) {
      try {
        taken += await writeOnce(descriptor, bytes.subarray(taken));
      } catch (error) {
        return codeOf(error) === "EAGAIN" ? { taken } : { taken, trouble: error };
      }
    }
    return { taken };
  };
  /** Whether we hold the turn, which lasts until no line is incomplete. */
  let ourTurn = false;
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!ourTurn) await new Promise<void>((resolve) => turns.take(resolve));
    ourTurn = true;
    try {
      return await work();
    } finally {
      ourTurn = begun > 0;
      if (!ourTurn) turns.end();
    }
  };
  const writeLines = async (bytes: Buffer): Promise<Delivery> => {
    let done = 0;
    while (done < bytes.length) {
      if (torn) {
        const { taken, ...trouble } = await write(Buffer.of(lineFeed));
        if (taken === 0) return { delivered: countLines(bytes, done), ...trouble };
        torn = false;
      }
      const left = bytes.subarray(done);
      const end = atOnce(left);
      const { taken, ...trouble } = await write(left.subarray(begun, end));
      const reached = begun + taken;
      const whole = endOfLastLine(left, reached);
      done += whole;
      torn = codeOf(trouble.trouble) === "EPIPE" && reached > whole;
      begun = torn ? 0 : reached - whole;
      if (reached < end) return { delivered: countLines(bytes, done), ...trouble };
    }
    return { delivered: countLines(bytes, done) };
  };
  const atOnce = (bytes: Buffer): number =>
    pipe && bytes.length > pipeBytes ? endOfLastLine(bytes, pipeBytes) || endOfFirstLine(bytes) : bytes.length;

  return {
    name: target.name,
    deliver: (block) => inTurn(() => writeLines(block.lines())),
    close: async () => {
      if (target.ours) await closeFile(descriptor);
    },
  };
}
