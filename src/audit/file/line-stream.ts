/** A stream of lines: what was begun is always ended before another line, and a reader that is slow is waited for. */
import { codeOf } from "../../refusal.ts";
import type { Delivery, Destination } from "../outbox.ts";
import { closeFile, writeOnce } from "./descriptor.ts";
import type { Block } from "./line-queue.ts";
import { countLines, endOfFirstLine, endOfLastLine } from "./lines.ts";
import type { Place } from "./place.ts";

/** POSIX: what a pipe takes without mixing it with what others write, on Linux. */
const pipeBytes = 4096;

/** Opens a stream of lines. */
export function openLineStream(place: Extract<Place, { readonly kind: "stream" }>): Destination<Block> {
  const { descriptor, pipe, turns } = place;
  /** The end of a line that is half written. */
  let rest: Buffer = Buffer.alloc(0);

  /** Writes until it is done, or what it answers is in the way; a full pipe is no trouble. */
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
  const writeRest = async (): Promise<{ readonly trouble?: unknown }> => {
    const { taken, ...trouble } = await write(rest);
    // A reader that went away took the line's beginning with it.
    rest = codeOf(trouble.trouble) === "EPIPE" ? Buffer.alloc(0) : rest.subarray(taken);
    return trouble;
  };

  /** A turn lasts until no line is half written. */
  let ourTurn = false;
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!ourTurn) await new Promise<void>((resolve) => turns.take(resolve));
    ourTurn = true;
    try {
      return await work();
    } finally {
      ourTurn = rest.length > 0;
      if (!ourTurn) turns.end();
    }
  };
  const writeLines = async (bytes: Buffer): Promise<Delivery> => {
    let begun = 0;
    let obstacle = await writeRest();
    while (rest.length === 0 && obstacle.trouble === undefined && begun < bytes.length) {
      const left = bytes.subarray(begun);
      const end = pipe && left.length > pipeBytes ? endOfLastLine(left, pipeBytes) || endOfFirstLine(left) : left.length;
      const { taken, ...trouble } = await write(left.subarray(0, end));
      obstacle = trouble;
      const whole = endOfLastLine(left, taken);
      begun += whole;
      if (taken === end) continue;
      if (taken > whole) {
        const lineEnd = whole + endOfFirstLine(left.subarray(whole));
        // What it stands in is used again.
        rest = Buffer.from(left.subarray(taken, lineEnd));
        begun += lineEnd - whole;
      }
      break;
    }
    return { delivered: countLines(bytes, begun), ...obstacle };
  };

  return {
    name: place.name,
    deliver: (block) => inTurn(() => writeLines(block.lines())),
    close: async () => {
      await inTurn(writeRest);
      if (place.ours) await closeFile(descriptor);
    },
  };
}
