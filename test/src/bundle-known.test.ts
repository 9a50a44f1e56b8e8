/** A bundle that an earlier start found good is taken without a thread that checks it, where everything is as it was; and never another. */
import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readBundle as readLines } from "../../runtime/read-bundle.ts";
import { readBundle } from "../../src/bundle/index.ts";
import { openTrusted, roomFor } from "../../src/bundle/verify.ts";
import { readPublicKeys } from "../../src/bundle/keys.ts";
import { loadConfigOrThrow } from "../../src/config/load.ts";
import { readKnownBundle } from "../../src/store/bundle-known.ts";
import { openLastValidated } from "../../src/store/bundle-last-validated.ts";
import { storageOf, type StorageConfig } from "../../src/store/storage.ts";
import { buildBundle, makeKeys } from "../bundle/server.ts";
import { temporaryFolder } from "../server/harness.ts";

const keys = makeKeys();
const others = makeKeys();
const policy = (kind: string, effect: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules: [{ actions: [view], effect: EFFECT_${effect}, roles: [user] }]
`;
const files = (effect: string): { readonly [path: string]: string } => ({
  "doc.yaml": policy("döc", effect),
  "memo.yaml": policy("memo", effect),
  "_schemas/doc.json": '{"type":"object","title":",\\n\\"schemas\\":["}',
});
const allowing = buildBundle(files("ALLOW"), keys);
const denying = buildBundle(files("DENY"), keys);
const forged = buildBundle(files("ALLOW"), others);
const trust = { kind: "keys", keys: readPublicKeys([keys.publicKeyFile]) } as const;

interface Place {
  readonly file: string;
  readonly cacheDir: string;
  readonly config: StorageConfig;
}

/** A bundle that lies there, and was found good. */
async function passed(): Promise<Place> {
  const file = join(temporaryFolder({}), "bundle.mjs");
  const cacheDir = temporaryFolder({});
  writeFileSync(file, allowing);
  const config = configOf(file, cacheDir);
  await openLastValidated(cacheDir, `the bundle \`${file}\``).keep(openTrusted(allowing, trust).digest);
  return { file, cacheDir, config };
}

function configOf(file: string, cacheDir: string, settings = {}): StorageConfig {
  const all = {
    "storage.driver": "bundle",
    "storage.bundle.publicKeys": keys.publicKeyFile,
    "storage.bundle.path": file,
    "storage.bundle.cacheDir": cacheDir,
    ...settings,
  };
  const words = Object.entries(all).map(([key, value]) => `${key}=${value}`);
  return storageOf(loadConfigOrThrow(undefined, words, {}).config);
}

test("it is what a whole reading finds", async () => {
  const { config } = await passed();
  const known = await readKnownBundle(config);
  const { bundle, schemas, policies } = readBundle(allowing, trust).content;
  expect(JSON.parse(known?.text ?? "")).toEqual(bundle);
  expect(known?.set.bundle()).toEqual(bundle);
  expect(known?.set).toMatchObject({ digest: bundle.manifest.digest, policies, deciding: 2, schemas });
});

test("and nothing of its units is read before somebody asks", async () => {
  const { config } = await passed();
  const known = await readKnownBundle(config);
  const { units } = readLines(known?.text ?? "");
  expect(units.map((unit) => [unit.id, Object.hasOwn(unit, "trees")])).toEqual([
    ["resource d\u00f6c@default", false],
    ["resource memo@default", false],
  ]);
  expect(units.map(({ trees }) => trees)).toEqual(readBundle(allowing, trust).content.bundle.units.map(({ trees }) => trees));
});

test.each<[sentence: string, change: (place: Place) => StorageConfig | void]>([
  ["another bundle lies there", ({ file }) => writeFileSync(file, denying)],
  ["the same, signed by somebody else, lies there", ({ file }) => writeFileSync(file, forged)],
  ["it is damaged", ({ file }) => writeFileSync(file, Buffer.from(allowing).fill("x", 40, 41))],
  ["it is cut off", ({ file }) => writeFileSync(file, allowing.subarray(0, -20))],
  ["it is gone", ({ file }) => rmSync(file)],
  ["nothing is remembered", ({ cacheDir }) => rmSync(join(cacheDir, readdirSync(cacheDir)[0] ?? ""))],
  ["others can write to the memory", ({ cacheDir }) => chmodSync(cacheDir, 0o777)],
  ["another key is trusted", ({ file, cacheDir }) => configOf(file, cacheDir, { "storage.bundle.publicKeys": others.publicKeyFile })],
  [
    "nobody looks who made it",
    ({ file, cacheDir }) => configOf(file, cacheDir, { "storage.bundle.publicKeys": "", "storage.bundle.allowUnsigned": "true" }),
  ],
  ["nobody is trusted", ({ config }) => ({ ...config, "storage.bundle.publicKeys": [] })],
])("it is left to others when %s", async (_sentence, change) => {
  const place = await passed();
  expect(await readKnownBundle(change(place) ?? place.config)).toBeUndefined();
});

test.each([
  ["as its key signed it", allowing, undefined],
  ["by another key", forged, /signed by another key/],
  ["with the signature of another", Buffer.concat([withoutSignature(denying), signatureOf(allowing)]), /does not fit/],
])("a file that was read into room for it is judged as any other: %s", (_sentence, file, problem) => {
  for (const bytes of [file, Buffer.from(file)]) {
    const roomy = roomFor(bytes.length);
    roomy.set(bytes);
    // What stands at the beginning of the room is not what is verified.
    const behind = roomFor(2 * bytes.length);
    behind.set(bytes, bytes.length);
    for (const each of [bytes, roomy, behind.subarray(bytes.length)]) {
      if (problem === undefined) expect(openTrusted(each, trust).digest).toHaveLength(64);
      else expect(() => openTrusted(each, trust)).toThrow(problem);
      expect(Buffer.from(each).equals(bytes)).toBe(true);
    }
  }
});

function signatureOf(file: Uint8Array): Uint8Array {
  return file.subarray(Buffer.from(file).lastIndexOf("\n", -2) + 1);
}

function withoutSignature(file: Uint8Array): Uint8Array {
  return file.subarray(0, file.length - signatureOf(file).length);
}
