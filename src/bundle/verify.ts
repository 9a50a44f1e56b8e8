/** Verifies the digest and the signature of a bundle file, before anything that it holds is looked at. */
import { verify } from "node:crypto";
import { refusal } from "../refusal.ts";
import { openFrame, type Frame } from "./frame.ts";
import type { TrustedKeys } from "./keys.ts";
import { signedAs } from "./sign.ts";

/** Who is trusted: those whose keys these are, or whoever can write the file. */
export type Trust = { readonly kind: "keys"; readonly keys: TrustedKeys } | { readonly kind: "anybody" };

/** Takes a file apart and checks its digest and its signature; throws a refusal ("it is not signed ...") when it is not to be used. */
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

/** Those that have room for `signedAs` before them. */
const roomy = new WeakSet<ArrayBufferLike>();

/** Makes room for the bytes of a file. Read into it, they need no copy for what is signed: one is as large as the file. */
export function roomFor(size: number): Buffer {
  const length = signedAs.length + size;
  const buffer = new ArrayBuffer(length, { maxByteLength: length });
  roomy.add(buffer);
  return Buffer.from(buffer, signedAs.length, size);
}

/** Gives the room back at once, and with it the bytes that stood there: nobody may look at them any more. */
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
