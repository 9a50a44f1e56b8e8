/** Bundles as whole files: content in, bytes out, and back again. */
import type { KeyObject } from "node:crypto";
import { readContent, writeContent, type BundleContent } from "./file.ts";
import { frameOf } from "./frame.ts";
import { signStatement } from "./sign.ts";
import { openTrusted, type Trust } from "./verify.ts";

/** A bundle file that is to be used. */
export interface BundleFile {
  readonly content: BundleContent;
  /** SHA-256 of the file but for its last lines: policies, schemas and all. */
  readonly digest: string;
  /** Who signed it, if anybody. */
  readonly keyId?: string;
}

/** Writes a bundle file; the same content gives the same bytes, and so does the same key. */
export function writeBundle(content: BundleContent, key?: KeyObject): Uint8Array {
  const statement = writeContent(content);
  return key === undefined ? frameOf(statement) : signStatement(statement, key);
}

/** Reads a bundle file: first whose it is, then what it holds. Throws a refusal ("it is not signed ...") when it is not to be used. */
export function readBundle(bytes: Uint8Array, trust: Trust): BundleFile {
  const { statement, digest, signature } = openTrusted(bytes, trust);
  return { content: readContent(statement), digest, ...(signature !== undefined && { keyId: signature.keyId }) };
}
