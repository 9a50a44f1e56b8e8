/** Decodes a JWT into its parts, and verifies its signature with the keys of a set. */
import { holdsMoreValuesThan } from "../../runtime/wire/count-values.ts";
import { scanJson } from "../../runtime/wire/scan.ts";
import { algorithmOf, isAlgorithmName } from "./algorithms.ts";
import type { VerificationKey } from "./keys.ts";

/** The parts of a token. Nothing in them is to be believed before a key has been found that signed it. */
export interface TokenParts {
  readonly algorithm: string;
  /** "" where it names no key. */
  readonly keyId: string;
  readonly claims: JsonRecord;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** A JSON object. */
export interface JsonRecord {
  readonly [name: string]: unknown;
}

/** Why a token is not accepted, in words that hold nothing of it. */
export class BadToken extends Error {}

/** Base64url without padding (RFC 7515, 2): of four letters the last may be missing, or the last two. */
const isPart = (text: string): boolean => /^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1;

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === "string";

/** What else a header may say about key and token (RFC 7515, 4.1). Nothing of it is used; but whoever writes it wrongly has made no JWT. */
const parameters: readonly (readonly [name: string, fits: (value: unknown) => boolean, kind: string])[] = [
  ...["typ", "cty", "jku", "x5u", "x5t", "x5t#S256"].map((name) => [name, isTextOrAbsent, "a string"] as const),
  ["x5c", (value) => value === undefined || (Array.isArray(value) && value.every((each) => typeof each === "string")), "a list of strings"],
  ["jwk", (value) => value === undefined || (typeof value === "object" && !Array.isArray(value)), "an object"],
];

/** Takes a token apart, of which no part says more than so many values. */
export function readToken(token: string, mostValues: number): TokenParts {
  const parts = token.split(".", 4);
  const [header = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every(isPart)) throw new BadToken("not a signed JWT");
  const head = readRecord(header, "the header", mostValues);
  const { alg, kid, crit, b64 } = head;
  if (typeof alg !== "string") throw new BadToken("the header names no algorithm");
  // Extensions that must be understood, and of which we understand none.
  if (crit !== undefined || b64 !== undefined) throw new BadToken("the header asks for an extension that is not supported");
  if (kid !== undefined && typeof kid !== "string") throw new BadToken("the key id in the header is not a string");
  const odd = parameters.find(([name, fits]) => !fits(head[name] ?? undefined));
  if (odd !== undefined) throw new BadToken(`\`${odd[0]}\` in the header is not ${odd[2]}`);
  return {
    algorithm: alg,
    keyId: kid ?? "",
    claims: readRecord(payload, "the claims", mostValues),
    signed: Buffer.from(`${header}.${payload}`, "latin1"),
    signature: Buffer.from(signature, "base64url"),
  };
}

// With `ignoreBOM` a byte order mark stays in the text, and then is no JSON.
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readRecord(text: string, what: string, mostValues: number): JsonRecord {
  const bytes = Buffer.from(text, "base64url");
  // Nobody has signed it yet: it is counted before anything is made of it, as the rest of a request is.
  if (bytes.length > mostValues && holdsMoreValuesThan(bytes.toString("latin1"), mostValues))
    throw new BadToken(`more than ${mostValues} values (setting server.requestLimits.maxValuesPerRequest)`);
  try {
    const written = strict.decode(bytes);
    // Claims stand beside attributes: they nest no deeper than those may, and say no name twice.
    const parsed: unknown = scanJson(written) === undefined ? JSON.parse(written) : undefined;
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // What it says is nobody's business.
  }
  throw new BadToken(`not a JWT: ${what} cannot be read as JSON`);
}

/** Which keys a token may be verified with. */
export interface KeyChoice {
  /** Keys may lack an algorithm: then the token names it, as far as the key is of its kind. */
  readonly optionalAlg: boolean;
  /** Tokens and keys may lack key ids: then every key is tried. */
  readonly optionalKid: boolean;
}

/** Returns the claims of a token whose signature is not looked at; what names no known algorithm is no token even so. */
export function unverifiedClaims(token: TokenParts): JsonRecord {
  if (!isAlgorithmName(token.algorithm)) throw new BadToken("the token's algorithm is not known");
  return token.claims;
}

/** Says whether some key of a set might have signed the token: if none does, newer keys may. */
export function candidates(token: TokenParts, keys: readonly VerificationKey[], choice: KeyChoice): readonly VerificationKey[] {
  if (token.keyId === "" && !choice.optionalKid) throw new BadToken("the token names no key (`kid`)");
  if (algorithmOf(token.algorithm) === undefined) throw new BadToken("the token's algorithm is not supported");
  return choice.optionalKid ? keys : keys.filter((key) => key.id === token.keyId);
}

/** Says whether one of the keys has signed the token. */
export function isSigned(token: TokenParts, keys: readonly VerificationKey[], choice: KeyChoice): boolean {
  const algorithm = algorithmOf(token.algorithm);
  if (algorithm === undefined) return false;
  return keys.some(({ key, algorithm: own }) => {
    const allowed = own === undefined ? choice.optionalAlg && algorithm.fits(key) : sameAlgorithm(own, token.algorithm);
    return allowed && algorithm.fits(key) && algorithm.verify(key, token.signed, token.signature);
  });
}

/** `EdDSA` is the older name of `Ed25519`. */
const sameAlgorithm = (left: string, right: string): boolean => modern(left) === modern(right);
const modern = (name: string): string => (name === "EdDSA" ? "Ed25519" : name);
