/** The last good copy is tried like any other bundle: one that an earlier server let pass is not served again. */
import { createPrivateKey } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { writeContent } from "../../src/bundle/file.ts";
import { signStatement } from "../../src/bundle/sign.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { BundleStore } from "../../src/store/bundle-store.ts";
import { openBundleStore } from "../../src/store/bundle.ts";
import { storageOf } from "../../src/store/storage.ts";
import { openTrials, type Trials } from "../../src/trial/trial.ts";
import { makeKeys, startBundleServer } from "../bundle/server.ts";
import { bundleOf, rebuilt } from "../bundle/try-out.ts";
import { temporaryFolder } from "../server/harness.ts";

const keys = makeKeys();
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const honest = bundleOf(`apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: R.attr.size < 10.5 } } }]
`);
/** The gate admits it; it decides otherwise than its own conditions. */
const dishonest = rebuilt(honest, { program: (text) => text.replace(/ < (k\d)/, " > $1") });

const signed = (bundle: typeof honest): Uint8Array =>
  signStatement(writeContent({ bundle, schemas: new Map(), policies: 1 }), createPrivateKey(keys.privateKey));

test("a copy that does not pass is refused, with both reasons; and one that does is served", async () => {
  expect(dishonest).not.toEqual(honest);
  const remote = await startBundleServer();
  closing.push(remote.close);
  const open = (cacheDir: string, trials?: Trials): BundleStore => {
    const settings = {
      "storage.driver": "bundle",
      "storage.bundle.publicKeys": keys.publicKeyFile,
      "storage.bundle.url": remote.url,
      "storage.bundle.caCert": remote.caCert,
      "storage.bundle.cacheDir": cacheDir,
    };
    const { config } = loadConfig(
      undefined,
      Object.entries(settings).map(([key, value]) => `${key}=${value}`),
      {},
    );
    if (config === undefined) throw new Error("these settings are right");
    const store = openBundleStore(storageOf(config), trials);
    closing.push(store.close);
    return store;
  };
  const outcomes: string[] = [];
  for (const bundle of [dishonest, honest]) {
    const cacheDir = temporaryFolder({});
    remote.setFault({ kind: "none" });
    remote.publish(signed(bundle));
    await open(cacheDir).read();
    remote.setFault({ kind: "status", status: 503 });
    const started = open(cacheDir, openTrials());
    outcomes.push(
      await started.read().then(
        (read) => (read.kind === "bundle" ? `served, because ${read.staleBecause}` : read.kind),
        (error: unknown) => String(error),
      ),
    );
  }
  expect(outcomes).toEqual([
    expect.stringMatching(
      /answers with status 503; and of the last good copy, `.*`: it did not pass its trial: resource doc@default: its program decides otherwise/,
    ),
    expect.stringMatching(/^served, because .*answers with status 503; serving the last good copy/),
  ]);
});
