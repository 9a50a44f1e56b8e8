/** The text of a key set -> the keys in it: JWK, JWKS or PEM. */
import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { algorithmOf } from "./algorithms.ts";

/** One key that signatures can be verified with. */
export interface VerificationKey {
  /** Undefined where the key carries none, as in PEM. */
  readonly id: string | undefined;
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

/** How a key set is written, and what its keys need not say. */
export interface KeyForm {
  readonly pem: boolean;
  readonly optionalAlg: boolean;
  readonly optionalKid: boolean;
}

/** More is no key set: every key may have to be tried. */
const mostKeys = 100;

/** Reads keys; throws an error that says what is wrong, and never what is in them. */
export function readKeys(text: string, form: KeyForm): readonly VerificationKey[] {
  const keys = form.pem ? readPem(text) : readJwks(text, form);
  if (keys.length === 0) throw new Error("it holds no key that verifies signatures");
  if (keys.length > mostKeys) throw new Error(`it holds more than ${mostKeys} keys`);
  return keys;
}

function readPem(text: string): readonly VerificationKey[] {
  const blocks = text.match(/-----BEGIN [A-Z0-9 ]+-----[^-]*-----END [A-Z0-9 ]+-----/g) ?? [];
  return blocks.map((block, index) => {
    try {
      return { id: undefined, algorithm: undefined, key: createPublicKey(block) };
    } catch {
      throw new Error(`block ${index + 1} of the PEM text is no key that can be read`);
    }
  });
}

function readJwks(text: string, form: KeyForm): readonly VerificationKey[] {
  const parsed = parse(text);
  const written = isRecord(parsed) && Array.isArray(parsed["keys"]) ? parsed["keys"] : [parsed];
  if (written.length > mostKeys) throw new Error(`it holds more than ${mostKeys} keys`);
  return written.flatMap((jwk, index) => readJwk(jwk, `key ${index + 1}`, form) ?? []);
}

/** Returns undefined for a key that is not for signatures. */
function readJwk(jwk: unknown, name: string, form: KeyForm): VerificationKey | undefined {
  if (!isRecord(jwk)) throw new Error(`${name} is not a JSON object`);
  const { use, key_ops: operations, kid, alg } = jwk;
  if (use !== undefined && use !== "sig") return undefined;
  if (Array.isArray(operations) && !operations.includes("verify") && !operations.includes("sign")) return undefined;
  if (!form.optionalKid && (typeof kid !== "string" || kid === ""))
    throw new Error(`${name} has no key id (\`kid\`): give it one, or set insecure.optionalKid`);
  if (!form.optionalAlg && typeof alg !== "string")
    throw new Error(`${name} has no algorithm (\`alg\`): give it one, or set insecure.optionalAlg`);
  const key = importKey(jwk, name);
  const algorithm = typeof alg === "string" && alg !== "" ? alg : undefined;
  if (algorithm !== undefined) {
    const known = algorithmOf(algorithm);
    if (known === undefined) throw new Error(`${name} is for an algorithm that is not supported`);
    if (!known.fits(key)) throw new Error(`${name} is not a key for \`${algorithm}\`, or it is too short`);
  }
  return { id: typeof kid === "string" && kid !== "" ? kid : undefined, algorithm, key };
}

function importKey(jwk: { readonly [name: string]: unknown }, name: string): KeyObject {
  try {
    if (jwk["kty"] !== "oct") return createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }); // it is for Node to find out
    if (typeof jwk["k"] === "string" && jwk["k"] !== "") return createSecretKey(Buffer.from(jwk["k"], "base64url"));
  } catch {
    // Node's words may repeat what is in the key.
  }
  throw new Error(`${name} cannot be read as a JSON Web Key`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is not JSON: a key set is a JSON Web Key, a set of them, or PEM with `pem: true`");
  }
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
