/** A store that holds a bundle: from a file and from a real https server, in all its moods, and from the last good copy. */
import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { frameOf, maxBytes, openFrame, statementOf } from "../../src/bundle/frame.ts";
import { signStatement } from "../../src/bundle/sign.ts";
import { loadConfig } from "../../src/config/load.ts";
import { printProblem } from "../../src/config/problem.ts";
import { isRefusal } from "../../src/refusal.ts";
import type { BundleReading, BundleStore } from "../../src/store/bundle-store.ts";
import { openPlace } from "../../src/store/bundle-place.ts";
import { trustOf } from "../../src/store/bundle-trust.ts";
import { openBundleStore } from "../../src/store/bundle.ts";
import { storageOf } from "../../src/store/storage.ts";
import { UnreachableError } from "../../src/outgoing/unreachable-error.ts";
import { buildBundle, makeKeys, startBundleServer, type BundleServer, type BundleServerOptions, type Fault } from "../bundle/server.ts";
import { makeAuthority } from "../server/certificates.ts";
import { eventually, temporaryFolder } from "../server/harness.ts";

const keys = makeKeys();
const others = makeKeys();

const policy = (effect: "ALLOW" | "DENY"): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_${effect}
      roles: [user]
`;
const allowing = buildBundle({ "doc.yaml": policy("ALLOW") }, keys);
const denying = buildBundle({ "doc.yaml": policy("DENY") }, keys);

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/** Opens a store as a server's configuration would. */
function openStore(settings: { readonly [key: string]: string }): BundleStore {
  const all = { "storage.driver": "bundle", "storage.bundle.publicKeys": keys.publicKeyFile, ...settings };
  const { config, problems } = loadConfig(
    undefined,
    Object.entries(all).map(([key, value]) => `${key}=${value}`),
    {},
  );
  if (config === undefined) throw new Error(problems.map(printProblem).join("\n"));
  const store = openBundleStore(storageOf(config));
  closing.push(store.close);
  return store;
}

async function startRemote(options?: BundleServerOptions): Promise<BundleServer> {
  const remote = await startBundleServer(options);
  closing.push(remote.close);
  return remote;
}

/** A store of what a server serves, with a folder for the copy. */
function openRemote(remote: BundleServer, settings: { readonly [key: string]: string } = {}): { store: BundleStore; cacheDir: string } {
  const cacheDir = settings["storage.bundle.cacheDir"] ?? temporaryFolder({});
  const store = openStore({
    "storage.bundle.url": remote.url,
    "storage.bundle.caCert": remote.caCert,
    "storage.bundle.operationTimeout": "500ms",
    "storage.bundle.cacheDir": cacheDir,
    ...settings,
  });
  return { store, cacheDir };
}

/** What a reading came to, in short. */
async function outcome(reading: Promise<BundleReading>): Promise<string> {
  try {
    const read = await reading;
    if (read.kind === "unchanged") return "unchanged";
    const is = [allowing, denying].findIndex((bytes) => openFrame(bytes).digest === read.digest);
    const name = ["allowing", "denying"][is] ?? "another";
    return read.staleBecause === undefined ? name : `${name}, although ${read.staleBecause}`;
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}

const older = (): Uint8Array => {
  const json = Buffer.from(openFrame(allowing).statement)
    .toString()
    .replace(/^export default /, "")
    .replace(/;\n$/, "");
  return signStatement(statementOf(json.replace(/"compilerVersion":"\d+"/, '"compilerVersion":"1"')), createPrivateKey(keys.privateKey));
};
const flipped = (): Uint8Array => {
  const bytes = Buffer.from(denying);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  return bytes;
};
const body = (bytes: Uint8Array): Fault => ({ kind: "body", bytes });

describe("a server", () => {
  test("that is asked again and has nothing new answers 304, and what is new comes once", async () => {
    const remote = await startRemote();
    remote.publish(allowing);
    const { store } = openRemote(remote);
    const read = [];
    for (let round = 0; round < 3; round++) read.push(await outcome(store.read()));
    remote.publish(denying);
    for (let round = 0; round < 2; round++) read.push(await outcome(store.read()));
    expect(read).toEqual(["allowing", "unchanged", "unchanged", "denying", "unchanged"]);
    expect(remote.answers()).toEqual([200, 304, 304, 200, 304]);
    expect(await outcome(store.read(true))).toBe("unchanged");
    expect(remote.answers().at(-1)).toBe(200); // who reloads does not trust what is remembered
    // With a connection of its own each, so that a certificate that was replaced is seen.
    expect(new Set(remote.requests().map(({ connection }) => connection))).toEqual(new Set(["close"]));
    expect(new Set(remote.requests().map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
  });

  test.each<[sentence: string, fault: Fault]>([
    ["has nothing new", { kind: "none" }],
    ["has another bundle", body(denying)],
    ["fails", { kind: "status", status: 500 }],
    ["forbids", { kind: "status", status: 403 }],
    ["changes to another protocol", { kind: "switch" }],
    ["leads to the bundle", { kind: "redirect", to: "/policies/other.mjs" }],
    ["leads elsewhere", { kind: "redirect", to: "https://localhost:1/bundle.mjs" }],
    ["compresses unasked", { kind: "body", bytes: Buffer.alloc(2 ** 22), headers: { "content-encoding": "gzip" } }],
    ["does not stop", { kind: "endless" }],
    ["fails, and does not stop saying so", { kind: "endless", status: 500 }],
  ])("that %s keeps no connection, however long it might take to answer", async (_sentence, fault) => {
    const remote = await startRemote();
    remote.publish(allowing);
    const { store } = openRemote(remote, { "storage.bundle.operationTimeout": "10m" });
    expect(await outcome(store.read())).toBe("allowing");
    remote.setFault(fault);
    await outcome(store.read());
    await eventually(remote.connections, (count) => count === 0);
  });

  test("without ETags is asked for the whole each time, and nothing is taken for new that is not", async () => {
    const remote = await startRemote({ withoutEtag: true });
    remote.publish(allowing);
    const { store } = openRemote(remote);
    expect([await outcome(store.read()), await outcome(store.read())]).toEqual(["allowing", "unchanged"]);
    expect(remote.answers()).toEqual([200, 200]);
  });

  test.each<[sentence: string, fault: Fault, because: RegExp]>([
    ["hangs", { kind: "hang" }, /did not answer within 0\.5 s$/],
    ["stops in the middle", { kind: "stall" }, /did not answer within 0\.5 s$/],
    ["drips", { kind: "drip", milliseconds: 20 }, /did not answer within 0\.5 s$/],
    ["hangs up", { kind: "drop" }, /cannot be reached: socket hang up/],
    ["hangs up in the middle", { kind: "cut" }, /the answer was cut off$/],
    ["fails", { kind: "status", status: 500 }, /answers with status 500$/],
    ["is overloaded", { kind: "status", status: 503 }, /answers with status 503$/],
    ["forbids", { kind: "status", status: 403 }, /answers with 403: check storage\.bundle\.username/],
    ["has lost it", { kind: "status", status: 404 }, /answers with 404: there is no such file$/],
    ["changes to another protocol", { kind: "switch" }, /answers with status 101$/],
    ["has nothing to say", { kind: "status", status: 204 }, /answers with status 204$/],
    ["serves a page", body(Buffer.from("<html><body>Sign in</body></html>")), /it is not a bundle of authz: it is a page/],
    ["serves nothing", body(Buffer.from("")), /it is empty$/],
    ["serves a flipped bit", body(flipped()), /it is damaged: its digest is/],
    ["serves half of it", body(denying.subarray(0, denying.length / 2)), /it is cut off or damaged/],
    [
      "serves what another has signed",
      body(buildBundle({ "doc.yaml": policy("DENY") }, others)),
      new RegExp(`it is signed by another key \\(${others.keyId}\\)`),
    ],
    ["serves what nobody has signed", body(buildBundle({ "doc.yaml": policy("DENY") })), /it is not signed/],
    ["serves what an older compiler has built", body(older()), /it was built by compiler 1, and this server runs/],
    ["compresses unasked", { kind: "body", bytes: denying, headers: { "content-encoding": "gzip" } }, /the answer is encoded \(gzip\)/],
    ["does not stop", { kind: "endless" }, /the answer is larger than a bundle may be|did not answer within/],
    [
      "redirects to another origin",
      { kind: "redirect", to: "https://localhost:1/bundle.mjs" },
      /redirects to another origin, which is not followed/,
    ],
    ["redirects to http", { kind: "redirect", to: "http://127.0.0.1:1/bundle.mjs" }, /redirects to another origin/],
    ["redirects for ever", { kind: "redirect", to: "/policies/bundle.mjs" }, /redirects more than 3 times$/],
  ])("that %s is told of, and what comes after it is taken in", async (_sentence, fault, because) => {
    const remote = await startRemote();
    remote.publish(allowing);
    const { store } = openRemote(remote);
    expect(await outcome(store.read())).toBe("allowing");
    remote.setFault(fault);
    for (let time = 0; time < 2; time++) expect(await outcome(store.read())).toMatch(because);
    remote.setFault({ kind: "none" });
    expect(await outcome(store.read())).toBe("unchanged");
    remote.setFault(fault);
    expect(await outcome(store.read())).toMatch(because);
    remote.publish(denying);
    remote.setFault({ kind: "none" });
    expect(await outcome(store.read())).toBe("denying");
  });

  test.each<[sentence: string, fault: Fault, mayPass: boolean]>([
    ["hangs", { kind: "hang" }, true],
    ["hangs up", { kind: "drop" }, true],
    ["hangs up in the middle", { kind: "cut" }, true],
    ["is overloaded", { kind: "status", status: 503 }, true],
    ["forbids", { kind: "status", status: 403 }, false],
    ["serves a flipped bit", body(flipped()), false],
  ])("that %s: to ask again may help: %j", async (_sentence, fault, mayPass) => {
    const remote = await startRemote();
    remote.publish(allowing);
    const { store } = openRemote(remote);
    await store.read();
    remote.setFault(fault);
    const error = await store.read().catch((failed: unknown) => failed);
    expect([isRefusal(error), error instanceof UnreachableError]).toEqual([true, mayPass]);
  });

  test("that says 304 to whoever has nothing is not believed", async () => {
    const remote = await startRemote();
    remote.setFault({ kind: "not modified" });
    expect(await outcome(openRemote(remote).store.read())).toMatch(/answers with 304 \(not modified\) without having been asked/);
  });

  test("may redirect within its origin", async () => {
    const remote = await startRemote();
    remote.publish(allowing);
    remote.setFault({ kind: "redirect", to: "/releases/7/bundle.mjs" });
    const { store } = openRemote(remote);
    expect([await outcome(store.read()), await outcome(store.read())]).toEqual(["allowing", "unchanged"]);
    expect(remote.answers()).toEqual([302, 200, 302, 304]);
  });

  test.each<[sentence: string, elsewhere: (url: URL) => void]>([
    ["without TLS", (url) => void (url.protocol = "http:")],
    ["at another port", (url) => void (url.port = "1")],
    ["by another name", (url) => void (url.hostname = "localhost")],
  ])("that redirects to itself %s is not followed", async (_sentence, elsewhere) => {
    const remote = await startRemote();
    const to = new URL("other.mjs", remote.url);
    elsewhere(to);
    remote.setFault({ kind: "redirect", to: to.href });
    expect(await outcome(openRemote(remote).store.read())).toMatch(/redirects to another origin, which is not followed/);
    expect(remote.answers()).toEqual([302]);
  });

  test("that redirects for ever is followed three times", async () => {
    const remote = await startRemote();
    remote.setFault({ kind: "redirect", to: "/policies/bundle.mjs" });
    expect(await outcome(openRemote(remote).store.read())).toMatch(/redirects more than 3 times/);
    expect(remote.answers()).toEqual([302, 302, 302, 302]);
  });

  test.each<
    [sentence: string, credentials: BundleServerOptions["credentials"], settings: { readonly [key: string]: string }, read: RegExp]
  >([
    ["name and password", { username: "ann", password: "s:cret" }, { username: "ann", password: "s:cret" }, /^allowing$/],
    ["a bearer token", { token: "abc.def" }, { password: "abc.def" }, /^allowing$/],
    [
      "another password",
      { username: "ann", password: "s:cret" },
      { username: "ann", password: "s:crets" },
      /answers with 401: check storage\.bundle\.username and storage\.bundle\.password;/,
    ],
    ["nothing", { token: "abc.def" }, {}, /answers with 401/],
  ])("that wants credentials is shown %s, and no message repeats them", async (_sentence, credentials, settings, read) => {
    const remote = await startRemote({ ...(credentials !== undefined && { credentials }) });
    remote.publish(allowing);
    const said = await outcome(
      openRemote(remote, Object.fromEntries(Object.entries(settings).map(([key, value]) => [`storage.bundle.${key}`, value]))).store.read(),
    );
    expect(said).toMatch(read);
    expect(said).not.toContain("cret");
  });

  test.each<[sentence: string, settings: { readonly [key: string]: string }, because: RegExp]>([
    [
      "nobody who is known",
      { "storage.bundle.caCert": "" },
      /its certificate is not signed by a trusted authority \(\w+\): name its authority in storage\.bundle\.caCert/,
    ],
    [
      "another authority",
      { "storage.bundle.caCert": join(temporaryFolder({ "ca.pem": makeAuthority().certificate }), "ca.pem") },
      /is not signed by a trusted authority/,
    ],
    [
      "an authority in a file that is not there",
      { "storage.bundle.caCert": "/nowhere/ca.pem" },
      /the certificates `\/nowhere\/ca\.pem` do not exist/,
    ],
    ["an authority in a file that holds none", { "storage.bundle.caCert": keys.publicKeyFile }, /holds no certificate \(PEM\)/],
  ])("whose certificate is by %s is not asked", async (_sentence, settings, because) => {
    const remote = await startRemote();
    remote.publish(allowing);
    expect(await outcome(openRemote(remote, settings).store.read())).toMatch(because);
    expect(remote.answers()).toEqual([]);
  });

  test("on this machine may speak plain http", async () => {
    const remote = await startRemote({ plain: true });
    remote.publish(allowing);
    expect(await outcome(openRemote(remote, { "storage.bundle.caCert": "" }).store.read())).toBe("allowing");
  });
});

describe("the last good copy", () => {
  /** A server that has been read once, and is gone; and where the copy is. */
  async function copied(): Promise<{ readonly remote: BundleServer; readonly cacheDir: string; readonly file: string }> {
    const remote = await startRemote();
    remote.publish(allowing);
    const { store, cacheDir } = openRemote(remote);
    await store.read();
    remote.setFault({ kind: "status", status: 503 });
    return { remote, cacheDir, file: join(cacheDir, readdirSync(cacheDir)[0] ?? "") };
  }
  const again = (remote: BundleServer, cacheDir: string, settings = {}): BundleStore =>
    openRemote(remote, { "storage.bundle.cacheDir": cacheDir, ...settings }).store;

  test("is the file as it came, for its owner alone", async () => {
    const { file } = await copied();
    expect(readFileSync(file).equals(allowing)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("serves a start without network, saying so; from then on the network is asked", async () => {
    const { remote, cacheDir, file } = await copied();
    const store = again(remote, cacheDir);
    expect(await outcome(store.read())).toMatch(
      new RegExp(
        `^allowing, although the bundle \`${remote.url}\`: 127.0.0.1:\\d+ answers with status 503; serving the last good copy, \`${file}\`$`,
      ),
    );
    expect(await outcome(store.read())).toMatch(/answers with status 503$/);
    remote.setFault({ kind: "none" });
    expect(await outcome(store.read())).toBe("unchanged");
    remote.publish(denying);
    expect(await outcome(store.read())).toBe("denying");
    expect(readFileSync(file).equals(denying)).toBe(true);
  });

  test.each<[sentence: string, spoil: (file: string) => void, because: RegExp]>([
    ["a flipped bit", (file) => writeFileSync(file, flipped()), /; and of the last good copy, `.*`: it is damaged/],
    [
      "another's signature",
      (file) => writeFileSync(file, buildBundle({ "doc.yaml": policy("DENY") }, others)),
      /of the last good copy, `.*`: it is signed by another key/,
    ],
    [
      "no signature",
      (file) => writeFileSync(file, frameOf(openFrame(allowing).statement)),
      /of the last good copy, `.*`: it is not signed/,
    ],
    ["half of it", (file) => writeFileSync(file, allowing.subarray(0, 1000)), /of the last good copy, `.*`: it is cut off/],
    ["nothing", (file) => rmSync(file), /of the last good copy, `.*`: there is none$/],
    [
      "a folder that others can write to",
      (file) => chmodSync(join(file, ".."), 0o777),
      /of the last good copy, `.*`: others can write to the folder/,
    ],
  ])("is not used with %s", async (_sentence, spoil, because) => {
    const { remote, cacheDir, file } = await copied();
    spoil(file);
    expect(await outcome(again(remote, cacheDir).read())).toMatch(because);
  });

  test("is not used by a server that trusts other keys since", async () => {
    const { remote, cacheDir } = await copied();
    const store = again(remote, cacheDir, { "storage.bundle.publicKeys": others.publicKeyFile });
    expect(await outcome(store.read())).toMatch(/of the last good copy, `.*`: it is signed by another key/);
  });

  test("belongs to one address: who shares the folder with it does not get its policies", async () => {
    const { cacheDir } = await copied();
    const elsewhere = await startRemote({ path: "/other/bundle.mjs" });
    expect(await outcome(again(elsewhere, cacheDir).read())).toMatch(/answers with 404.*of the last good copy, `.*`: there is none$/);
  });

  test.each([
    ["before it was read", false],
    ["after it was read", true],
  ])("is signed anew when the bundle is, %s", async (_sentence, isRead) => {
    const { remote, cacheDir, file } = await copied();
    const both = join(temporaryFolder({ "keys.pub": keys.publicKey + others.publicKey }), "keys.pub");
    const store = again(remote, cacheDir, { "storage.bundle.publicKeys": both });
    await store.read();
    if (isRead) {
      remote.setFault({ kind: "none" });
      await store.read();
    }
    remote.publish(buildBundle({ "doc.yaml": policy("ALLOW") }, others));
    remote.setFault({ kind: "none" });
    expect(await outcome(store.read(true))).toBe("unchanged");
    expect(openFrame(readFileSync(file)).signature?.keyId).toBe(others.keyId);
  });

  test("of which a crash left halves is the only one once the next is written, unless somebody may still be writing", async () => {
    const { remote, cacheDir, file } = await copied();
    const beside = (digits: string): string => join(cacheDir, `.${basename(file)}.${digits}.new`);
    for (const digits of ["0123456789ab", "ba9876543210"]) writeFileSync(beside(digits), allowing.subarray(0, 1000));
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(beside("0123456789ab"), anHourAgo, anHourAgo);
    remote.setFault({ kind: "none" });
    remote.publish(denying);
    expect(await outcome(again(remote, cacheDir).read())).toBe("denying");
    expect(readdirSync(cacheDir).filter((name) => name.endsWith(".new"))).toEqual([basename(beside("ba9876543210"))]);
  });

  test("that could not be written is written once it can be, also when the bundle stays the same", async () => {
    const remote = await startRemote();
    remote.publish(allowing);
    const cacheDir = join(temporaryFolder({ cache: "a file in the way" }), "cache");
    const store = again(remote, cacheDir);
    expect(await store.read()).toMatchObject({ kind: "bundle", remarks: [expect.stringMatching(/^no copy of the bundle is kept/)] });
    expect(await outcome(store.read())).toBe("unchanged");
    rmSync(cacheDir);
    expect(await outcome(store.read())).toBe("unchanged");
    expect(readdirSync(cacheDir).map((name) => readFileSync(join(cacheDir, name)).equals(allowing))).toEqual([true]);
    expect(remote.answers()).toEqual([200, 304, 304]);
  });

  test("that cannot be written is told of, and nothing else", async () => {
    const remote = await startRemote();
    remote.publish(allowing);
    const file = join(temporaryFolder({ file: "" }), "file");
    const reading = await openRemote(remote, { "storage.bundle.cacheDir": join(file, "cache") }).store.read();
    expect(reading).toMatchObject({
      kind: "bundle",
      remarks: [expect.stringMatching(/^no copy of the bundle is kept, so the next start needs the network: /)],
    });
  });
});

