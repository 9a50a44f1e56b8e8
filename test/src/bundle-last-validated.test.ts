/** What was found good and passed its trial is not checked again at the next start, and everything else is. */
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openFrame } from "../../src/bundle/frame.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { BundleReading } from "../../src/store/bundle-store.ts";
import { openBundleStore } from "../../src/store/bundle.ts";
import { storageOf } from "../../src/store/storage.ts";
import { openTrials } from "../../src/trial/trial.ts";
import { buildBundle, makeKeys } from "../bundle/server.ts";
import { temporaryFolder } from "../server/harness.ts";

const keys = makeKeys();
const others = makeKeys();

const policy = (effect: "ALLOW" | "DENY"): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: döc
  version: default
  schemas: { resourceSchema: { ref: "authz:///doc.json" } }
  rules:
    - actions: [view]
      effect: EFFECT_${effect}
      roles: [user]
      condition: { match: { expr: 'R.attr.size < 10.5 && R.attr.name != "\\n\\"legend\\":"' } }
`;
const files = (effect: "ALLOW" | "DENY"): { readonly [path: string]: string } => ({
  "doc.yaml": policy(effect),
  "_schemas/doc.json": '{"type":"object"}',
});
const allowing = buildBundle(files("ALLOW"), keys);
const denying = buildBundle(files("DENY"), keys);

/** A start of a server, and how often it tried a bundle. */
async function start(file: string, cacheDir: string, settings = {}): Promise<{ readonly reading: BundleReading; readonly trials: number }> {
  const all = {
    "storage.driver": "bundle",
    "storage.bundle.publicKeys": keys.publicKeyFile,
    "storage.bundle.path": file,
    "storage.bundle.cacheDir": cacheDir,
    ...settings,
  };
  const { config } = loadConfig(
    undefined,
    Object.entries(all).map(([key, value]) => `${key}=${value}`),
    {},
  );
  if (config === undefined) throw new Error("these settings are right");
  let trials = 0;
  const store = openBundleStore(
    storageOf(config),
    openTrials(() => void trials++),
  );
  try {
    return { reading: await store.read(), trials };
  } finally {
    await store.close();
  }
}

interface Place {
  readonly file: string;
  readonly cacheDir: string;
  /** The file of the memory. */
  readonly memory: string;
}

async function startedOnce(): Promise<Place> {
  const file = join(temporaryFolder({}), "bundle.mjs");
  const cacheDir = temporaryFolder({});
  writeFileSync(file, allowing);
  expect((await start(file, cacheDir)).trials).toBe(1);
  return { file, cacheDir, memory: join(cacheDir, readdirSync(cacheDir)[0] ?? "") };
}

test("the same bundle is not tried again, and is what it was", async () => {
  const { file, cacheDir } = await startedOnce();
  const known = await start(file, cacheDir);
  const anew = await start(file, temporaryFolder({}));
  expect([known.trials, anew.trials]).toEqual([0, 1]);
  const [one, other] = [known.reading, anew.reading].map((reading) => {
    if (reading.kind !== "bundle") throw new Error("a bundle is there");
    const { set, ...besides } = reading;
    return { ...besides, set: { ...set, bundle: set.bundle() }, parsed: JSON.parse(reading.text), text: undefined };
  });
  expect(one).toEqual(other);
  expect(one?.set.bundle.units.map(({ name }) => name)).toEqual(["döc"]);
});

describe("is tried again", () => {
  test.each<[sentence: string, change: (place: Place) => void]>([
    ["another bundle in its place", ({ file }) => writeFileSync(file, denying)],
    ["when nothing is remembered", ({ memory }) => rmSync(memory)],
    [
      "when another program found it good",
      ({ memory }) =>
        writeFileSync(
          memory,
          readFileSync(memory, "utf8").replace(/\n./, (first) => (first === "\n0" ? "\n1" : "\n0")),
        ),
    ],
    [
      "when another bundle is remembered",
      ({ memory }) => writeFileSync(memory, readFileSync(memory, "utf8").replace(/^.*/, openFrame(denying).digest)),
    ],
    ["when the memory is cut off", ({ memory }) => writeFileSync(memory, readFileSync(memory).subarray(0, 70))],
    [
      "when the memory is a link",
      ({ memory }) => {
        renameSync(memory, `${memory}.old`);
        symlinkSync(`${memory}.old`, memory);
      },
    ],
    ["when others can write to the folder", ({ cacheDir }) => chmodSync(cacheDir, 0o777)],
  ])("%s", async (_sentence, change) => {
    const place = await startedOnce();
    change(place);
    expect((await start(place.file, place.cacheDir)).trials).toBe(1);
  });

  test("when nobody looks who made it", async () => {
    const { file, cacheDir } = await startedOnce();
    const anybody = { "storage.bundle.publicKeys": "", "storage.bundle.allowUnsigned": "true" };
    expect((await start(file, cacheDir, anybody)).trials).toBe(1);
  });
});

test("what is remembered still needs its signature", async () => {
  const { file, cacheDir } = await startedOnce();
  await expect(start(file, cacheDir, { "storage.bundle.publicKeys": others.publicKeyFile })).rejects.toThrow(/it is signed by another key/);
});
