/** Signs bundle files. */
import { sign, type KeyObject } from "node:crypto";
import { frameOf, openFrame } from "./frame.ts";
import { keyIdOf } from "./keys.ts";

/** The prefix of the signed bytes. It names their purpose, so that a signature made for something else is never valid for a bundle. */
export const signedAs = Buffer.from("authz bundle, signature 1\0");

/** Signs a statement and frames it. */
export function signStatement(statement: Uint8Array, key: KeyObject): Uint8Array {
  const value = sign(undefined, Buffer.concat([signedAs, statement]), key).toString("hex");
  return frameOf(statement, { keyId: keyIdOf(key), value });
}

/** Signs a bundle file, or replaces its signature; throws a refusal when the file is not a bundle. */
export const signBundle = (bytes: Uint8Array, key: KeyObject): Uint8Array => signStatement(openFrame(bytes).statement, key);
