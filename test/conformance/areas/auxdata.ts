/** Area auxdata: key sets that load or do not, and tokens that are believed or not. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { pino } from "pino";
import { importJWK, SignJWT, type JWK, type JWTPayload } from "jose";
import { openAuxData, type SentToken } from "../../../src/auxdata/aux-data.ts";
import { openKeySet } from "../../../src/auxdata/key-set.ts";
import type { KeySetSetting } from "../../../src/config/key-sets.ts";
import { fetchText } from "../../../src/outgoing/fetch-text.ts";
import { temporaryFolder } from "../../server/harness.ts";
import type { Area } from "../area.ts";
import { policyCases } from "../policy-cases.ts";

interface KeySetCase {
  readonly input: { readonly key: string; readonly pem: boolean };
  readonly wantErr: string;
  readonly wantLocalErr: string;
  readonly wantRemoteErr: string;
}

interface Token {
  readonly expOffsetSeconds: number;
  readonly keySetId?: string;
}

interface ExtractCase {
  readonly signingKey: string;
  readonly verifyKey: string;
  readonly alg: string;
  readonly claims: JWTPayload;
  readonly keySets: readonly string[];
  readonly token?: Token;
  readonly jwts?: { readonly [name: string]: Token };
  readonly wantError: boolean;
}

export const auxdata: Area = {
  name: "auxdata",
  cases: (folder) =>
    policyCases(folder, "auxdata", (wanted: KeySetCase | ExtractCase) =>
      "input" in wanted ? runKeySet(wanted) : runExtract(folder, wanted),
    ),
};

const log = pino({ level: "silent" });
const plain = { optionalAlg: false, optionalKid: false } as const;

async function runKeySet({ input: { key, pem }, wantErr, wantLocalErr, wantRemoteErr }: KeySetCase): Promise<void> {
  await serving(key, async (url) => {
    const path = join(temporaryFolder({ key }), "key");
    const ways: readonly (readonly [source: KeySetSetting["source"], wantError: boolean])[] = [
      [{ kind: "file", path, pem }, wantErr + wantLocalErr !== ""],
      [{ kind: "data", text: key, pem }, wantErr + wantLocalErr !== ""],
      ...(pem ? [] : [[{ kind: "remote", url, refreshMilliseconds: 0 }, wantErr + wantRemoteErr !== ""] as const]),
    ];
    for (const [source, wantError] of ways) {
      const found = await countKeys(source);
      if (wantError !== (found === 0)) throw new Error(`${source.kind}: ${found} keys`);
    }
  });
}

async function countKeys(source: KeySetSetting["source"]): Promise<number> {
  try {
    const keySet = openKeySet({ id: "k", source, ...plain }, { log, fetchText });
    const keys = await keySet.keys();
    keySet.close();
    return keys?.keys.length ?? 0;
  } catch {
    return 0;
  }
}

async function runExtract(folder: string, wanted: ExtractCase): Promise<void> {
  const key = readFileSync(join(folder, wanted.verifyKey), "utf8");
  const signer: JWK = JSON.parse(readFileSync(join(folder, wanted.signingKey), "utf8"));
  const secret = await importJWK(signer, wanted.alg);
  const sign = async ({ expOffsetSeconds, keySetId = "" }: Token): Promise<SentToken & { readonly claims: object }> => {
    const exp = Math.floor(Date.now() / 1000) + expOffsetSeconds;
    const header = { alg: wanted.alg, ...(signer.kid !== undefined && { kid: signer.kid }) };
    const token = await new SignJWT({ ...wanted.claims, exp }).setProtectedHeader(header).sign(secret);
    return { token, keySetId, claims: { ...wanted.claims, exp: new Date(exp * 1000).toISOString().replace(".000Z", "Z") } };
  };
  await serving(key, async (url) => {
    const local = join(folder, wanted.verifyKey);
    const auxData = openAuxData(
      {
        "auxData.jwt.acceptableTimeSkew": 60_000,
        "auxData.jwt.cacheSize": 10,
        "auxData.jwt.disableVerification": false,
        "auxData.jwt.keySets": wanted.keySets.map((id) => keySetOf(id, local, key, url)),
      },
      { log, fetchText },
    );
    const judge = async (sent: Parameters<typeof auxData.verify>[0], claims: object): Promise<void> => {
      const verified = await auxData.verify(sent, Date.now());
      if (wanted.wantError !== (verified.kind === "invalid")) throw new Error(JSON.stringify(verified));
      if (verified.kind === "claims") same(JSON.parse(verified.text), claims);
    };
    const { token, jwts } = wanted;
    const ids = token?.keySetId === "<each of keySets>" ? wanted.keySets : [token?.keySetId ?? ""];
    for (const keySetId of token === undefined ? [] : ids) {
      const { claims, ...jwt } = await sign({ ...(token ?? { expOffsetSeconds: 0 }), keySetId });
      await judge({ jwt }, { jwt: claims });
    }
    if (jwts !== undefined) {
      const signed = await Promise.all(Object.entries(jwts).map(async ([name, each]) => [name, await sign(each)] as const));
      const claims = Object.fromEntries(signed.map(([name, each]) => [name, { claims: each.claims }]));
      await judge({ jwts: Object.fromEntries(signed) }, { jwts: claims });
    }
    auxData.close();
  });
}

/** The ids say what the key sets are: `remote`, `local_file_insecure`. */
function keySetOf(id: string, path: string, text: string, url: string): KeySetSetting {
  const insecure = id.endsWith("_insecure");
  const source: KeySetSetting["source"] = id.startsWith("remote")
    ? { kind: "remote", url, refreshMilliseconds: 0 }
    : id.startsWith("local_file")
      ? { kind: "file", path, pem: false }
      : { kind: "data", text, pem: false };
  return { id, source, optionalAlg: insecure, optionalKid: insecure };
}

/** Serves a text over HTTP while something runs. */
async function serving(text: string, run: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("a server that listens has an address");
  try {
    await run(`http://127.0.0.1:${address.port}/keys.json`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function same(found: unknown, wanted: unknown): void {
  const [left, right] = [sorted(found), sorted(wanted)];
  if (left !== right) throw new Error(`found ${left}\nwanted ${right}`);
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
