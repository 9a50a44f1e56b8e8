/** Parses a key set in the form of a JWK, a JWKS or PEM to the keys that verify signatures. */
import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { positionOf } from "../../runtime/wire/position.ts";
import { scanJson } from "../../runtime/wire/scan.ts";
import { algorithmOf, isSupportedKey } from "./algorithms.ts";

/** A key that verifies signatures. */
export interface VerificationKey {
  /** The key id; undefined where the key has none, as in PEM. */
  readonly id: string | undefined;
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

/** The form of a key set, and which fields its keys may lack. */
export interface KeyFormat {
  readonly pem: boolean;
  readonly optionalAlg: boolean;
  readonly optionalKid: boolean;
}

/** The result of parsing a key set. */
export interface ParsedKeys {
  readonly keys: readonly VerificationKey[];
  /** Remarks for the operator; each completes "the key set ...". */
  readonly remarks: readonly string[];
}

/** The most keys of a set, because every key may have to be tried. */
const maxKeys = 100;

/** The result for one key. */
type KeyResult =
  | { readonly kind: "key"; readonly name: string; readonly key: VerificationKey; readonly isPrivate: boolean }
  /** The key cannot be used; the reason names it. */
  | { readonly kind: "unusable"; readonly why: string }
  | { readonly kind: "for something else" };

/**
 * Parses keys; throws an error that says what is wrong without quoting the keys. Keys that cannot be used are skipped (RFC 7517, 5):
 * otherwise, when a host adds a key of a newer type, the whole update would be rejected, and keys that it has withdrawn would be
 * trusted forever.
 */
export function parseKeys(text: string, form: KeyFormat): ParsedKeys {
  const found = form.pem ? parsePem(text) : parseJwks(text, form);
  const keys = found.flatMap((one) => (one.kind === "key" ? one : []));
  const unusable = found.flatMap((one) => (one.kind === "unusable" ? one.why : []));
  if (keys.length === 0) throw new Error(unusable.length > 0 ? joinReasons(unusable) : "it holds no key that verifies signatures");
  if (keys.length > maxKeys) throw new Error(`it holds more than ${maxKeys} keys`);
  const exposed = keys.filter(({ isPrivate }) => isPrivate).map(({ name }) => name);
  return {
    keys: keys.map(({ key }) => key),
    remarks: [
      ...(form.pem && !(form.optionalAlg && form.optionalKid)
        ? ["believes no token: a key of PEM has neither id nor algorithm, so set insecure.optionalKid and insecure.optionalAlg"]
        : []),
      ...(unusable.length > 0 ? [`goes without some of its keys: ${joinReasons(unusable)}`] : []),
      ...(exposed.length > 0
        ? [`holds private keys (${joinReasons(exposed)}): the public ones are enough, keep these where tokens are signed`]
        : []),
    ],
  };
}

/** Joins the first reasons to one sentence, to limit the length of a log line. */
function joinReasons(reasons: readonly string[]): string {
  const rest = reasons.length - maxListedReasons;
  return reasons.slice(0, maxListedReasons).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}
const maxListedReasons = 10;

const unsupportedKey = (name: string): KeyResult => ({
  kind: "unusable",
  why: `${name} is for none of the algorithms that are supported, or it is too short`,
});

function parsePem(text: string): readonly KeyResult[] {
  // All blocks, including truncated ones.
  const blocks = text.split(/(?=-----BEGIN [A-Z0-9 ]+-----)/).filter((block) => block.startsWith("-----BEGIN "));
  return blocks.map((block, index) => {
    const name = `block ${index + 1} of the PEM text`;
    const [whole] = /^-----BEGIN ([A-Z0-9 ]+)-----[^]*?-----END \1-----/.exec(block) ?? [];
    if (whole === undefined) throw new Error(`${name} has no end`);
    const key = importPem(whole, name);
    if (!isSupportedKey(key)) return unsupportedKey(name);
    return {
      kind: "key",
      name,
      key: { id: undefined, algorithm: undefined, key },
      isPrivate: /^-----BEGIN [A-Z ]*PRIVATE KEY/.test(whole),
    };
  });
}

function importPem(block: string, name: string): KeyObject {
  try {
    return createPublicKey(block);
  } catch {
    throw new Error(`${name} is no key that can be read`);
  }
}

function parseJwks(text: string, form: KeyFormat): readonly KeyResult[] {
  const parsed = parseJson(text);
  const written = isRecord(parsed) && Array.isArray(parsed["keys"]) ? parsed["keys"] : [parsed];
  if (written.length > maxKeys) throw new Error(`it holds more than ${maxKeys} keys`);
  return written.map((jwk, index) => parseJwk(jwk, `key ${index + 1}`, form));
}

function parseJwk(jwk: unknown, name: string, form: KeyFormat): KeyResult {
  if (!isRecord(jwk)) throw new Error(`${name} is not a JSON object`);
  const { use, key_ops: operations, kid, alg } = jwk;
  const unusable = (why: string): KeyResult => ({ kind: "unusable", why: `${name} ${why}` });
  // Probably a mistake. Nothing else may show it, so the key is named by its id as tokens use it.
  const odd = (what: string): KeyResult => unusable(`${typeof kid === "string" && isQuotable.test(kid) ? `(\`${kid}\`) ` : ""}has ${what}`);
  if (use === "enc") return { kind: "for something else" };
  if (use !== undefined && use !== "sig") return odd("a use (`use`) that is neither `sig` nor `enc`: say `sig`, or leave it out");
  const isNamed = operations !== undefined && operations !== null;
  if (isNamed && !Array.isArray(operations)) return unusable("has operations (`key_ops`) that are not a list");
  if (Array.isArray(operations) && operations.every((one) => one !== "verify" && one !== "sign"))
    return operations.length > 0 && operations.every((one) => otherOperations.has(one))
      ? { kind: "for something else" }
      : odd("operations (`key_ops`) that are not those there are: say `verify`, or leave them out");
  if (!form.optionalKid && (typeof kid !== "string" || kid === ""))
    return unusable("has no key id (`kid`): give it one, or set insecure.optionalKid");
  if (alg !== undefined && alg !== null && (typeof alg !== "string" || alg === ""))
    return unusable("has an algorithm (`alg`) that is not a string, or an empty one");
  if (!form.optionalAlg && typeof alg !== "string") return unusable("has no algorithm (`alg`): give it one, or set insecure.optionalAlg");
  const key = importKey(jwk);
  if (key === undefined) return unusable("cannot be read as a JSON Web Key");
  const algorithm = typeof alg === "string" ? alg : undefined;
  if (algorithm === undefined) {
    if (!isSupportedKey(key)) return unsupportedKey(name);
  } else {
    const known = algorithmOf(algorithm);
    if (known === undefined) return unusable("is for an algorithm that is not supported");
    if (!known.fits(key)) return unusable(`is not a key for \`${algorithm}\`, or it is too short`);
  }
  const id = typeof kid === "string" && kid !== "" ? kid : undefined;
  return { kind: "key", name, key: { id, algorithm, key }, isPrivate: jwk["kty"] !== "oct" && jwk["d"] !== undefined };
}

/** The operations of keys other than signatures (RFC 7517, 4.3). */
const otherOperations: ReadonlySet<unknown> = new Set(["encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits"]);

/** Key ids that are quoted in messages; others could be mistaken for part of the sentence. */
const isQuotable = /^[\w.:+/=@-]{1,100}$/;

/** Returns undefined when it is not a valid key. */
function importKey(jwk: { readonly [name: string]: unknown }): KeyObject | undefined {
  try {
    if (jwk["kty"] !== "oct") return createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }); // Node validates it
    if (typeof jwk["k"] === "string" && jwk["k"] !== "") return createSecretKey(Buffer.from(jwk["k"], "base64url"));
  } catch {
    // Node's message may quote the key.
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Only the position is reported: the text may hold secrets.
    const offset = scanJson(text)?.offset;
    const what = text.trim() === "" ? "it is empty" : `it is not JSON${offset === undefined ? "" : ` (${positionOf(text, offset)})`}`;
    throw new Error(`${what}: a key set is a JSON Web Key, a set of them, or PEM with \`pem: true\``);
  }
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
