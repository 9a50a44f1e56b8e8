/** V8's code cache for built scripts, stored beside them by the build: a start that uses it compiles nothing. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const digestLength = 32;

/**
 * Returns the code cache of a script; undefined when it cannot be read, belongs to another script, or is damaged. V8 itself only checks
 * lengths, its version and flags.
 */
export function readCodeCache(file: string, text: string | Uint8Array): Uint8Array | undefined {
  const kept = readIfThere(file);
  if (kept === undefined) return undefined;
  const code = kept.subarray(digestLength);
  return digestOf(text, code).equals(kept.subarray(0, digestLength)) ? code : undefined;
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // whatever is there, V8 compiles the script then
  }
}

/** Stores the code cache of a script. */
export function writeCodeCache(file: string, text: string | Uint8Array, code: Uint8Array): void {
  writeFileSync(file, Buffer.concat([digestOf(text, code), code]));
}

const digestOf = (text: string | Uint8Array, code: Uint8Array): Buffer => createHash("sha256").update(text).update(code).digest();
