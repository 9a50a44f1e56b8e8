/** The lines that git speaks in ("pkt-line"): each begins with its length; some lengths mean an end. */
import { refusal } from "../../refusal.ts";

/** A line, or what stands between lines. */
export type Line = Buffer | "flush" | "delimiter";

/** The end of a request. */
export const flush = "0000";
/** The end of what a command is, before what it is about. */
export const delimiter = "0001";

/** Writes a line. */
export const line = (text: string): string => `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, "0")}${text}\n`;

/** Returns the text of a line without its end. */
export const textOf = (one: Buffer): string => one.toString("utf8").replace(/\n$/, "");

/** Reads lines from what a server sends, one after the other. */
export interface Lines {
  /** Returns the next line; undefined at the end of all. Rejects when it ends within a line. */
  readonly next: () => Promise<Line | undefined>;
}

/** Reads lines out of bytes that come in pieces. */
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
      if (length === 2) return "flush"; // the end of a response: nothing follows a flush either
      if (length < 4) throw refusal("the server does not speak the git protocol");
      if (!(await fill(length - 4))) throw cutOff();
      return take(length - 4);
    },
  };
}

/** What a server sent ended too early. */
export const cutOff = (): Error => refusal("the server's answer ends before it is complete");
