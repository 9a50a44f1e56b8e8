/** A file of a folder -> a source of the compiler. */
import { isAscii } from "node:buffer";
import type { Source } from "../../compiler/source.ts";
import { codeOf } from "../refusal.ts";
import { readStamped } from "./file-bytes.ts";
import type { Unreadable } from "./store.ts";
import { fileBelow, isDangling, isGone, type Stamp } from "./tree.ts";

/** Returns the source that a file is, by its path below the folder. */
export const sourceOf = (path: string, text: string): Source => ({ path, text, attributes: { driver: "disk", source: path } });

/** Returns all of that source but its text. */
export const describedSource = (path: string): Omit<Source, "text"> => ({ path, attributes: { driver: "disk", source: path } });

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Returns the text of a file; throws a `TypeError` where it is not UTF-8. */
export const textFrom = (bytes: Buffer): string => (isAscii(bytes) ? bytes.toString("latin1") : decoder.decode(bytes));

/** Returns the bytes of that text, where there is one: a mark at the beginning is no part of it. */
export const bytesOfText = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** The stamp is that of the file that was read, whichever file was listed. */
export type Reading = { readonly text: string; readonly stamp: Stamp } | Unreadable;

/** What is said of a link with nothing where it leads. */
export const danglingMessage = "the link leads nowhere: put back what it leads to, or remove the link";

/** Returns undefined when the file is gone. */
export function readText(root: string, path: string): Reading | undefined {
  const file = fileBelow(root, path);
  try {
    const { stamp, bytes } = readStamped(file);
    return { text: textFrom(bytes), stamp };
  } catch (error) {
    if (isGone(error)) return isDangling(file) ? { path, message: danglingMessage } : undefined;
    if (error instanceof TypeError) return { path, message: "the file is not UTF-8 text" };
    return { path, message: `the file cannot be read (${codeOf(error) ?? "unknown error"})` };
  }
}
