/** The framing of a bundle file: a statement, its digest, and an optional signature. */
import { createHash } from "node:crypto";
import { refusal } from "../refusal.ts";

/** A bundle file, split into its parts. The digest has been verified; the statement has not been parsed. */
export interface Frame {
  /** `export default {...};` with its line feed: the bytes that are digested and signed. */
  readonly statement: Uint8Array;
  /** The SHA-256 of the statement, in hexadecimal. */
  readonly digest: string;
  readonly signature?: Signature;
}

/** A signature and the id of its key, both in hexadecimal. */
export interface Signature {
  readonly keyId: string;
  readonly value: string;
}

/** The largest size of a file in bytes; larger policy sets must be split. */
export const maxBytes = 64 * 1024 * 1024;

const opening = "export default ";
const closing = ";\n";
// Lower-case hexadecimal only, so that each signature has one spelling.
const trailer = /\n\/\/ authz bundle sha256 ([0-9a-f]{64})\n(?:\/\/ authz signature ed25519 ([0-9a-f]{32}) ([0-9a-f]{128})\n)?$/;
const longestTrailer = 512;

/** The number of bytes before the JSON of a statement. */
export const openingLength = opening.length;

/** Wraps JSON into a statement. */
export const statementOf = (json: string): Uint8Array => Buffer.from(`${opening}${json}${closing}`);

/** Returns the JSON of a statement. */
export function jsonOf(statement: Uint8Array): string {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(statement);
  return text.slice(opening.length, -closing.length);
}

/** Appends the digest, and the signature if there is one, to a statement. */
export function frameOf(statement: Uint8Array, signature?: Signature): Uint8Array {
  const digest = `// authz bundle sha256 ${digestOf(statement)}\n`;
  const signed = signature === undefined ? "" : `// authz signature ed25519 ${signature.keyId} ${signature.value}\n`;
  return Buffer.concat([statement, Buffer.from(digest + signed)]);
}

/** Splits a file and verifies its digest. Throws a refusal ("it is cut off ...") when it is not an intact bundle. */
export function openFrame(bytes: Uint8Array): Frame {
  if (bytes.length > maxBytes) throw refusal(`it is larger than a bundle may be (${maxBytes} bytes)`);
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length === 0) throw refusal("it is empty");
  if (file.toString("latin1", 0, opening.length) !== opening) throw refusal(`it is not a bundle of authz: ${beginningOf(file)}`);
  const found = trailer.exec(file.toString("latin1", Math.max(0, file.length - longestTrailer)));
  if (found === null) throw refusal("it is cut off or damaged: the digest that ends a bundle is not there");
  const [trailing, digest = "", keyId, value] = found;
  const statement = file.subarray(0, file.length - trailing.length + 1);
  const actual = digestOf(statement);
  if (actual !== digest) throw refusal(`it is damaged: its digest is ${actual}, and it says ${digest}`);
  return { statement, digest, ...(keyId !== undefined && value !== undefined && { signature: { keyId, value } }) };
}

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function beginningOf(file: Buffer): string {
  const text = file.toString("latin1", 0, 64).trimStart();
  if (text.startsWith("<")) return "it is a page or an XML document";
  if (text.startsWith("-----BEGIN")) return "it is a key or a certificate";
  return `it does not begin with \`${opening.trim()}\``;
}
