/** Reads bundle files for commands; refusals name the file. */
import { maxBytes } from "../bundle/frame.ts";
import { readBundle, type BundleFile } from "../bundle/index.ts";
import type { Trust } from "../bundle/verify.ts";
import { readWithin } from "../texts/read-within.ts";
import { codeOf, isRefusal, refusal } from "../refusal.ts";

/** Trusts any bundle, signed or not. */
export const trustAnybody: Trust = { kind: "anybody" };

/** Reads a bundle; throws a refusal when it is invalid, damaged, or not signed by a trusted key. */
export function readBundleFile(file: string, trust: Trust): BundleFile {
  try {
    return readBundle(bytesOf(file), trust);
  } catch (error) {
    throw isRefusal(error) ? refusal(`the bundle \`${file}\`: ${error.message}`) : error;
  }
}

/** Reads the bytes of a file; throws a refusal when it cannot be read. */
export function bytesOf(file: string): Uint8Array {
  try {
    // The size that the system reports is not used: endless files have none.
    const bytes = readWithin(file, maxBytes);
    if (bytes === undefined) throw refusal(`it is larger than a bundle may be (${maxBytes} bytes)`);
    return bytes;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})`);
  }
}
