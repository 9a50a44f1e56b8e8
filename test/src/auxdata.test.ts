/** Tokens: which are believed, with which keys, for how long; and that keys which cannot be had harm nobody. Signed by jose, verified by us. */
import { execFileSync } from "node:child_process";
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { base64url, CompactSign, exportJWK, jwtVerify, type JWK } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openAuxData, type AuxDataVerifier, type AuxDataConfig, type VerificationResult } from "../../src/auxdata/aux-data.ts";
import type { KeySetSetting } from "../../src/config/key-sets.ts";
import { fetchText } from "../../src/outgoing/fetch-text.ts";
import { logTo } from "../../src/observe/log.ts";
import { withoutFiles } from "./without-files.ts";

const now = Date.parse("2025-06-01T12:00:00Z");
const seconds = now / 1000;
const fresh = { exp: seconds + 60, sub: "ann" };

interface Pair {
  readonly alg: string;
  readonly sign: KeyObject | Uint8Array;
  readonly jwk: JWK;
}

async function pair(alg: string, kid: string): Promise<Pair> {
  if (alg.startsWith("HS")) {
    const secret = new Uint8Array(64).fill(kid.length);
    return { alg, sign: secret, jwk: { kty: "oct", k: base64url.encode(secret), alg, kid } };
  }
  const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
  const curve = curves[alg];
  const { privateKey, publicKey } =
    curve !== undefined
      ? generateKeyPairSync("ec", { namedCurve: curve })
      : alg.startsWith("Ed")
        ? generateKeyPairSync("ed25519")
        : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { alg, sign: privateKey, jwk: { ...(await exportJWK(publicKey)), alg, kid } };
}

const token = (pair: Pair, claims: object | string = fresh, header: object = { kid: pair.jwk.kid }): Promise<string> =>
  new CompactSign(new TextEncoder().encode(typeof claims === "string" ? claims : JSON.stringify(claims)))
    .setProtectedHeader({ alg: pair.alg, ...header })
    .sign(pair.sign);

const part = (value: unknown): string => base64url.encode(JSON.stringify(value));

const strict = { optionalAlg: false, optionalKid: false } as const;
const inline = (id: string, keys: readonly object[], options: Partial<KeySetSetting> = {}): KeySetSetting => ({
  id,
  source: { kind: "data", text: JSON.stringify({ keys }), pem: false },
  ...strict,
  ...options,
});

