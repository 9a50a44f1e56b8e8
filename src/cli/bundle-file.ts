/** Bundles as commands read them: by the path of a file, which a refusal names. */
import { mostBytes } from "../bundle/frame.ts";
import { readBundle, type BundleFile } from "../bundle/index.ts";
import type { Trust } from "../bundle/verify.ts";
import { readWithin } from "../texts/read-within.ts";
import { codeOf, isRefusal, refusal } from "../refusal.ts";

/** Whoever can write the file is trusted. */
export const anybody: Trust = { kind: "anybody" };

/** Reads a bundle; throws a refusal when it is none, damaged, or by nobody who is trusted. */
export function readBundleFile(file: string, trust: Trust): BundleFile {
  try {
    return readBundle(bytesOf(file), trust);
  } catch (error) {
    throw isRefusal(error) ? refusal(`the bundle \`${file}\`: ${error.message}`) : error;
  }
}

/** Reads the bytes of a file; throws a refusal when it cannot. */
export function bytesOf(file: string): Uint8Array {
  try {
    // Not by what the system says of its size: what never ends has none.
    const bytes = readWithin(file, mostBytes);
    if (bytes === undefined) throw refusal(`it is larger than a bundle may be (${mostBytes} bytes)`);
    return bytes;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})`);
  }
}
