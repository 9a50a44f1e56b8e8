/** Converts files of a directory to sources for the compiler. */
import { isAscii } from "node:buffer";
import type { Source } from "../../compiler/source.ts";
import { codeOf } from "../refusal.ts";
import { readStamped } from "./file-bytes.ts";
import type { Unreadable } from "./store.ts";
import { fileBelow, isDangling, isNotFound, type Stamp } from "./tree.ts";

/** Returns the source for a file, by its path relative to the root. */
export const sourceOf = (path: string, text: string): Source => ({ path, text, attributes: { driver: "disk", source: path } });

/** Returns the source without its contents. */
export const describedSource = (path: string): Omit<Source, "text"> => ({ path, attributes: { driver: "disk", source: path } });

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Decodes a file; throws a `TypeError` when it is not UTF-8. */
export const textFrom = (bytes: Buffer): string => (isAscii(bytes) ? bytes.toString("latin1") : decoder.decode(bytes));

/** Returns the bytes without a byte order mark. */
export const bytesOfText = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** The contents of a file, with the stamp of the file that was actually read; or why it cannot be read. */
export type Reading = { readonly text: string; readonly stamp: Stamp } | Unreadable;

/** The message about a dangling symbolic link. */
export const danglingMessage = "the link leads nowhere: put back what it leads to, or remove the link";

/** Reads a file; undefined when it does not exist any more. */
export function readText(root: string, path: string): Reading | undefined {
  const file = fileBelow(root, path);
  try {
    const { stamp, bytes } = readStamped(file);
    return { text: textFrom(bytes), stamp };
  } catch (error) {
    if (isNotFound(error)) return isDangling(file) ? { path, message: danglingMessage } : undefined;
    if (error instanceof TypeError) return { path, message: "the file is not UTF-8 text" };
    return { path, message: `the file cannot be read (${codeOf(error) ?? "unknown error"})` };
  }
}
