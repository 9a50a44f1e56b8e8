/** What must hold of every token, however it was made: what we believe, jose believes too, and reads the same claims. */
import { constants, createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import {
  assert as holds,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  oneof,
  record,
  type Arbitrary,
} from "fast-check";
import { createLocalJWKSet, exportJWK, jwtVerify, type JWK, type JWTVerifyGetKey } from "jose";
import { expect, test } from "vitest";
import { openAuxData } from "../../src/auxdata/aux-data.ts";
import { logTo } from "../../src/observe/log.ts";
import { fetchText } from "../../src/outgoing/fetch-text.ts";

const now = Date.parse("2025-06-01T12:00:00Z");
const seconds = now / 1000;

/** One way in which a key can sign. */
interface Way {
  readonly alg: string;
  readonly sign: (text: string) => Buffer;
}

interface Signer {
  readonly kid: string;
  readonly jwk: JWK;
  /** The way that the key set says, and others that the key could go. */
  readonly ways: readonly [Way, ...Way[]];
  /** What everybody may know of the key. */
  readonly known: readonly string[];
}

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
const hmac = (alg: string, secret: Buffer | string): Way => ({
  alg,
  sign: (text) =>
    createHmac(`sha${alg.slice(2)}`, secret)
      .update(text)
      .digest(),
});
const rsa = (alg: string, key: KeyObject): Way => ({
  alg,
  sign: (text) =>
    sign(`sha${alg.slice(2)}`, bytesOf(text), {
      key,
      ...(alg.startsWith("PS")
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(alg.slice(2)) / 8 }
        : { padding: constants.RSA_PKCS1_PADDING }),
    }),
});
const elliptic = (alg: string, key: KeyObject, dsaEncoding: "ieee-p1363" | "der" = "ieee-p1363"): Way => ({
  alg,
  sign: (text) => sign(`sha${alg.slice(2)}`, bytesOf(text), { key, dsaEncoding }),
});
const edwards = (key: KeyObject): Way => ({ alg: "EdDSA", sign: (text) => sign(null, bytesOf(text), key) });