const opened: AuxDataVerifier[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function open(
  keySets: readonly KeySetSetting[],
  config: Partial<AuxDataConfig> = {},
  milliseconds = 5000,
  pauseMilliseconds = 0,
): { readonly auxData: AuxDataVerifier; readonly lines: string[] } {
  const lines: string[] = [];
  const auxData = openAuxData(
    {
      "auxData.jwt.acceptableTimeSkew": 0,
      "auxData.jwt.cacheSize": 100,
      "auxData.jwt.disableVerification": false,
      "auxData.jwt.keySets": keySets,
      ...config,
    },
    {
      log: logTo({ write: (line) => void lines.push(line) }, "info"),
      fetchText: (url, bounds) => fetchText(url, { ...bounds, milliseconds }),
      pauseMilliseconds,
    },
  );
  opened.push(auxData);
  return { auxData, lines };
}

/** The claims, or the reason why there are none. */
const said = async (verified: VerificationResult | Promise<VerificationResult>): Promise<unknown> => {
  const outcome = await verified;
  return outcome.kind === "claims" ? JSON.parse(outcome.text) : outcome.reason;
};
const ask = (auxData: AuxDataVerifier, token: string, keySetId = "", at = now): Promise<unknown> =>
  said(auxData.verify({ jwt: { token, keySetId } }, at));
const believed = { jwt: { exp: "2025-06-01T12:01:00Z", sub: "ann" } };

describe("algorithms", () => {
  test.each([
    "HS256",
    "HS384",
    "HS512",
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
  ])("%s is believed when it is right, and not when one bit is wrong: as jose has it", async (alg) => {
    const keys = await pair(alg, "a");
    const { auxData } = open([inline("k", [keys.jwk])]);
    const good = await token(keys);
    expect(await ask(auxData, good)).toEqual(believed);
    const [header = "", payload = "", signature = ""] = good.split(".");
    const bytes = base64url.decode(signature);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    const others = [
      `${header}.${payload}.${base64url.encode(bytes)}`,
      `${header}.${base64url.encode(JSON.stringify({ ...fresh, sub: "eve" }))}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${base64url.encode(new Uint8Array(base64url.decode(signature).length))}`,
    ];
    for (const bad of others) {
      expect(await ask(auxData, bad)).toBe("bad signature");
      await expect(
        jwtVerify(bad, keys.jwk.kty === "oct" ? base64url.decode(keys.jwk.k ?? "") : keys.jwk, { currentDate: new Date(now) }),
      ).rejects.toThrow();
    }
  });

  test("a public key is never taken for a secret, nor one kind of key for another", async () => {
    const rsa = await pair("RS256", "a");
    const { alg: _, ...open1 } = rsa.jwk;
    const { auxData } = open([inline("k", [open1], { optionalAlg: true, optionalKid: true })]);
    const secrets = [JSON.stringify(rsa.jwk), JSON.stringify(open1), rsa.jwk.n ?? ""];
    for (const secret of secrets) {
      const forged: Pair = { alg: "HS256", sign: new TextEncoder().encode(secret.padEnd(64)), jwk: { kty: "oct", kid: "a" } };
      expect(await ask(auxData, await token(forged))).toBe("bad signature");
    }
    const ec = await pair("ES256", "a");
    expect(await ask(auxData, await token(ec))).toBe("bad signature");
    expect(await ask(auxData, await token({ ...rsa, alg: "PS256" }))).toEqual(believed); // the same kind of key: optionalAlg leaves it to the token
  });

  test.each([
    ["EdDSA", "Ed25519"],
    ["Ed25519", "EdDSA"],
  ])("%s and %s are two names of one algorithm (RFC 9864)", async (ofKey, ofToken) => {
    const keys = await pair(ofKey, "a");
    const { auxData } = open([inline("k", [keys.jwk])]);
    expect(await ask(auxData, await token({ ...keys, alg: ofToken }))).toEqual(believed);
  });

  test.each<readonly [bits: number, isBelieved: boolean]>([
    [2047, false],
    [2048, true],
  ])("an RSA key of %d bits is long enough: %s, though the token may choose (RFC 7518, 3.3)", async (modulusLength, isBelieved) => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength });
    const [jwk, other] = [{ ...(await exportJWK(publicKey)), kid: "a" }, await pair("ES256", "b")];
    const { auxData } = open([inline("k", [jwk, other.jwk], { optionalAlg: true })]);
    const signed = signedBy({ alg: "RS256", kid: "a" }, (data) => sign("sha256", data, privateKey));
    expect(await ask(auxData, signed)).toEqual(isBelieved ? believed : "the key set `k` has no key of the id that the token names");
  });

  /** A token that is signed as no library would sign it. */
  const signedBy = (header: object, sign: (data: Buffer) => Buffer): string => {
    const signed = `${part(header)}.${part(fresh)}`;
    return `${signed}.${sign(Buffer.from(signed)).toString("base64url")}`;
  };

  test("an elliptic key is for the algorithm of its curve alone (RFC 7518, 3.4)", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
    const jwk = { ...(await exportJWK(publicKey)), kid: "a" };
    const by = (alg: string, digest: string): string =>
      signedBy({ alg, kid: "a" }, (data) => sign(digest, data, { key: privateKey, dsaEncoding: "ieee-p1363" }));
    const { auxData } = open([inline("k", [jwk], { optionalAlg: true })]);
    expect([await ask(auxData, by("ES384", "sha384")), await ask(auxData, by("ES256", "sha256"))]).toEqual([believed, "bad signature"]);
    expect(() => open([inline("k", [{ ...jwk, alg: "ES256" }])])).toThrow("is not a key for `ES256`");
  });

  test("the salt of PS256 is as long as its digest (RFC 7518, 3.5)", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { auxData } = open([inline("k", [{ ...(await exportJWK(publicKey)), alg: "PS256", kid: "a" }])]);
    const salted = (saltLength: number): string =>
      signedBy({ alg: "PS256", kid: "a" }, (data) =>
        sign("sha256", data, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }),
      );
    expect([await ask(auxData, salted(32)), await ask(auxData, salted(20)), await ask(auxData, salted(0))]).toEqual([
      believed,
      "bad signature",
      "bad signature",
    ]);
  });

  test("a secret is for no digest that is longer than it, though the token may choose (RFC 7518, 3.2)", async () => {
    const secret = new Uint8Array(48).fill(7);
    const { auxData } = open([inline("k", [{ kty: "oct", k: base64url.encode(secret), kid: "a" }], { optionalAlg: true })]);
    const by = (bits: number): Promise<unknown> =>
      ask(
        auxData,
        signedBy({ alg: `HS${bits}`, kid: "a" }, (data) => createHmac(`sha${bits}`, secret).update(data).digest()),
      );
    expect([await by(256), await by(384), await by(512)]).toEqual([believed, believed, "bad signature"]);
  });

  test("what is null in the header is not there", async () => {
    const keys = await pair("HS256", "a");
    const nothing = Object.fromEntries(["typ", "cty", "jku", "x5u", "x5t", "x5t#S256", "x5c", "jwk"].map((name) => [name, null]));
    const signed = signedBy({ alg: "HS256", kid: "a", ...nothing }, (data) => createHmac("sha256", keys.sign).update(data).digest());
    expect(await ask(open([inline("k", [keys.jwk])]).auxData, signed)).toEqual(believed);
  });

  test("the algorithm is the key's, whatever the token says", async () => {
    const rsa = await pair("RS256", "a");
    const { auxData } = open([inline("k", [rsa.jwk])]);
    expect(await ask(auxData, await token({ ...rsa, alg: "RS512" }))).toBe("bad signature");
  });

  test.each<readonly [sentence: string, token: string, reason: string]>([
    ["alg none", `${part({ alg: "none", kid: "a" })}.${part(fresh)}.`, "the token's algorithm is not supported"],
    ["no algorithm", `${part({ kid: "a" })}.${part(fresh)}.`, "the header names no algorithm"],
    [
      "an algorithm called like a member of objects",
      `${part({ alg: "constructor", kid: "a" })}.${part(fresh)}.AA`,
      "the token's algorithm is not supported",
    ],
    [
      "an extension",
      `${part({ alg: "ES256", kid: "a", crit: ["b64"], b64: false })}.${part(fresh)}.AA`,
      "the header asks for an extension that is not supported",
    ],
    [
      "an extension that must be understood",
      `${part({ alg: "ES256", kid: "a", crit: ["exp"] })}.${part(fresh)}.AA`,
      "the header asks for an extension that is not supported",
    ],
    [
      "claims that are not encoded",
      `${part({ alg: "ES256", kid: "a", b64: false })}.${part(fresh)}.AA`,
      "the header asks for an extension that is not supported",
    ],
    ["no key id", `${part({ alg: "ES256" })}.${part(fresh)}.AA`, "the token names no key (`kid`)"],
    ...(
      [
        ["typ", 5, "a string"],
        ["cty", true, "a string"],
        ["jku", {}, "a string"],
        ["x5u", [], "a string"],
        ["x5t", 5, "a string"],
        ["x5t#S256", 5, "a string"],
        ["x5c", "MII", "a list of strings"],
        ["x5c", [5], "a list of strings"],
        ["jwk", "x", "an object"],
        ["jwk", [], "an object"],
      ] as readonly (readonly [name: string, value: unknown, kind: string])[]
    ).map(
      ([name, value, kind]) =>
        [
          `a header whose ${name} is ${JSON.stringify(value)}`,
          `${part({ alg: "ES256", kid: "a", [name]: value })}.${part(fresh)}.AA`,
          `\`${name}\` in the header is not ${kind}`,
        ] as const,
    ),
    ["a key id that is a number", `${part({ alg: "ES256", kid: 5 })}.${part(fresh)}.AA`, "the key id in the header is not a string"],
    [
      "an unknown key id",
      `${part({ alg: "ES256", kid: "z" })}.${part(fresh)}.AA`,
      "the key set `k` has no key of the id that the token names",
    ],
    ["garbage", "garbage", "not a signed JWT"],
    ["two parts", "a.b", "not a signed JWT"],
    ["five parts, as an encrypted token has", "a.b.c.d.e", "not a signed JWT"],
    ["a fourth part behind a whole token", `${part({ alg: "ES256", kid: "a" })}.${part(fresh)}.AA.AA`, "not a signed JWT"],
    ["other letters", "a+b.c.d", "not a signed JWT"],
    [
      "an algorithm that is named twice",
      `${base64url.encode('{"alg":"none","alg":"ES256","kid":"a"}')}.${part({})}.AA`,
      "not a JWT: the header cannot be read as JSON",
    ],
    [
      "claims that nest without end",
      `${part({ alg: "ES256", kid: "a" })}.${base64url.encode(`{"x":${"[".repeat(60_000)}${"]".repeat(60_000)}}`)}.AA`,
      "not a JWT: the claims cannot be read as JSON",
    ],
    ["a header that is no JSON", "eA.eA.eA", "not a JWT: the header cannot be read as JSON"],
    ["a signature of so many letters as no bytes have", `${part({ alg: "ES256", kid: "a" })}.${part(fresh)}.AAAAA`, "not a signed JWT"],
    [
      "a header that begins with the mark of a byte order",
      `${base64url.encode(`\ufeff${JSON.stringify({ alg: "ES256", kid: "a" })}`)}.${part(fresh)}.AA`,
      "not a JWT: the header cannot be read as JSON",
    ],
    // What is replaced would make two subjects one.
    ...(["\xff", "\xc0\xaf", "\xed\xa0\x80"] as const).map(
      (bytes) =>
        [
          `claims with bytes that are not UTF-8: ${JSON.stringify(bytes)}`,
          `${part({ alg: "ES256", kid: "a" })}.${Buffer.from(`{"sub":"${bytes}"}`, "latin1").toString("base64url")}.AA`,
          "not a JWT: the claims cannot be read as JSON",
        ] as const,
    ),
    ["claims that are nothing", `${part({ alg: "ES256", kid: "a" })}.${part(null)}.AA`, "not a JWT: the claims cannot be read as JSON"],
    ["claims that are a text", `${part({ alg: "ES256", kid: "a" })}.${part("ann")}.AA`, "not a JWT: the claims cannot be read as JSON"],
    ["claims that are a list", `${part({ alg: "ES256", kid: "a" })}.${part([1])}.AA`, "not a JWT: the claims cannot be read as JSON"],
  ])("%s is refused", async (_sentence, bad, reason) => {
    const { auxData } = open([inline("k", [(await pair("ES256", "a")).jwk])]);
    expect(await ask(auxData, bad)).toBe(reason);
  });
});

