/** V8's code cache for built scripts, kept beside them when the program is built: a start with it compiles nothing. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const digestLength = 32;

/**
 * Returns what is kept of a text, or of its bytes, in a file; undefined when it cannot be read, is of another text, or damaged. The engine
 * itself looks no further than at the lengths of both; that it is of another version, or has other flags, it sees.
 */
export function keptCode(file: string, text: string | Uint8Array): Uint8Array | undefined {
  const kept = readIfThere(file);
  if (kept === undefined) return undefined;
  const code = kept.subarray(digestLength);
  return digestOf(text, code).equals(kept.subarray(0, digestLength)) ? code : undefined;
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // whatever is in its place: the engine compiles the text then
  }
}

/** Keeps it. */
export function keepCode(file: string, text: string | Uint8Array, code: Uint8Array): void {
  writeFileSync(file, Buffer.concat([digestOf(text, code), code]));
}

const digestOf = (text: string | Uint8Array, code: Uint8Array): Buffer => createHash("sha256").update(text).update(code).digest();
