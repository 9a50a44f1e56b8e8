/** Verifies the digest and the signature of a bundle file, before any of its contents is parsed. */
import { verify } from "node:crypto";
import { refusal } from "../refusal.ts";
import { openFrame, type Frame } from "./frame.ts";
import type { TrustedKeys } from "./keys.ts";
import { signedAs } from "./sign.ts";

/** Whose bundles are accepted: those signed with one of these keys, or any. */
export type Trust = { readonly kind: "keys"; readonly keys: TrustedKeys } | { readonly kind: "anybody" };

/** Splits a file and verifies its digest and signature. Throws a refusal ("it is not signed ...") when it must not be used. */
export function openTrusted(bytes: Uint8Array, trust: Trust): Frame {
  const frame = openFrame(bytes);
  if (trust.kind === "anybody") return frame;
  const { signature, statement } = frame;
  if (signature === undefined) throw refusal(`it is not signed, and must be, by ${namesOf(trust.keys)}`);
  const key = trust.keys.get(signature.keyId);
  if (key === undefined) throw refusal(`it is signed by another key (${signature.keyId}), and must be by ${namesOf(trust.keys)}`);
  if (!verify(undefined, signedPartOf(statement), key, Buffer.from(signature.value, "hex")))
    throw refusal(`its signature does not fit: it was not made by the key that it names (${signature.keyId})`);
  return frame;
}

/** The buffers that have room for `signedAs` before their contents. */
const roomy = new WeakSet<ArrayBufferLike>();

/**
 * Allocates a buffer for a file, with room for the prefix of the signed bytes before it: verifying then needs no copy, which would be
 * as large as the file.
 */
export function roomFor(size: number): Buffer {
  const length = signedAs.length + size;
  const buffer = new ArrayBuffer(length, { maxByteLength: length });
  roomy.add(buffer);
  return Buffer.from(buffer, signedAs.length, size);
}

/** Frees such a buffer at once. Its bytes must not be used any more. */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && roomy.has(buffer)) buffer.resize(0);
}

function signedPartOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  const statement = Buffer.from(buffer, byteOffset, byteLength);
  if (!roomy.has(buffer) || byteOffset !== signedAs.length) return Buffer.concat([signedAs, statement]);
  const whole = Buffer.from(buffer, 0, signedAs.length + byteLength);
  whole.set(signedAs);
  return whole;
}

const namesOf = (keys: TrustedKeys): string => `${keys.size === 1 ? "the key" : "one of the keys"} ${[...keys.keys()].join(", ")}`;
