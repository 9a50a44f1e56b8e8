/** Finds out whether a bundle file is by somebody who is trusted. Nothing of what it holds is looked at. */
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
  if (!verify(undefined, Buffer.concat([signedAs, statement]), key, Buffer.from(signature.value, "hex")))
    throw refusal(`its signature does not fit: it was not made by the key that it names (${signature.keyId})`);
  return frame;
}

const namesOf = (keys: TrustedKeys): string => `${keys.size === 1 ? "the key" : "one of the keys"} ${[...keys.keys()].join(", ")}`;
