/** What the engine has compiled of a text, kept beside the program when it is built: a start with it compiles nothing. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const digestLength = 32;

/**
 * Returns what is kept of a text, or of its bytes, in a file; undefined when there is no such file, it is of another text, or damaged. The engine
 * itself looks no further than at the lengths of both; that it is of another version, or has other flags, it sees.
 */
export function keptCode(file: string, text: string | Uint8Array): Uint8Array | undefined {
  if (!existsSync(file)) return undefined;
  const kept = readFileSync(file);
  const code = kept.subarray(digestLength);
  return digestOf(text, code).equals(kept.subarray(0, digestLength)) ? code : undefined;
}

/** Keeps it. */
export function keepCode(file: string, text: string | Uint8Array, code: Uint8Array): void {
  writeFileSync(file, Buffer.concat([digestOf(text, code), code]));
}

const digestOf = (text: string | Uint8Array, code: Uint8Array): Buffer => createHash("sha256").update(text).update(code).digest();
