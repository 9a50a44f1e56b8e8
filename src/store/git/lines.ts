/** The pkt-line format of the git protocol: each line begins with its length; some lengths are separators. */
import { refusal } from "../../refusal.ts";

/** A line, or a separator. */
export type Line = Buffer | "flush" | "delimiter";

/** Ends a request. */
export const flush = "0000";
/** Separates a command from its arguments. */
export const delimiter = "0001";

/** Encodes a line. */
export const line = (text: string): string => `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, "0")}${text}\n`;

/** Decodes a line, without its line feed. */
export const textOf = (one: Buffer): string => one.toString("utf8").replace(/\n$/, "");

/** The lines that a server sends. */
export interface Lines {
  /** Returns the next line; undefined at the end. Rejects when the input ends within a line. */
  readonly next: () => Promise<Line | undefined>;
}

/** Decodes lines from chunks of bytes. */
export function readLines(pieces: AsyncIterable<Uint8Array>): Lines {
  const iterator = pieces[Symbol.asyncIterator]();
  let have = Buffer.alloc(0);
  const fill = async (many: number): Promise<boolean> => {
    const parts: Uint8Array[] = [have];
    let length = have.length;
    while (length < many) {
      const { done, value } = await iterator.next();
      if (done === true) break;
      parts.push(value);
      length += value.length;
    }
    if (parts.length > 1) have = Buffer.concat(parts);
    return length >= many;
  };
  const take = (many: number): Buffer => {
    const taken = have.subarray(0, many);
    have = have.subarray(many);
    return taken;
  };
  return {
    next: async () => {
      if (!(await fill(4))) {
        if (have.length === 0) return undefined;
        throw cutOff();
      }
      const written = take(4).toString("latin1");
      if (!/^[0-9a-f]{4}$/i.test(written)) throw refusal("the server does not speak the git protocol");
      const length = Number.parseInt(written, 16);
      if (length === 0) return "flush";
      if (length === 1) return "delimiter";
      if (length === 2) return "flush"; // `response-end`, which is handled like a flush
      if (length < 4) throw refusal("the server does not speak the git protocol");
      if (!(await fill(length - 4))) throw cutOff();
      return take(length - 4);
    },
  };
}

/** The server's answer was truncated. */
export const cutOff = (): Error => refusal("the server's answer ends before it is complete");
