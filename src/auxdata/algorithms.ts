/** The algorithms with which tokens may be signed, each with the keys that fit it. `none` is not among them. */
import { constants, createHmac, timingSafeEqual, verify, type KeyObject } from "node:crypto";

/** An algorithm. */
export interface Algorithm {
  /**
   * Returns whether a key may be used with this algorithm. Keys of another family never fit, because a public key could otherwise be
   * used as an HMAC secret.
   */
  readonly fits: (key: KeyObject) => boolean;
  readonly verify: (key: KeyObject, signed: Buffer, signature: Buffer) => boolean;
}

/** Shorter RSA keys are not secure (RFC 7518, 3.3). */
const minRsaBits = 2048;

const isRsa = ({ type, asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): boolean =>
  // With an exponent of 1, anybody could sign.
  type === "public" && asymmetricKeyType === "rsa" && modulusLength >= minRsaBits && publicExponent > 1n;

const hmac = (bits: 256 | 384 | 512): Algorithm => ({
  // A secret must be at least as long as the digest (RFC 7518, 3.2).
  fits: (key) => key.type === "secret" && (key.symmetricKeySize ?? 0) * 8 >= bits,
  verify: (key, signed, signature) => {
    const wanted = createHmac(`sha${bits}`, key).update(signed).digest();
    return wanted.length === signature.length && timingSafeEqual(wanted, signature);
  },
});

const rsa = (bits: 256 | 384 | 512): Algorithm => ({
  fits: isRsa,
  verify: (key, signed, signature) => verify(`sha${bits}`, signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature),
});

const rsaPss = (bits: 256 | 384 | 512): Algorithm => ({
  fits: (key) => isRsa(key),
  verify: (key, signed, signature) =>
    verify(`sha${bits}`, signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: bits / 8 }, signature),
});

const ecdsa = (bits: 256 | 384 | 512, curve: string): Algorithm => ({
  fits: (key) => key.type === "public" && key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === curve,
  verify: (key, signed, signature) => verify(`sha${bits}`, signed, { key, dsaEncoding: "ieee-p1363" }, signature),
});

const ed25519: Algorithm = {
  fits: (key) => key.type === "public" && key.asymmetricKeyType === "ed25519",
  verify: (key, signed, signature) => verify(null, signed, key, signature),
};

const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ["HS256", hmac(256)],
  ["HS384", hmac(384)],
  ["HS512", hmac(512)],
  ["RS256", rsa(256)],
  ["RS384", rsa(384)],
  ["RS512", rsa(512)],
  ["PS256", rsaPss(256)],
  ["PS384", rsaPss(384)],
  ["PS512", rsaPss(512)],
  ["ES256", ecdsa(256, "prime256v1")],
  ["ES384", ecdsa(384, "secp384r1")],
  ["ES512", ecdsa(512, "secp521r1")],
  ["EdDSA", ed25519],
  ["Ed25519", ed25519],
]);

/** Returns the algorithm with a name; undefined for an unsupported one. */
export const algorithmOf = (name: string): Algorithm | undefined => algorithms.get(name);

/** Returns whether a key fits any algorithm. */
export const isSupportedKey = (key: KeyObject): boolean => [...algorithms.values()].some(({ fits }) => fits(key));

/** Names that are accepted where signatures are not verified, although there is no verification for them. */
const unverifiable: ReadonlySet<string> = new Set(["ES256K", "none"]);

/** Returns whether a name is that of a signature algorithm, supported or not. */
export const isAlgorithmName = (name: string): boolean => algorithms.has(name) || unverifiable.has(name);