describe("a file", () => {
  test("is read when it is another, however it is replaced", async () => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, allowing);
    const store = openStore({ "storage.bundle.path": file });
    expect([await outcome(store.read()), await outcome(store.read())]).toEqual(["allowing", "unchanged"]);
    writeFileSync(`${file}.new`, denying);
    renameSync(`${file}.new`, file);
    expect(await outcome(store.read())).toBe("denying");
    writeFileSync(file, allowing.subarray(0, 500));
    expect(await outcome(store.read())).toBe(
      `the bundle \`${file}\`: it is cut off or damaged: the digest that ends a bundle is not there`,
    );
    writeFileSync(file, allowing);
    const back = await store.read();
    expect(await outcome(Promise.resolve(back))).toBe("allowing");
    expect(back).toMatchObject({ remarks: [expect.stringMatching(/^a bundle has come back that was replaced before \([0-9a-f]{64}\)/)] });
    rmSync(file);
    expect(await outcome(store.read())).toBe(`the bundle \`${file}\`: it does not exist (setting storage.bundle.path)`);
    writeFileSync(file, allowing);
    expect(await outcome(store.read())).toBe("unchanged");
  });

  test("is watched: who replaces it is noticed before the next poll", async () => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, allowing);
    const store = openStore({ "storage.bundle.path": file, "storage.bundle.updatePollInterval": "1h" });
    await store.read();
    let told = 0;
    store.watch(() => told++);
    writeFileSync(`${file}.new`, denying);
    renameSync(`${file}.new`, file);
    await eventually(
      () => told,
      (times) => times > 0,
    );
    expect(await outcome(store.read())).toBe("denying");
  });

  test("that another of the same size and time was put in the place of is read again", async () => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    const at = Date.now() / 1000 - 3600;
    const put = (role: string): number => {
      writeFileSync(`${file}.new`, buildBundle({ "doc.yaml": policy("ALLOW").replace("user", role) }, keys));
      utimesSync(`${file}.new`, at, at);
      renameSync(`${file}.new`, file);
      return statSync(file).size;
    };
    const store = openStore({ "storage.bundle.path": file });
    const size = put("ann1");
    expect(await outcome(store.read())).toBe("another");
    expect(put("ann2")).toBe(size);
    expect(await outcome(store.read())).toBe("another");
  });

  test("that was just written is read again, because it may be overwritten without a visible difference", async () => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, allowing);
    const { config } = loadConfig(undefined, [`storage.bundle.path=${file}`], {});
    if (config === undefined) expect.fail("the usual configuration is sound");
    const place = openPlace(storageOf(config));
    const isReadAgain = async (): Promise<boolean> => {
      (await place.read(true))?.keep();
      return (await place.read(false)) !== undefined;
    };
    expect(await isReadAgain()).toBe(true);
    await eventually(
      () => Date.now() - statSync(file).ctimeMs,
      (age) => age > 2200,
    );
    expect(await isReadAgain()).toBe(false);
  });

  test("is watched as long as the store is open, also in a folder that was removed and is there again", async () => {
    const folder = join(temporaryFolder({}), "bundles");
    const file = join(folder, "bundle.mjs");
    const put = (bytes: Uint8Array): void => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${file}.new`, bytes);
      renameSync(`${file}.new`, file);
    };
    put(allowing);
    const store = openStore({ "storage.bundle.path": file, "storage.bundle.updatePollInterval": "1h" });
    let told = 0;
    store.watch(() => told++);
    await store.read();
    rmSync(folder, { recursive: true });
    expect(await outcome(store.read())).toMatch(/does not exist/);
    put(allowing);
    expect(await outcome(store.read())).toBe("unchanged");
    await new Promise((resolve) => setTimeout(resolve, 100)); // what was told of the folder before
    told = 0;
    put(denying);
    await eventually(
      () => told,
      (times) => times > 0,
    );
    expect(await outcome(store.read())).toBe("denying");
    await store.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    told = 0;
    put(allowing);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).toBe(0);
  });

  test("that is a folder is refused", async () => {
    expect(await outcome(openStore({ "storage.bundle.path": temporaryFolder({}) }).read())).toMatch(
      /it is not a file \(setting storage\.bundle\.path\)$/,
    );
  });

  test("that is larger than a bundle may be is refused", async () => {
    const file = join(temporaryFolder({ "bundle.mjs": "" }), "bundle.mjs");
    truncateSync(file, maxBytes + 1);
    expect(await outcome(openStore({ "storage.bundle.path": file }).read())).toContain(
      `it is larger than a bundle may be (${maxBytes} bytes)`,
    );
  });

  test("in whose place there is a pipe that nobody writes to is told of at once, and what comes after it is taken in", async () => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, allowing);
    const store = openStore({ "storage.bundle.path": file });
    expect(await outcome(store.read())).toBe("allowing");
    rmSync(file);
    execFileSync("mkfifo", [file]);
    expect(await outcome(store.read())).toMatch(/it is not a file \(setting storage\.bundle\.path\)$/);
    writeFileSync(`${file}.new`, denying);
    renameSync(`${file}.new`, file);
    expect(await outcome(store.read())).toBe("denying");
  });

  test("without a signature is used where that is allowed, and it is said what that means", async () => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, frameOf(openFrame(allowing).statement));
    const store = openStore({ "storage.bundle.path": file, "storage.bundle.publicKeys": "", "storage.bundle.allowUnsigned": "true" });
    expect(await store.read()).toMatchObject({
      kind: "bundle",
      remarks: [
        expect.stringMatching(
          /^nobody checks who made this bundle \(storage\.bundle\.allowUnsigned\): whoever can change it, .* decides what is allowed\. It is not signed$/,
        ),
      ],
    });
    writeFileSync(file, flipped());
    expect(await outcome(store.read())).toMatch(/it is damaged/);
  });
});

describe("the keys", () => {
  test.each<[sentence: string, file: string, because: RegExp]>([
    ["a file that is not there", "/nowhere/key.pub", /the key file `\/nowhere\/key\.pub` does not exist$/],
    ["a private key", keys.privateKeyFile, /holds a private key: give the public one, and keep that one where bundles are signed$/],
    ...["EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"].map((label): [sentence: string, file: string, because: RegExp] => [
      `a private key that is called ${label}`,
      join(temporaryFolder({ "key.pem": `-----BEGIN ${label}-----\nbm8=\n-----END ${label}-----\n` }), "key.pem"),
      /holds a private key: give the public one/,
    ]),
    [
      "a certificate",
      join(temporaryFolder({ "ca.pem": makeAuthority().certificate }), "ca.pem"),
      /holds a certificate: only public keys belong there$/,
    ],
    ["nothing", join(temporaryFolder({ "key.pub": "" }), "key.pub"), /holds no public key \(PEM\): `authz bundle keygen` makes a pair$/],
    [
      "what is no key",
      join(temporaryFolder({ "key.pub": "-----BEGIN PUBLIC KEY-----\nbm8=\n-----END PUBLIC KEY-----\n" }), "key.pub"),
      /cannot be read: it must be Ed25519, as PEM$/,
    ],
  ])("cannot be %s", async (_sentence, publicKey, because) => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, allowing);
    expect(await outcome(openStore({ "storage.bundle.path": file, "storage.bundle.publicKeys": publicKey }).read())).toMatch(because);
  });

  test("must be named, unless unsigned bundles are allowed, whoever has read the settings", () => {
    const settings = { "storage.bundle.publicKeys": [], "storage.bundle.allowUnsigned": false };
    const { config } = loadConfig(undefined, [], {});
    if (config === undefined) expect.fail("the usual configuration is sound");
    expect(() => trustOf(storageOf({ ...config, ...settings }))).toThrow(/no key is trusted to sign bundles/);
    expect(trustOf(storageOf({ ...config, ...settings, "storage.bundle.allowUnsigned": true }))).toEqual({ kind: "anybody" });
    // Where both are said, the keys count.
    const both = { "storage.bundle.publicKeys": [keys.publicKeyFile], "storage.bundle.allowUnsigned": true };
    expect(trustOf(storageOf({ ...config, ...both }))).toMatchObject({ kind: "keys" });
  });

  test("can be exchanged without a restart", async () => {
    const folder = temporaryFolder({ "key.pub": keys.publicKey });
    writeFileSync(join(folder, "bundle.mjs"), allowing);
    const store = openStore({ "storage.bundle.path": join(folder, "bundle.mjs"), "storage.bundle.publicKeys": join(folder, "key.pub") });
    expect(await outcome(store.read())).toBe("allowing");
    writeFileSync(join(folder, "key.pub"), others.publicKey);
    writeFileSync(join(folder, "bundle.mjs"), denying);
    expect(await outcome(store.read())).toMatch(/it is signed by another key/);
    writeFileSync(join(folder, "bundle.mjs"), buildBundle({ "doc.yaml": policy("DENY") }, others));
    expect(await outcome(store.read())).toBe("denying");
  });

  test.each(["file", "address"])(
    "of a bundle in force that are trusted no more are told of until they are again; it is at a %s",
    async (where) => {
      const folder = temporaryFolder({ "key.pub": keys.publicKey });
      writeFileSync(join(folder, "bundle.mjs"), allowing);
      const trusted = { "storage.bundle.publicKeys": join(folder, "key.pub") };
      const remote = await startRemote();
      remote.publish(allowing);
      const file = { "storage.bundle.path": join(folder, "bundle.mjs") };
      const store = where === "file" ? openStore({ ...file, ...trusted }) : openRemote(remote, trusted).store;
      expect([await outcome(store.read()), await outcome(store.read())]).toEqual(["allowing", "unchanged"]);
      writeFileSync(join(folder, "key.pub"), others.publicKey);
      expect(await outcome(store.read(true))).toMatch(/it is signed by another key/);
      expect(await outcome(store.read())).toMatch(/it is signed by another key/);
      writeFileSync(join(folder, "key.pub"), keys.publicKey);
      expect(await outcome(store.read())).toBe("unchanged");
    },
  );
});
