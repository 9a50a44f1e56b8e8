/** Bundles as whole files: content in, bytes out, and back again. */
import type { KeyObject } from "node:crypto";
import { readContent, writeContent, type BundleContent } from "./file.ts";
import { frameOf } from "./frame.ts";
import { signStatement } from "./sign.ts";
import { openTrusted, type Trust } from "./verify.ts";

/** A bundle file that may be used. */
export interface BundleFile {
  readonly content: BundleContent;
  /** The SHA-256 of the statement, which is the file without its last lines: policies, schemas and legend. */
  readonly digest: string;
  /** The id of the key that signed it; absent for an unsigned file. */
  readonly keyId?: string;
}

/** Encodes a bundle file, signed if a key is given. Encoding and signing are deterministic. */
export function writeBundle(content: BundleContent, key?: KeyObject): Uint8Array {
  const statement = writeContent(content);
  return key === undefined ? frameOf(statement) : signStatement(statement, key);
}

/** Reads a bundle file: verifies it first, then decodes it. Throws a refusal ("it is not signed ...") when it must not be used. */
export function readBundle(bytes: Uint8Array, trust: Trust): BundleFile {
  const { statement, digest, signature } = openTrusted(bytes, trust);
  return { content: readContent(statement), digest, ...(signature !== undefined && { keyId: signature.keyId }) };
}