describe("claims", () => {
  const cases: readonly (readonly [sentence: string, claims: object | string, wanted: unknown])[] = [
    [
      "instants are RFC 3339, without parts of a second",
      { exp: seconds + 1.9, iat: seconds - 5.9, nbf: seconds },
      { exp: "2025-06-01T12:00:01Z", iat: "2025-06-01T11:59:54Z", nbf: "2025-06-01T12:00:00Z" },
    ],
    [
      "instants may come as texts",
      { exp: String(seconds + 60), nbf: "2025-06-01T12:00:00Z" },
      { exp: "2025-06-01T12:01:00Z", nbf: "2025-06-01T12:00:00Z" },
    ],
    ["one audience is a list of one", { aud: "a" }, { aud: ["a"] }],
    ["several stay several", { aud: ["a", "b"] }, { aud: ["a", "b"] }],
    ["nulls are dropped, but not those inside", { a: null, o: { a: null } }, { o: { a: null } }],
    ["a null where a text belongs is an empty one", { iss: null, sub: null, jti: null }, { iss: "", sub: "", jti: "" }],
    ["everything else stays as it is", { n: 1.5, b: false, l: [1, "x", []], "": 0 }, { n: 1.5, b: false, l: [1, "x", []], "": 0 }],
    ["names are data", '{"__proto__":{"a":1},"constructor":2}', JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
    ["a zero keeps its sign", '{"n":-0,"l":[-0.0],"o":{"n":-1e-400}}', { n: -0, l: [-0], o: { n: -0 } }],
    ["none are none", {}, {}],
    ["expired", { exp: seconds }, "expired"],
    ["expired long ago", { exp: 0 }, "expired"],
    ["not valid yet", { nbf: seconds + 1 }, "not valid yet"],
    ["issued in the future", { iat: seconds + 1 }, "issued in the future"],
    ["a null is no end", { exp: null }, "the claim `exp` is not an instant"],
    ["an end beyond all calendars", { exp: 1e20 }, "the claim `exp` is not an instant"],
    ["an end before 1970", { exp: -5 }, "the claim `exp` is not an instant"],
    ["a start before 1970, however little", '{"nbf":-0}', "the claim `nbf` is not an instant"],
    ["an end that is true", { exp: true }, "the claim `exp` is not an instant"],
    ["an end in digits with an exponent", { exp: "2e9" }, "the claim `exp` is not an instant"],
    ["an end in digits of another base", { exp: "0x7fffffff" }, "the claim `exp` is not an instant"],
    ["an end in digits with something behind", { exp: `${seconds + 60} ` }, "the claim `exp` is not an instant"],
    ["an audience that is a number", { aud: 5 }, "the claim `aud` is not a list of strings"],
    ["an audience that is null", { aud: null }, "the claim `aud` is not a list of strings"],
    ["an audience of numbers", { aud: ["a", 1] }, "the claim `aud` is not a list of strings"],
    ["a subject that is a number", { sub: 5 }, "the claim `sub` is not a string"],
  ];
  test.each(cases)("%s", async (_sentence, claims, wanted) => {
    const keys = await pair("HS256", "a");
    const signed = await token(keys, claims);
    for (const disabled of [false, true]) {
      const { auxData } = open([inline("k", [keys.jwk])], { "auxData.jwt.disableVerification": disabled });
      expect(await ask(auxData, signed)).toEqual(typeof wanted === "string" ? wanted : { jwt: wanted });
    }
  });

  test("clocks may be off by what is configured, and no more", async () => {
    const keys = await pair("HS256", "a");
    const { auxData } = open([inline("k", [keys.jwk])], { "auxData.jwt.acceptableTimeSkew": 60_000 });
    const outcomes = await Promise.all(
      [
        { exp: seconds - 59 },
        { exp: seconds - 60 },
        { nbf: seconds + 60 },
        { nbf: seconds + 61 },
        { iat: seconds + 60 },
        { iat: seconds + 61 },
      ].map(async (claims) => typeof (await ask(auxData, await token(keys, claims)))),
    );
    expect(outcomes).toEqual(["object", "string", "object", "string", "object", "string"]);
  });

  test("a token that was believed is remembered until it has expired", async () => {
    const keys = await pair("HS256", "a");
    const { auxData } = open([inline("k", [keys.jwk])]);
    const signed = await token(keys, { exp: seconds + 60, nbf: seconds - 60 });
    const at = async (offset: number): Promise<unknown> => [
      typeof (await ask(auxData, signed, "", now + offset * 1000)),
      auxData.cacheState().live,
    ];
    expect([await at(0), await at(-61), await at(0), await at(60)]).toEqual([
      ["object", 1],
      ["string", 1],
      ["object", 1],
      ["string", 0],
    ]);
  });

  test("without verification every signature is believed, and nothing of time", async () => {
    const { auxData, lines } = open([], { "auxData.jwt.disableVerification": true });
    expect(await ask(auxData, await token(await pair("HS256", "a")), "nope")).toEqual(believed);
    expect(lines.filter((line) => line.includes("insecure"))).toHaveLength(1);
  });

  test.each<readonly [alg: string, isBelieved: boolean]>([
    ["ES512", true],
    ["EdDSA", true],
    ["ES256K", true],
    ["none", true],
    ["None", false],
    ["rs256", false],
    ["RSA-OAEP", false],
    ["foo", false],
    ["", false],
  ])("without verification the algorithm `%s` is believed: %s", async (alg, isBelieved) => {
    const { auxData } = open([], { "auxData.jwt.disableVerification": true });
    const written = [{ alg }, fresh].map((part) => base64url.encode(JSON.stringify(part)));
    expect(await ask(auxData, `${written.join(".")}.AA`)).toEqual(isBelieved ? believed : "the token's algorithm is not known");
  });
});

describe("key sets", () => {
  test("the id chooses, always; one alone needs no id (D15)", async () => {
    const [a, b] = [await pair("HS256", "a"), await pair("ES256", "b")];
    const [ofA, ofB] = [await token(a), await token(b)];
    const alone = open([inline("one", [a.jwk])]).auxData;
    expect([await ask(alone, ofA), await ask(alone, ofA, "one"), await ask(alone, ofA, "two")]).toEqual([
      believed,
      believed,
      "unknown key set `two`",
    ]);
    const { auxData } = open([inline("one", [a.jwk]), inline("two", [b.jwk])]);
    expect([await ask(auxData, ofA, "one"), await ask(auxData, ofB, "two")]).toEqual([believed, believed]);
    // Believed once under its own key set, it is not believed under another, or under none.
    expect([await ask(auxData, ofA, "two"), await ask(auxData, ofA)]).toEqual([
      "the key set `two` has no key of the id that the token names",
      "several key sets are configured: name one (`keySetId`)",
    ]);
    expect(await ask(open([]).auxData, ofA)).toBe("no key sets are configured");
    expect(await ask(alone, ofA, `x${"y".repeat(1000)}`)).toHaveLength("unknown key set ``".length + 64);
  });

  test("several tokens are believed together or not at all", async () => {
    const keys = await pair("HS256", "a");
    const { auxData } = open([inline("k", [keys.jwk])]);
    const [good, old] = [
      { token: await token(keys), keySetId: "" },
      { token: await token(keys, { exp: 1 }), keySetId: "k" },
    ];
    expect(await said(auxData.verify({ jwts: { a: good, b: good } }, now))).toEqual({
      jwts: { a: { claims: believed.jwt }, b: { claims: believed.jwt } },
    });
    expect(await said(auxData.verify({ jwts: { a: good, b: old } }, now))).toBe("token `b`: expired");
    const many = (count: number): Parameters<AuxDataVerifier["verify"]>[0] => ({
      jwts: Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, good])),
    });
    expect(auxData.verify(many(50), now)).toMatchObject({ kind: "claims" });
    expect(await said(auxData.verify(many(51), now))).toBe("more than 50 tokens");
  });

  test("tokens say no more values together than a request may hold, and are refused before anything is made of them", async () => {
    const keys = await pair("HS256", "a");
    const { auxData } = open([inline("k", [keys.jwk])]);
    const saying = async (values: number) => ({ token: await token(keys, { of: Array<number>(values).fill(0) }), keySetId: "" });
    const refused = "more than 100000 values (setting server.requestLimits.maxValuesPerRequest)";
    expect(await said(auxData.verify({ jwt: await saying(99_000) }, now))).toHaveProperty("jwt");
    expect(await said(auxData.verify({ jwt: await saying(100_000) }, now))).toBe(refused);
    const half = await saying(49_000);
    expect(await said(auxData.verify({ jwts: { a: half, b: half } }, now))).toHaveProperty("jwts");
    expect(await said(auxData.verify({ jwts: { a: half, b: await saying(50_000) } }, now))).toBe(
      `token \`b\`: ${refused.replace("100000", "50000")}`,
    );
    // What was believed alone before says no less among others.
    const alone = await saying(60_000);
    expect(await said(auxData.verify({ jwt: alone }, now))).toHaveProperty("jwt");
    expect(await said(auxData.verify({ jwts: { a: alone, b: half } }, now))).toBe(`token \`a\`: ${refused.replace("100000", "50000")}`);
    const forged = `${part({ alg: "HS256", kid: "a", of: Array<number>(100_000).fill(0) })}.${part(fresh)}.AA`;
    expect(await ask(auxData, forged)).toBe(refused);
  });

  test("a token is believed without another look until it expires, and no longer", async () => {
    const keys = await pair("HS256", "a");
    const { auxData } = open([inline("k", [keys.jwk])]);
    const signed = await token(keys);
    const outcomes = [];
    for (const at of [0, 1, 59, 60, 61, 0]) outcomes.push(typeof (await ask(auxData, signed, "", now + at * 1000)));
    expect(outcomes).toEqual(["object", "object", "object", "string", "string", "object"]);
  });

  test("a key of PEM has neither id nor algorithm, so both must be optional", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const source = { kind: "data", text: publicKey.export({ type: "spki", format: "pem" }).toString(), pem: true } as const;
    const signer: Pair = { alg: "ES256", sign: privateKey, jwk: { kty: "EC", kid: "a" } };
    const signed = await token(signer);
    const lenient = open([{ id: "k", source, optionalAlg: true, optionalKid: true }]);
    expect(await ask(lenient.auxData, signed)).toEqual(believed);
    expect(await ask(lenient.auxData, await token(signer, fresh, {}))).toEqual(believed);
    expect(lenient.lines.filter((line) => line.includes("insecure"))).toHaveLength(2);
    expect(await ask(open([{ id: "k", source, ...strict }]).auxData, signed)).toBe(
      "the key set `k` has no key of the id that the token names",
    );
    expect(await ask(open([{ id: "k", source, optionalAlg: false, optionalKid: true }]).auxData, signed)).toBe("bad signature");
  });

  test.each<readonly [sentence: string, text: string, wanted: string]>([
    ["no JSON", "nope", "it is not JSON (line 1, column 1): a key set is a JSON Web Key"],
    ["half of it", '{"keys":[\n {"kty":"oct"', "it is not JSON (line 2, column 14): a key set is"],
    ["nothing", " \n", "it is empty: a key set is a JSON Web Key"],
    ["no keys", '{"keys":[]}', "it holds no key"],
    ["no key id", '{"kty":"oct","k":"AAAA","alg":"HS256"}', "key 1 has no key id"],
    ["no algorithm", '{"kty":"oct","k":"AAAA","kid":"a"}', "key 1 has no algorithm"],
    ["a secret that is too short", '{"kty":"oct","k":"AAAA","kid":"a","alg":"HS256"}', "it is too short"],
    ...(
      [
        [256, 31],
        [384, 47],
        [512, 63],
        [512, 32],
      ] as const
    ).map(
      ([bits, bytes]) =>
        [
          `a secret of ${bytes} bytes for HS${bits}`,
          JSON.stringify({ kty: "oct", k: base64url.encode(new Uint8Array(bytes).fill(7)), kid: "a", alg: `HS${bits}` }),
          "it is too short",
        ] as const,
    ),
    ["an algorithm that there is not", '{"kty":"oct","k":"AAAA","kid":"a","alg":"none"}', "not supported"],
    [
      "a key that is none",
      '{"kty":"EC","crv":"P-256","x":"SECRET","y":"SECRET","kid":"a","alg":"ES256"}',
      "key 1 cannot be read as a JSON Web Key",
    ],
    ["only keys for other uses", '{"kty":"oct","k":"AAAA","kid":"a","alg":"HS256","use":"enc"}', "it holds no key"],
    ["an algorithm that is no name", '{"kty":"oct","k":"AAAA","kid":"a","alg":256}', "key 1 has an algorithm (`alg`) that is not a string"],
    [
      "operations that are no list",
      '{"kty":"oct","k":"AAAA","kid":"a","alg":"HS256","key_ops":"verify"}',
      "key 1 has operations (`key_ops`)",
    ],
    [
      "only keys that cannot be used",
      '{"keys":[{"kty":"AKP","kid":"a","alg":"ML-DSA-44"},{"kty":"oct","k":"AAAA","kid":"b"}]}',
      "key 1 cannot be read",
    ],
    ["what is no key in a set", '{"keys":[5]}', "key 1 is not a JSON object"],
    ["only keys for other operations", '{"kty":"oct","k":"AAAA","kid":"a","alg":"HS256","key_ops":["wrapKey"]}', "it holds no key"],
    ["a key that is nothing", '{"keys":[null]}', "key 1 is not a JSON object"],
    [
      "a secret that is a list",
      `{"kty":"oct","k":[${"1,".repeat(99)}1],"kid":"a","alg":"HS256"}`,
      "key 1 cannot be read as a JSON Web Key",
    ],
    ["too many keys", JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) }), "it holds more than 100 keys"],
  ])("keys in the configuration stop the start: %s", (_sentence, text, wanted) => {
    const opening = (): unknown => open([{ id: "k", source: { kind: "data", text, pem: false }, ...strict }]);
    expect(opening).toThrow(wanted);
    expect(opening).not.toThrow("SECRET");
  });

  test("keys of a set that cannot be used take the others nothing, and are named in the log (RFC 7517, 5)", async () => {
    const [good, { jwk: weak }] = [await pair("ES256", "a"), await pair("RS256", "b")];
    const small = await exportJWK(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey);
    const others: readonly (readonly [jwk: object, why: string])[] = [
      [{ kty: "AKP", kid: "n", alg: "ML-DSA-44", pub: "SECRET" }, "cannot be read as a JSON Web Key"],
      [{ ...weak, alg: "RSA-OAEP" }, "is for an algorithm that is not supported"],
      [{ ...weak, alg: "ES256" }, "is not a key for `ES256`, or it is too short"],
      [{ ...small, kid: "s", alg: "RS256" }, "is not a key for `RS256`, or it is too short"],
      // Exponents of 1 and 0: anybody could sign for the first.
      ...["AQ", "AA"].map((e) => [{ ...weak, e }, "is not a key for `RS256`, or it is too short"] as const),
      ...[undefined, ""].map((kid) => [{ ...weak, kid }, "has no key id (`kid`): give it one, or set insecure.optionalKid"] as const),
      [{ ...weak, alg: "" }, "has an algorithm (`alg`) that is not a string, or an empty one"],
      [{ ...weak, alg: undefined }, "has no algorithm (`alg`): give it one, or set insecure.optionalAlg"],
    ];
    const { auxData, lines } = open([inline("k", [good.jwk, ...others.map(([jwk]) => jwk)])]);
    expect(await ask(auxData, await token(good))).toEqual(believed);
    const reasons = others.map(([, why], index) => `key ${index + 2} ${why}`).join("; ");
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([`the key set \`k\` goes without some of its keys: ${reasons}`]);
  });

  test("keys whose use or operations are none that there are go unused, and are named; those for something else go unused", async () => {
    const [good, { jwk }] = [await pair("ES256", "a"), await pair("RS256", "b")];
    const use = "has a use (`use`) that is neither `sig` nor `enc`: say `sig`, or leave it out";
    const operations = "has operations (`key_ops`) that are not those there are: say `verify`, or leave them out";
    const others: readonly (readonly [said: object, why: string])[] = [
      ...["", null, "SIG", ["sig"], 5].map((said) => [{ use: said }, `(\`b\`) ${use}`] as const),
      ...[[], [null], ["Verify"], ["encrypt", "verfy"]].map((said) => [{ key_ops: said }, `(\`b\`) ${operations}`] as const),
      [{ use: "", kid: "a` is good; key 1 (`b" }, use],
    ];
    const quiet = [{ use: "enc" }, { key_ops: ["encrypt", "wrapKey"] }];
    const { auxData, lines } = open([
      inline("k", [good.jwk, ...[...others.map(([said]) => said), ...quiet].map((said) => ({ ...jwk, ...said }))]),
    ]);
    expect(await ask(auxData, await token(good))).toEqual(believed);
    const reasons = others.map(([, why], index) => `key ${index + 2} ${why}`).join("; ");
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([`the key set \`k\` goes without some of its keys: ${reasons}`]);
  });

  test("a key that names no algorithm and is for none that there is cannot be used", async () => {
    const small = await exportJWK(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey);
    const other = await exportJWK(generateKeyPairSync("x25519").publicKey);
    const good = await pair("ES256", "a");
    const { lines } = open([inline("k", [small, other, good.jwk], { optionalAlg: true, optionalKid: true })]);
    expect(JSON.parse(lines.at(-1) ?? "").message).toBe(
      "the key set `k` goes without some of its keys: key 1 is for none of the algorithms that are supported, or it is too short; " +
        "key 2 is for none of the algorithms that are supported, or it is too short",
    );
  });

  const pemOf = (key: KeyObject): string => key.export({ type: key.type === "private" ? "pkcs8" : "spki", format: "pem" }).toString();
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const smallPem = pemOf(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey);
  const { publicKey: paddedKey } = generateKeyPairSync("rsa-pss", { modulusLength: 2048 });
  const lockedPem = privateKey.export({ type: "sec1", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString();
  test.each<readonly [sentence: string, text: string, wanted: string]>([
    ["one that is cut off", pemOf(publicKey) + pemOf(publicKey).slice(0, 60), "cannot be used: block 2 of the PEM text has no end"],
    ["one that is locked", pemOf(publicKey) + lockedPem, "cannot be used: block 2 of the PEM text is no key that can be read"],
    ["none", "SECRET", "cannot be used: it holds no key that verifies signatures"],
    [
      "only what is too short",
      smallPem,
      "cannot be used: block 1 of the PEM text is for none of the algorithms that are supported, or it is too short",
    ],
  ])("keys of PEM with %s are refused", (_sentence, text, wanted) => {
    const opening = (): unknown => open([{ id: "k", source: { kind: "data", text, pem: true }, optionalAlg: true, optionalKid: true }]);
    expect(opening).toThrow(wanted);
    expect(opening).not.toThrow("SECRET");
  });

  const loose = { optionalAlg: true, optionalKid: true } as const;
  const jwkOf = (key: KeyObject): object => ({ ...key.export({ format: "jwk" }), kid: "a", alg: "ES256" });
  test.each<readonly [sentence: string, setting: Omit<KeySetSetting, "id">, wanted: string]>([
    [
      "of PEM that no token can name",
      { source: { kind: "data", text: pemOf(publicKey), pem: true }, ...strict },
      "believes no token: a key of PEM has neither id nor algorithm, so set insecure.optionalKid and insecure.optionalAlg",
    ],
    [
      "of PEM that is too short, beside another",
      { source: { kind: "data", text: smallPem + pemOf(publicKey), pem: true }, ...loose },
      "goes without some of its keys: block 1 of the PEM text is for none of the algorithms that are supported, or it is too short",
    ],
    [
      "of PEM that is for one kind of padding alone, beside another",
      { source: { kind: "data", text: pemOf(paddedKey) + pemOf(publicKey), pem: true }, ...loose },
      "goes without some of its keys: block 1 of the PEM text is for none of the algorithms that are supported, or it is too short",
    ],
    [
      "of PEM that is private",
      { source: { kind: "data", text: pemOf(privateKey), pem: true }, ...loose },
      "holds private keys (block 1 of the PEM text): the public ones are enough, keep these where tokens are signed",
    ],
    [
      "that is private",
      { source: { kind: "data", text: JSON.stringify({ keys: [jwkOf(publicKey), jwkOf(privateKey)] }), pem: false }, ...strict },
      "holds private keys (key 2): the public ones are enough, keep these where tokens are signed",
    ],
  ])("whoever runs the server is warned of a key %s", (_sentence, setting, wanted) => {
    const { lines } = open([{ id: "k", ...setting }]);
    expect(JSON.parse(lines.at(-1) ?? "{}")).toMatchObject({ "log.level": "warn", message: `the key set \`k\` ${wanted}` });
  });

  test.each<readonly [sentence: string, said: object]>([
    ["says that it is for signatures", { use: "sig" }],
    ["says that it verifies", { key_ops: ["verify"] }],
    ["says that it signs", { key_ops: ["sign"] }],
    ["has what makes other keys private, but is a secret", { d: "AQ" }],
  ])("a key that %s is used, without a warning", async (_sentence, more) => {
    const keys = await pair("HS256", "a");
    const { auxData, lines } = open([inline("k", [{ ...keys.jwk, ...more }])]);
    expect(lines).toEqual([]);
    expect(await ask(auxData, await token(keys))).toEqual(believed);
  });

  test("a key set may hold a hundred keys, as JSON and as PEM, and no more", async () => {
    const keys = await pair("HS256", "a");
    const { auxData } = open([
      inline(
        "k",
        Array.from({ length: 100 }, () => keys.jwk),
      ),
    ]);
    expect(await ask(auxData, await token(keys))).toEqual(believed);
    const block = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
    const ofBlocks = (count: number): KeySetSetting => ({
      ...inline("k", []),
      source: { kind: "data", text: block.repeat(count), pem: true },
    });
    expect(() => open([ofBlocks(100)])).not.toThrow();
    expect(() => open([ofBlocks(101)])).toThrow("it holds more than 100 keys");
    expect(() => open([{ ...ofBlocks(1), source: { kind: "data", text: `${block}${block.replace("MCow", "AAAA")}`, pem: true } }])).toThrow(
      "block 2 of the PEM text is no key that can be read",
    );
  });

  test("a file that is missing refuses its tokens until it is there", async () => {
    const keys = await pair("ES256", "a");
    const path = join(mkdtempSync(join(tmpdir(), "authz-keys-")), "keys.json");
    const { auxData, lines } = open([{ id: "k", source: { kind: "file", path, pem: false }, ...strict }]);
    expect(lines.join("")).toContain("the file does not exist");
    expect(await ask(auxData, await token(keys))).toBe("the keys of the key set `k` are not available");
    writeFileSync(path, JSON.stringify(keys.jwk));
    expect(await ask(auxData, await token(keys))).toEqual(believed);
  });

  test.each<[what: string, change: (path: string, text: string) => void]>([
    ["is written anew", (path, text) => writeFileSync(path, text)],
    [
      "has another put in its place",
      (path, text) => {
        writeFileSync(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      },
    ],
  ])("a file that %s is read again: its withdrawn key holds no longer, though the token was remembered", async (_what, change) => {
    const [old, young] = [await pair("ES256", "a"), await pair("ES256", "b")];
    const path = join(mkdtempSync(join(tmpdir(), "authz-keys-")), "keys.json");
    writeFileSync(path, JSON.stringify(old.jwk));
    const { auxData, lines } = open([{ id: "k", source: { kind: "file", path, pem: false }, ...strict }]);
    const [before, after] = [await token(old), await token(young)];
    expect(await ask(auxData, before)).toEqual(believed);
    change(path, JSON.stringify(young.jwk));
    // What is looked at has to be the same twice.
    await ask(auxData, after);
    expect(await ask(auxData, after)).toEqual(believed);
    expect(await ask(auxData, before)).toBe("the key set `k` has no key of the id that the token names");
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      `the key set \`k\` was read again: the changed \`${path}\` is in force`,
    ]);
  });

  test.each<[what: string, change: (path: string) => void, why: string]>([
    ["is damaged", (path) => writeFileSync(path, "{"), "it is not JSON"],
    ["is removed", (path) => rmSync(path), "the file does not exist"],
    [
      "becomes a pipe",
      (path) => {
        rmSync(path);
        execFileSync("mkfifo", [path]);
      },
      "it is not a regular file any more",
    ],
  ])("a file that %s leaves the last good keys, and is told of once until it is right again", async (_what, change, why) => {
    const keys = await pair("ES256", "a");
    const path = join(mkdtempSync(join(tmpdir(), "authz-keys-")), "keys.json");
    writeFileSync(path, JSON.stringify(keys.jwk));
    const { auxData, lines } = open([{ id: "k", source: { kind: "file", path, pem: false }, ...strict }]);
    const sent = await token(keys);
    change(path);
    for (let times = 0; times < 4; times++) expect(await ask(auxData, sent)).toEqual(believed);
    rmSync(path, { force: true });
    await ask(auxData, sent);
    writeFileSync(path, JSON.stringify(keys.jwk));
    for (let times = 0; times < 4; times++) expect(await ask(auxData, sent)).toEqual(believed);
    const said = lines.map((line): string => JSON.parse(line).message);
    expect(said).toHaveLength(2);
    expect(said[0]).toContain(why);
    expect(said[0]).toContain("; the last good keys are kept");
    expect(said[1]).toBe(`the key set \`k\` can be read again: \`${path}\` is what it was`);
  });

  test.runIf(process.platform === "linux")(
    "a file that is changed while too many files are open is read when there are fewer: its withdrawn key holds no longer",
    async () => {
      const [old, young] = [await pair("ES256", "a"), await pair("ES256", "b")];
      const path = join(mkdtempSync(join(tmpdir(), "authz-keys-")), "keys.json");
      writeFileSync(path, JSON.stringify(old.jwk));
      const { auxData, lines } = open([{ id: "k", source: { kind: "file", path, pem: false }, ...strict }]);
      const [before, after] = [await token(old), await token(young)];
      writeFileSync(path, JSON.stringify(young.jwk));
      await withoutFiles(async () => {
        for (let times = 0; times < 4; times++) expect(await ask(auxData, before)).toEqual(believed);
      });
      expect(await ask(auxData, after)).toEqual(believed);
      expect(await ask(auxData, before)).toBe("the key set `k` has no key of the id that the token names");
      expect(lines.map((line) => JSON.parse(line).message)).toEqual([
        `the key set \`k\` cannot be used: \`${path}\`: it cannot be read (EMFILE); the last good keys are kept`,
        `the key set \`k\` was read again: the changed \`${path}\` is in force`,
      ]);
    },
  );

  test("a file is looked at no more often than once in some seconds", async () => {
    const keys = await pair("ES256", "a");
    const path = join(mkdtempSync(join(tmpdir(), "authz-keys-")), "keys.json");
    writeFileSync(path, JSON.stringify(keys.jwk));
    const { auxData, lines } = open([{ id: "k", source: { kind: "file", path, pem: false }, ...strict }], {}, 5000, 30_000);
    writeFileSync(path, "{");
    for (let times = 0; times < 4; times++) expect(await ask(auxData, await token(keys))).toEqual(believed);
    expect(lines).toEqual([]);
  });

  test("a file that never ends is not read to its end", () => {
    const { lines } = open([{ id: "k", source: { kind: "file", path: "/dev/zero", pem: false }, ...strict }]);
    expect(lines.join("")).toContain("`/dev/zero`: it is larger than 1048576 bytes; tokens for it are refused");
  });
});