async function signers(): Promise<readonly Signer[]> {
  const of = async (
    kid: string,
    { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
    waysOf: (key: KeyObject) => Signer["ways"],
  ): Promise<Signer> => {
    const ways = waysOf(privateKey);
    const jwk = { ...(await exportJWK(publicKey)), kid, alg: ways[0].alg };
    return {
      kid,
      jwk,
      ways,
      known: [publicKey.export({ type: "spki", format: "pem" }).toString(), JSON.stringify(jwk), jwk.n ?? jwk.x ?? ""],
    };
  };
  const secret = Buffer.alloc(64, 7);
  const bits = { modulusLength: 2048 };
  return [
    await of("rs", generateKeyPairSync("rsa", bits), (key) => [rsa("RS256", key), rsa("PS256", key), rsa("RS512", key)]),
    await of("ps", generateKeyPairSync("rsa", bits), (key) => [rsa("PS256", key), rsa("RS256", key), rsa("PS384", key)]),
    await of("es", generateKeyPairSync("ec", { namedCurve: "P-256" }), (key) => [
      elliptic("ES256", key),
      elliptic("ES256", key, "der"),
      elliptic("ES384", key),
    ]),
    await of("e3", generateKeyPairSync("ec", { namedCurve: "P-384" }), (key) => [elliptic("ES384", key), elliptic("ES256", key)]),
    await of("ed", generateKeyPairSync("ed25519"), (key) => [edwards(key)]),
    {
      kid: "hs",
      jwk: { kty: "oct", k: secret.toString("base64url"), kid: "hs", alg: "HS256" },
      ways: [hmac("HS256", secret), hmac("HS512", secret)],
      known: [""],
    },
  ];
}

/** Of few tokens more than one thing is wrong: what is wrong with one would hide the other. */
const seldom = <T>(what: Arbitrary<T>): Arbitrary<T | null> =>
  oneof({ weight: 6, arbitrary: constant(null) }, { weight: 1, arbitrary: what });

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** What is done to a token after it was signed. */
type Harm = (token: string, at: number) => string;
const harms: readonly Harm[] = [
  (token, at) => replaced(token, at, "A"),
  (token, at) => replaced(token, at, "_"),
  (token, at) => replaced(token, at, "="),
  (token, at) => replaced(token, at, ""),
  (token, at) => `${token.slice(0, at % token.length)}AQ${token.slice(at % token.length)}`,
  (token) => token.slice(0, token.lastIndexOf(".") + 1),
  (token) => token.slice(0, token.lastIndexOf(".")),
  (token) => `${token}=`,
  (token) => `${token}A`,
  (token) => `${token} `,
  (token) => `${token}.`,
];
const replaced = (token: string, at: number, by: string): string =>
  token.slice(0, at % token.length) + by + token.slice((at % token.length) + 1);

test("what we believe, jose believes, and the claims are the same", async () => {
  const all = await signers();
  const set = { keys: all.map(({ jwk }) => jwk) };
  const auxData = openAuxData(
    {
      "auxData.jwt.acceptableTimeSkew": 0,
      "auxData.jwt.cacheSize": 10,
      "auxData.jwt.disableVerification": false,
      "auxData.jwt.keySets": [
        { id: "k", source: { kind: "data", text: JSON.stringify(set), pem: false }, optionalAlg: false, optionalKid: false },
      ],
    },
    { log: logTo({ write: () => undefined }, "error"), fetchText },
  );
  const jwks = createLocalJWKSet(set);
  const secret = Buffer.from(all.find(({ kid }) => kid === "hs")?.jwk.k ?? "", "base64url");
  // Of secrets jose has no sets.
  const keyOf: JWTVerifyGetKey = (header, token) => (header.kid === "hs" && header.alg === "HS256" ? secret : jwks(header, token));

  const signer = constantFrom(...all);
  const alg = constantFrom(
    "none",
    "None",
    "HS256",
    "HS512",
    "RS256",
    "RS512",
    "PS256",
    "ES256",
    "ES384",
    "EdDSA",
    "ES256K",
    "",
    "constructor",
  );
  const extension = constantFrom<object>(
    { crit: ["b64"] },
    { crit: ["b64"], b64: false },
    { crit: [] },
    { b64: false },
    { crit: ["exp"], exp: 1 },
    { jwk: { kty: "oct", k: "AAAA" } },
    { jku: "http://127.0.0.1:1/" },
    { cty: "JWT" },
    { zip: "DEF" },
  );
  const time = integer({ min: seconds - 2, max: seconds + 2 });
  const claims = oneof(
    { weight: 3, arbitrary: constant<object>({ sub: "ann" }) },
    { weight: 1, arbitrary: record({ exp: time, nbf: time }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: dictionary(constantFrom("a", "b", "__proto__", "constructor"), jsonValue(), { maxKeys: 3 }) },
  );
  const made = record({
    signer,
    by: seldom(signer),
    /** Beyond the ways of the key: what everybody knows of it, taken for a secret. */
    way: oneof({ weight: 3, arbitrary: constant(0) }, { weight: 1, arbitrary: integer({ min: 0, max: 5 }) }),
    /** Whether the header names the algorithm that the token was signed with, or that of the key. */
    isNamed: boolean(),
    alg: seldom(alg),
    kid: seldom(constantFrom<unknown>("rs", "hs", "zz", "", 5)),
    extension: seldom(extension),
    claims,
    harm: seldom(record({ harm: constantFrom(...harms), at: integer({ min: 0, max: 10_000 }) })),
  });

  const counted = { believed: 0, refused: 0 };
  await holds(
    asyncProperty(made, async ({ signer: own, by, way: at, isNamed, alg: other, kid, extension: more, claims: said, harm }) => {
      const way = (by ?? own).ways[at] ?? hmac("HS256", own.known[at % own.known.length] ?? "");
      const text = [{ alg: other ?? (isNamed ? way : own.ways[0]).alg, kid: kid ?? own.kid, ...more }, said].map(part).join(".");
      const whole = `${text}.${way.sign(text).toString("base64url")}`;
      const token = harm === null ? whole : harm.harm(whole, harm.at);

      const outcome = await auxData.verify({ jwt: { token, keySetId: "k" } }, now);
      if (outcome.kind === "invalid") return void counted.refused++;
      counted.believed++;
      const { payload } = await jwtVerify(token, keyOf, { currentDate: new Date(now) });
      const { exp: _exp, nbf: _nbf, ...ours } = (JSON.parse(outcome.text) as { readonly jwt: { readonly [name: string]: unknown } }).jwt;
      const { exp: _e, nbf: _n, ...theirs } = payload;
      // A claim that is null is none.
      expect(ours).toEqual(Object.fromEntries(Object.entries(theirs).filter(([, value]) => value !== null)));
    }),
    { numRuns: 1500 },
  );
  auxData.close();
  // Neither the good nor the bad ones are few: else nothing would have been shown.
  expect(Math.min(counted.believed, counted.refused)).toBeGreaterThan(150);
});
