/** The digest of bundles, which is passed to the compiler, because that has no access to a hash function. */
import { createHash } from "node:crypto";

/** Returns the SHA-256 of a string, in hexadecimal. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