describe("remote key sets", () => {
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}/keys` : "";
  };
  const remote = (url: string, refreshMilliseconds = 0): KeySetSetting => ({
    id: "far",
    source: { kind: "remote", url, refreshMilliseconds },
    ...strict,
  });

  test.each([
    ["http://login.example.invalid/keys", true],
    ["http://10.0.0.1:8080/keys", true],
    ["https://login.example.invalid/keys", false],
    ["http://localhost:1/keys", false],
    ["http://127.0.0.1:1/keys", false],
    ["http://[::1]:1/keys", false],
  ])("whoever runs the server is warned that keys from %s can be others on their way: %s", (url, isWarned) => {
    const { lines } = open([remote(url)]);
    expect(lines.filter((line) => line.includes("insecure"))).toHaveLength(isWarned ? 1 : 0);
  });

  test("are fetched once for many tokens", async () => {
    const keys = await pair("ES256", "a");
    let asked = 0;
    const url = await serve((_request, response) => {
      asked++;
      response.end(JSON.stringify({ keys: [keys.jwk] }));
    });
    const { auxData } = open([remote(url)], {}, 5000, 60_000);
    const signed = await token(keys);
    expect(await Promise.all([1, 2, 3].map(() => ask(auxData, signed)))).toEqual([believed, believed, believed]);
    expect(auxData.verify({ jwt: { token: signed, keySetId: "" } }, now)).toMatchObject({ kind: "claims" }); // now at once
    expect(asked).toBe(1);
  });

  test.each<readonly [when: string, answersBefore: number]>([
    ["while they are fetched", 0],
    ["after a second time", 1],
  ])("are fetched before anybody asks, and never again once they are closed %s", async (_when, answersBefore) => {
    const keys = await pair("ES256", "a");
    let [asked, answered] = [0, 0];
    const url = await serve((_request, response) => {
      asked++;
      setTimeout(() => response.end(JSON.stringify({ keys: [keys.jwk] }), () => answered++), 5);
    });
    const { auxData } = open([{ ...remote(url), source: { kind: "remote", url, refreshMilliseconds: 20 } }]); // once a second
    await vi.waitUntil(() => (answersBefore === 0 ? asked : answered) > answersBefore, { interval: 2, timeout: 20_000 });
    auxData.close();
    // What was on its way may still arrive.
    await new Promise((resolve) => setTimeout(resolve, 40));
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(asked).toBe(before);
  });

  test("are fetched again for a key that is new, and one that is gone is believed no longer", async () => {
    const [old, next] = [await pair("ES256", "old"), await pair("ES256", "new")];
    let served = old;
    const url = await serve((_request, response) => response.end(JSON.stringify({ keys: [served.jwk] })));
    const { auxData } = open([remote(url)]);
    const [ofOld, ofNext] = [await token(old), await token(next)];
    expect(await ask(auxData, ofOld)).toEqual(believed);
    expect(await ask(auxData, ofNext)).toContain("has no key of the id");
    served = next;
    expect(await ask(auxData, ofNext)).toEqual(believed);
    expect(await ask(auxData, ofOld)).toContain("has no key of the id");
  });

  test("are fetched again for a signature that fits none of them, where tokens name no key", async () => {
    const [old, next] = [await pair("ES256", "a"), await pair("ES256", "a")];
    let served = old;
    const url = await serve((_request, response) => response.end(JSON.stringify({ keys: [served.jwk] })));
    const { auxData } = open([{ ...remote(url), optionalKid: true }]);
    expect(await ask(auxData, await token(old, fresh, {}))).toEqual(believed);
    const ofNext = await token(next, fresh, {});
    expect(await ask(auxData, ofNext)).toBe("bad signature");
    served = next;
    expect(await ask(auxData, ofNext)).toEqual(believed);
  });

  test("are fetched no sooner than in a minute, whatever their host says of their age", async () => {
    let asked = 0;
    const keys = await pair("ES256", "a");
    const url = await serve((_request, response) => {
      asked++;
      response.writeHead(200, { "cache-control": "max-age=1" }).end(JSON.stringify({ keys: [keys.jwk] }));
    });
    const { auxData } = open([remote(url)]);
    expect(await ask(auxData, await token(keys))).toEqual(believed);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(asked).toBe(1);
  });

  test("are not asked again and again for keys that there are not", async () => {
    let asked = 0;
    const keys = await pair("ES256", "a");
    const url = await serve((_request, response) => {
      asked++;
      response.end(JSON.stringify({ keys: [keys.jwk] }));
    });
    const { auxData } = open([remote(url)], {}, 5000, 60_000);
    await ask(auxData, await token(keys));
    for (let times = 0; times < 5; times++) await ask(auxData, await token(await pair("ES256", `z${times}`)));
    expect(asked).toBe(1);
  });

  test.each([
    ["a month", 30 * 24 * 3_600_000],
    ["a millisecond", 1],
  ])("are not fetched without end where the interval is %s", async (_sentence, refreshMilliseconds) => {
    let asked = 0;
    const keys = await pair("ES256", "a");
    const url = await serve((_request, response) => {
      asked++;
      response.end(JSON.stringify({ keys: [keys.jwk] }));
    });
    const { auxData } = open([remote(url, refreshMilliseconds)]);
    expect(await ask(auxData, await token(keys))).toEqual(believed);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(asked).toBe(1);
  });

  test("keep their last good keys when the host fails, and say so once", async () => {
    const keys = await pair("ES256", "a");
    let failing = false;
    const url = await serve(
      (_request, response) => void (failing ? response.writeHead(500).end() : response.end(JSON.stringify(keys.jwk))),
    );
    const { auxData, lines } = open([remote(url)]);
    const signed = await token(keys);
    expect(await ask(auxData, signed)).toEqual(believed);
    failing = true;
    const unknown = await token(await pair("ES256", "z"));
    expect([await ask(auxData, unknown), await ask(auxData, unknown)]).toEqual([
      expect.stringContaining("no key of the id"),
      expect.stringContaining("no key of the id"),
    ]);
    expect(await ask(auxData, signed)).toEqual(believed);
    expect(lines.filter((line) => line.includes("the last good keys are kept"))).toHaveLength(1);
  });

  test("are asked for soon after their host failed, however long the interval, and each failure and its end are told", async () => {
    const keys = await pair("ES256", "a");
    let asked = 0;
    const url = await serve((_request, response) => {
      asked++;
      if (asked === 1 || asked === 3) response.writeHead(500).end();
      else response.end(JSON.stringify(keys.jwk));
    });
    const { auxData, lines } = open([remote(url, 24 * 3_600_000)]);
    const hasRecovered = (times: number): Promise<boolean> =>
      vi.waitUntil(() => lines.filter((line) => line.includes("is fetched again")).length === times, { timeout: 20_000 });
    await hasRecovered(1);
    await ask(auxData, await token(await pair("ES256", "z")));
    await hasRecovered(2);
    expect(lines.map((line) => JSON.parse(line)["log.level"])).toEqual(["warn", "info", "warn", "info"]);
  });

  test("are fetched once at a time, whether for their age or for a token", async () => {
    const keys = await pair("ES256", "a");
    let [busy, most] = [0, 0];
    const url = await serve((_request, response) => {
      most = Math.max(most, ++busy);
      setTimeout(() => response.end(JSON.stringify(keys.jwk), () => busy--), 400);
    });
    const { auxData } = open([remote(url, 1000)]); // a second after each answer
    await ask(auxData, await token(keys));
    await new Promise((resolve) => setTimeout(resolve, 800));
    await ask(auxData, await token(await pair("ES256", "z")));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(most).toBe(1);
  });

  test("are fetched with the name and the password of their URL, which nobody is told", async () => {
    const keys = await pair("ES256", "a");
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === "/jwks") response.writeHead(302, { location: `/moved?${seen.length}` }).end();
      else response.end(seen.length < 5 ? JSON.stringify(keys.jwk) : "gone");
    });
    const far = new URL("/jwks", url);
    Object.assign(far, { username: "m\u00e9", password: "s3:cr3t%" });
    const { auxData, lines } = open([remote(far.href)]);
    expect(await ask(auxData, await token(keys))).toEqual(believed);
    const basic = `Basic ${Buffer.from("m\u00e9:s3:cr3t%").toString("base64")}`;
    expect(seen).toEqual([basic, basic]);
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
    await ask(auxData, await token(await pair("ES256", "z")));
    expect(lines.join("")).toContain("cannot be fetched");
    expect(lines.join("")).not.toMatch(/cr3t|m\u00e9|m%C3/);
  });

  test.each<readonly [sentence: string, listener: RequestListener, wanted: string]>([
    ["hangs", () => undefined, "did not answer within 0.2 s"],
    ["begins and hangs", (_request, response) => void response.write("{"), "did not answer within 0.2 s"],
    ["breaks off", (request) => request.socket.destroy(), "cannot be reached"],
    ["answers with an error", (_request, response) => response.writeHead(503).end(), "answers with status 503"],
    ["answers with something else", (_request, response) => response.end("<html>"), "it is not JSON"],
    ["answers with too much", (_request, response) => response.end("x".repeat(2 * 1024 * 1024)), "larger than"],
    [
      "leads elsewhere",
      (_request, response) => response.writeHead(302, { location: "http://localhost:1/" }).end(),
      "redirects to another place",
    ],
  ])("a host that %s makes its tokens wait no longer than its time, and others not at all", async (_sentence, listener, wanted) => {
    const near = await pair("HS256", "n");
    const { auxData, lines } = open(
      [remote(await serve(listener)), inline("near", [near.jwk])],
      {},
      wanted.includes("0.2 s") ? 200 : 20_000,
    );
    const waiting = ask(auxData, await token(await pair("ES256", "a")), "far");
    expect(auxData.verify({ jwt: { token: await token(near), keySetId: "near" } }, now)).toMatchObject({ kind: "claims" });
    expect(await waiting).toBe("the keys of the key set `far` are not available");
    expect(lines.join("")).toContain(wanted);
  });
});

test("no token, key or claim is ever in a reason or in the log", async () => {
  const secret = "S3CR3T";
  const keys = await pair("HS256", "a");
  const { auxData, lines } = open([inline("k", [keys.jwk])]);
  const claims = [{ sub: 5, note: secret }, { exp: secret }, { aud: [secret, 1] }, { exp: 1, note: secret }];
  const reasons = [];
  for (const each of claims) reasons.push(await ask(auxData, await token(keys, each)));
  reasons.push(
    await ask(auxData, `${secret}.${secret}.${secret}`),
    await ask(auxData, secret),
    await ask(auxData, await token(keys, fresh, { kid: secret })),
  );
  expect(reasons.every((reason) => typeof reason === "string")).toBe(true);
  expect(JSON.stringify(reasons) + lines.join("")).not.toContain(secret);
});
