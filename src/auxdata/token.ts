/** Decodes a JWT, and verifies its signature with the keys of a set. */
import { holdsMoreValuesThan } from "../../runtime/wire/count-values.ts";
import { scanJson } from "../../runtime/wire/scan.ts";
import { algorithmOf, isAlgorithmName } from "./algorithms.ts";
import type { VerificationKey } from "./parse-keys.ts";

/** The parts of a token. They must not be trusted before its signature is verified. */
export interface TokenParts {
  readonly algorithm: string;
  /** The key id; "" when the token has none. */
  readonly keyId: string;
  readonly claims: JsonRecord;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** A JSON object. */
export interface JsonRecord {
  readonly [name: string]: unknown;
}

/** Thrown when a token is not accepted; the message quotes nothing of it. */
export class InvalidToken extends Error {}

/** Returns whether a string is base64url without padding (RFC 7515, 2): its length modulo 4 cannot be 1. */
const isBase64Url = (text: string): boolean => /^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1;

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string";

/** Other header parameters (RFC 7515, 4.1). None of them is used, but a header in which one has the wrong type is not that of a JWT. */
const parameters: readonly (readonly [name: string, fits: (value: unknown) => boolean, kind: string])[] = [
  ...["typ", "cty", "jku", "x5u", "x5t", "x5t#S256"].map((name) => [name, isTextOrAbsent, "a string"] as const),
  ["x5c", (value) => value === undefined || (Array.isArray(value) && value.every((each) => typeof each === "string")), "a list of strings"],
  ["jwk", (value) => value === undefined || (typeof value === "object" && !Array.isArray(value)), "an object"],
];

/** Decodes a token, of which no part may hold more than `maxValues` JSON values. */
export function readToken(token: string, maxValues: number): TokenParts {
  const parts = token.split(".", 4);
  const [header = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every(isBase64Url)) throw new InvalidToken("not a signed JWT");
  const head = readRecord(header, "the header", maxValues);
  const { alg, kid, crit, b64 } = head;
  if (typeof alg !== "string") throw new InvalidToken("the header names no algorithm");
  // These extensions must be understood or refused, and none is supported.
  if (crit !== undefined || b64 !== undefined) throw new InvalidToken("the header asks for an extension that is not supported");
  if (kid !== undefined && typeof kid !== "string") throw new InvalidToken("the key id in the header is not a string");
  const odd = parameters.find(([name, fits]) => !fits(head[name] ?? undefined));
  if (odd !== undefined) throw new InvalidToken(`\`${odd[0]}\` in the header is not ${odd[2]}`);
  return {
    algorithm: alg,
    keyId: kid ?? "",
    claims: readRecord(payload, "the claims", maxValues),
    signed: Buffer.from(`${header}.${payload}`, "latin1"),
    signature: Buffer.from(signature, "base64url"),
  };
}

// With `ignoreBOM` a byte order mark stays in the string, which is then invalid JSON.
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readRecord(text: string, what: string, maxValues: number): JsonRecord {
  const bytes = Buffer.from(text, "base64url");
  // The token is not verified yet, so its values are counted before parsing, as in the rest of a request.
  if (bytes.length > maxValues && holdsMoreValuesThan(bytes.toString("latin1"), maxValues))
    throw new InvalidToken(`more than ${maxValues} values (setting server.requestLimits.maxValuesPerRequest)`);
  try {
    const written = strict.decode(bytes);
    // The same rules as for attributes: limited nesting and no duplicate names.
    const parsed: unknown = scanJson(written) === undefined ? JSON.parse(written) : undefined;
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // The parser's message may quote the token.
  }
  throw new InvalidToken(`not a JWT: ${what} cannot be read as JSON`);
}

/** Which keys may verify a token. */
export interface KeyChoice {
  /** Keys may lack an algorithm: then the token's algorithm is used, if it fits the type of the key. */
  readonly optionalAlg: boolean;
  /** Tokens and keys may lack key ids: then every key is tried. */
  readonly optionalKid: boolean;
}

/** Returns the claims without verifying the signature; refuses tokens with an unknown algorithm even so. */
export function unverifiedClaims(token: TokenParts): JsonRecord {
  if (!isAlgorithmName(token.algorithm)) throw new InvalidToken("the token's algorithm is not known");
  return token.claims;
}

/** Returns the keys that might have signed a token; if there are none, newer keys may. */
export function candidates(token: TokenParts, keys: readonly VerificationKey[], choice: KeyChoice): readonly VerificationKey[] {
  if (token.keyId === "" && !choice.optionalKid) throw new InvalidToken("the token names no key (`kid`)");
  if (algorithmOf(token.algorithm) === undefined) throw new InvalidToken("the token's algorithm is not supported");
  return choice.optionalKid ? keys : keys.filter((key) => key.id === token.keyId);
}

/** Returns whether one of the keys has signed the token. */
export function isSigned(token: TokenParts, keys: readonly VerificationKey[], choice: KeyChoice): boolean {
  const algorithm = algorithmOf(token.algorithm);
  if (algorithm === undefined) return false;
  return keys.some(({ key, algorithm: own }) => {
    const allowed = own === undefined ? choice.optionalAlg : sameAlgorithm(own, token.algorithm);
    return allowed && algorithm.fits(key) && algorithm.verify(key, token.signed, token.signature);
  });
}

/** `EdDSA` is the older name of `Ed25519`. */
const sameAlgorithm = (left: string, right: string): boolean => modern(left) === modern(right);
const modern = (name: string): string => (name === "EdDSA" ? "Ed25519" : name);
