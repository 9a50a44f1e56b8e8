/** The digest that bundles are made with; the compiler itself knows no hash. */
import { createHash } from "node:crypto";

/** Returns the SHA-256 of a text, in hexadecimal. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
