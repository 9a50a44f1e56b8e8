/** A server on a bundle: it decides as on the folder, follows what is published, and loses nothing to whatever goes wrong there. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBundle } from "../../src/bundle/index.ts";
import { buildBundle, makeKeys, startBundleServer, type BundleServer, type Fault } from "../bundle/server.ts";
import { decideFolders, type Case } from "../golden/cases.ts";
import { configurationOf } from "../golden/settings.ts";
import { sentAuxData } from "../golden/tokens.ts";
import { ask, close, enabled, open, type Opened } from "../server/admin-harness.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { readExposition } from "./exposition.ts";

const keys = makeKeys();
const others = makeKeys();

/** The files of a folder of policies, schemas too. */
function filesOf(folder: string): { readonly [path: string]: string } {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.(ya?ml|json)$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** A server on a bundle of these files. */
async function startOnBundle(files: { readonly [path: string]: string }, configuration: string): Promise<TestServer> {
  const folder = temporaryFolder({ "authz.json": configuration });
  writeFileSync(join(folder, "bundle.mjs"), buildBundle(files, keys));
  const settings = {
    "storage.driver": "bundle",
    "storage.bundle.path": join(folder, "bundle.mjs"),
    "storage.bundle.publicKeys": keys.publicKeyFile,
  };
  return startServer({ policies: {}, file: join(folder, "authz.json"), settings });
}

describe("decides as a server on the folder does", () => {
  const bodyOf = (each: Case): object => {
    const auxData = sentAuxData(each);
    const resources = each.asked.map(({ resource, actions }) => ({ resource, actions }));
    return { requestId: each.it, includeMeta: true, principal: each.principal, resources, ...(auxData !== undefined && { auxData }) };
  };
  /** A slice: that every bundle reads back as what was compiled is shown in bundle-file.test.ts. */
  const folders = decideFolders().filter(({ name }) => /^(worked-example|schema-rejection|role-policy-chain)/.test(name));

  async function compare(policies: string, configuration: string, bodies: readonly object[]): Promise<void> {
    const folder = temporaryFolder({ "authz.json": configuration });
    const onFolder = await startServer({ policies, file: join(folder, "authz.json") });
    const onBundle = await startOnBundle(filesOf(policies), configuration);
    try {
      for (const body of bodies) {
        const [left, right] = await Promise.all([onFolder, onBundle].map((server) => server.post("/api/check/resources", body)));
        expect([left?.status, right?.status]).toEqual([200, 200]);
        expect(right?.json.results).toEqual(left?.json.results);
      }
    } finally {
      await onFolder.stop();
      await onBundle.stop();
    }
  }

  test("golden/tour", () => {
    const tour = join(import.meta.dirname, "..", "..", "golden", "tour");
    return compare(join(tour, "policies"), "{}", [JSON.parse(readFileSync(join(tour, "requests", "expense.json"), "utf8"))]);
  });

  test.each(folders)("golden/decide/$name", async ({ policies, cases }) => {
    const asked = cases.filter(({ settings }) => settings.now === undefined);
    for (const configuration of new Set(asked.map(({ settings }) => configurationOf(settings))))
      await compare(policies, configuration, asked.filter(({ settings }) => configurationOf(settings) === configuration).map(bodyOf));
  });
});

const policy = (effect: "ALLOW" | "DENY", more = ""): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
${more}  rules:
    - actions: [view]
      effect: EFFECT_${effect}
      roles: [user]
`;
const allowing = buildBundle({ "doc.yaml": policy("ALLOW") }, keys);
const denying = buildBundle({ "doc.yaml": policy("DENY") }, keys);

const effectOf = async (server: TestServer): Promise<string | undefined> => {
  const request = { principal: { id: "ann", roles: ["user"] }, resources: [{ actions: ["view"], resource: { kind: "doc", id: "1" } }] };
  const { status, json, text } = await server.post("/api/check/resources", request);
  return status === 200 ? json.results[0].actions["view"] : text;
};
const messages = (server: TestServer): readonly string[] => server.logged().map(({ message }) => String(message));
const metric = async (server: TestServer, name: string, labels = {}): Promise<number> =>
  readExposition((await server.get("/_authz/metrics")).text).value(`authz_dev_store_${name}`, labels);

const settingsFor = (remote: BundleServer, cacheDir: string): { readonly [key: string]: string } => ({
  "storage.driver": "bundle",
  "storage.bundle.url": remote.url,
  "storage.bundle.caCert": remote.caCert,
  "storage.bundle.publicKeys": keys.publicKeyFile,
  "storage.bundle.cacheDir": cacheDir,
  "storage.bundle.updatePollInterval": "100ms",
  "storage.bundle.operationTimeout": "1s",
});

describe("while it serves", () => {
  let remote: BundleServer;
  let server: TestServer;
  beforeAll(async () => {
    remote = await startBundleServer();
    remote.publish(allowing);
    server = await startServer({ policies: {}, settings: settingsFor(remote, temporaryFolder({})) });
  });
  afterAll(async () => {
    await server.stop();
    await remote.close();
  });

  const flipped = Buffer.from(denying);
  flipped[200] = (flipped[200] ?? 0) ^ 4;
  test.each<[sentence: string, fault: Fault, told: RegExp]>([
    ["hangs", { kind: "hang" }, /did not answer within 1 s: the last good set keeps answering$/],
    ["fails", { kind: "status", status: 502 }, /answers with status 502: the last good set keeps answering$/],
    ["hangs up", { kind: "cut" }, /the answer was cut off: the last good set keeps answering$/],
    ["serves a flipped bit", { kind: "body", bytes: flipped }, /it is damaged.*: the last good set keeps answering$/],
    [
      "serves what another has signed",
      { kind: "body", bytes: buildBundle({ "doc.yaml": policy("DENY") }, others) },
      /it is signed by another key/,
    ],
    ["serves half", { kind: "body", bytes: denying.subarray(0, 900) }, /it is cut off or damaged/],
    ["serves a page", { kind: "body", bytes: Buffer.from("<html>") }, /it is a page or an XML document/],
  ])("a place that %s changes nothing, is told of once, and what it has afterwards is taken in", async (_sentence, fault, told) => {
    remote.publish(allowing);
    await eventually(
      () => effectOf(server),
      (effect) => effect === "EFFECT_ALLOW",
    );
    await eventually(
      () => metric(server, "seconds_since_agreement"),
      (seconds) => seconds === 0,
    );
    const before = messages(server).length;
    const errors = await metric(server, "bundle_fetch_errors_count");
    const failures = await metric(server, "sync_error_count");
    const said = (): readonly string[] =>
      messages(server)
        .slice(before)
        .filter((message) => told.test(message));

    remote.setFault(fault);
    await eventually(said, (lines) => lines.length > 0);
    await eventually(
      () => metric(server, "bundle_fetch_errors_count"),
      (count) => count >= errors + 3,
    );
    expect(await metric(server, "seconds_since_agreement")).toBeGreaterThan(0);
    expect(await metric(server, "sync_error_count")).toBeGreaterThanOrEqual(failures + 3); // each poll, and the log once
    expect(await effectOf(server)).toBe("EFFECT_ALLOW");
    expect(said()).toHaveLength(1);

    const updates = await metric(server, "bundle_updates_count");
    remote.publish(denying);
    remote.setFault({ kind: "none" });
    await eventually(
      () => effectOf(server),
      (effect) => effect === "EFFECT_DENY",
    );
    await eventually(
      () => metric(server, "seconds_since_agreement"),
      (seconds) => seconds === 0,
    );
    expect(await metric(server, "bundle_updates_count")).toBe(updates + 1);
  });

  test("a place that is back with what it had agrees again", async () => {
    remote.setFault({ kind: "status", status: 500 });
    await eventually(
      () => metric(server, "seconds_since_agreement"),
      (seconds) => seconds > 0,
    );
    const updates = await metric(server, "bundle_updates_count");
    remote.setFault({ kind: "none" });
    await eventually(
      () => metric(server, "seconds_since_agreement"),
      (seconds) => seconds === 0,
    );
    expect(await metric(server, "bundle_updates_count")).toBe(updates);
  });

  test("polls without a change cost one 304 each, and every reading has its time", async () => {
    const from = remote.answers().length;
    await eventually(
      () => remote.answers().length,
      (length) => length > from + 5,
    );
    expect(new Set(remote.answers().slice(from + 1))).toEqual(new Set([304]));
    expect(await metric(server, "bundle_op_latency_count")).toBeGreaterThan(5);
    expect(await metric(server, "poll_count", { driver: "bundle" })).toBeGreaterThan(5);
  });

  test("nothing was compiled here, and it is not said otherwise", async () => {
    const text = readExposition((await server.get("/_authz/metrics")).text);
    expect(text.values("authz_dev_compiler_compile_duration_count")).toEqual(["0", "0"]);
  });

  test("a bundle that comes back is told of", async () => {
    remote.publish(allowing);
    await eventually(
      () => effectOf(server),
      (effect) => effect === "EFFECT_ALLOW",
    );
    await eventually(
      () => messages(server),
      (lines) => lines.some((line) => /a bundle has come back that was replaced before \([0-9a-f]{64}\)/.test(line)),
    );
  });
});

test("a place that keeps whoever asks waiting does not agree meanwhile", async () => {
  const remote = await startBundleServer();
  remote.publish(allowing);
  const settings = { ...settingsFor(remote, temporaryFolder({})), "storage.bundle.operationTimeout": "4s" };
  const server = await startServer({ policies: {}, settings });
  try {
    expect(await metric(server, "seconds_since_agreement")).toBe(0);
    remote.setFault({ kind: "hang" });
    const apart = await eventually(
      () => metric(server, "seconds_since_agreement"),
      (seconds) => seconds > 0,
    );
    expect(await metric(server, "sync_error_count")).toBe(0);
    expect(await metric(server, "seconds_since_agreement")).toBeGreaterThan(apart);
    await eventually(
      () => metric(server, "sync_error_count"),
      (count) => count > 0,
    );
    expect(await metric(server, "seconds_since_agreement")).toBeGreaterThan(3);
    remote.setFault({ kind: "none" });
    await eventually(
      () => metric(server, "seconds_since_agreement"),
      (seconds) => seconds === 0,
    );
  } finally {
    await server.stop();
    await remote.close();
  }
});

describe("a start", () => {
  test("without network serves the last good copy, says so, and goes on asking", async () => {
    const remote = await startBundleServer();
    remote.publish(allowing);
    const cacheDir = temporaryFolder({});
    await (await startServer({ policies: {}, settings: settingsFor(remote, cacheDir) })).stop();
    remote.setFault({ kind: "drop" });
    const server = await startServer({ policies: {}, settings: settingsFor(remote, cacheDir) });
    try {
      expect(await effectOf(server)).toBe("EFFECT_ALLOW");
      expect((await server.get("/_authz/health")).json).toEqual({ status: "SERVING" });
      await eventually(
        () => messages(server),
        (lines) =>
          lines.some((line) => /cannot be reached: .*; serving the last good copy, `.*`: the last good set keeps answering$/.test(line)),
      );
      expect(await metric(server, "seconds_since_agreement")).toBeGreaterThan(0);
      remote.publish(denying);
      remote.setFault({ kind: "none" });
      await eventually(
        () => effectOf(server),
        (effect) => effect === "EFFECT_DENY",
      );
    } finally {
      await server.stop();
      await remote.close();
    }
  });

  test("without network and without a copy is none", async () => {
    const remote = await startBundleServer();
    remote.publish(allowing);
    remote.setFault({ kind: "hang" });
    await expect(startServer({ policies: {}, settings: settingsFor(remote, temporaryFolder({})) })).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(/did not answer within 1 s; and of the last good copy, `.*`: there is none$/),
    });
    await remote.close();
  });

  test.each<[sentence: string, bytes: Uint8Array, because: RegExp]>([
    [
      "nobody has signed",
      buildBundle({ "doc.yaml": policy("ALLOW") }),
      /^the bundle `.*`: it is not signed, and must be, by the key [0-9a-f]{32}$/,
    ],
    ["another has signed", buildBundle({ "doc.yaml": policy("ALLOW") }, others), /it is signed by another key/],
  ])("on a bundle that %s is none", async (_sentence, bytes, because) => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, bytes);
    const settings = { "storage.driver": "bundle", "storage.bundle.path": file, "storage.bundle.publicKeys": keys.publicKeyFile };
    await expect(startServer({ policies: {}, settings })).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringMatching(because),
    });
  });

  test("on what nobody looks at says what that means", async () => {
    const file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, buildBundle({ "doc.yaml": policy("ALLOW") }));
    const settings = { "storage.driver": "bundle", "storage.bundle.path": file, "storage.bundle.allowUnsigned": true };
    const server = await startServer({ policies: {}, settings });
    expect(messages(server).filter((line) => line.includes("nobody checks who made this bundle"))).toHaveLength(1);
    await server.stop();
  });
});

describe("an administrator of a bundle", () => {
  const schema = `{"type":"object","required":["owner"]}`;
  const more = `  schemas:\n    resourceSchema:\n      ref: authz:///doc.json\n`;
  const files = {
    "doc.yaml": policy("ALLOW", more),
    "acme.yaml": policy("ALLOW", `  scope: acme\n`),
    "report.yaml": policy("ALLOW").replace("resource: doc", "resource: report").replace("version: default", "version: v2"),
    "_schemas/doc.json": schema,
  };
  let opened: Opened;
  let file: string;
  beforeAll(async () => {
    file = join(temporaryFolder({}), "bundle.mjs");
    writeFileSync(file, buildBundle(files, keys));
    const settings = {
      ...enabled,
      "storage.driver": "bundle",
      "storage.bundle.path": file,
      "storage.bundle.publicKeys": keys.publicKeyFile,
    };
    opened = await open({ policies: {}, settings });
  });
  afterAll(() => close(opened));

  test("lists its policies by their keys, and filters them", async () => {
    const listed = async (filter: { readonly [name: string]: string }): Promise<unknown> =>
      (await ask(opened.http, "ListPolicies", filter)).body;
    expect(await listed({})).toEqual({ policyIds: ["resource.doc.vdefault", "resource.doc.vdefault/acme", "resource.report.vv2"] });
    expect(await listed({ nameRegexp: "^rep" })).toEqual({ policyIds: ["resource.report.vv2"] });
    expect(await listed({ scopeRegexp: "acme" })).toEqual({ policyIds: ["resource.doc.vdefault/acme"] });
    expect(await listed({ versionRegexp: "v2" })).toEqual({ policyIds: ["resource.report.vv2"] });
    expect(await listed({ policyId: "resource.doc.vdefault" })).toEqual({ policyIds: ["resource.doc.vdefault"] });
  });

  test("sees its schemas, which are enforced", async () => {
    expect((await ask(opened.http, "ListSchemas", {})).body).toEqual({ schemaIds: ["doc.json"] });
    expect((await ask(opened.http, "GetSchema", { id: ["doc.json"] })).body).toEqual({
      schemas: [{ id: "doc.json", definition: JSON.parse(schema) }],
    });
    expect(await effectOf(opened.server)).toBe("EFFECT_DENY"); // the document has no owner
  });

  test.each<[call: Parameters<typeof ask>[1], request: Parameters<typeof ask>[2]]>([
    ["AddOrUpdatePolicy", { policies: [{ apiVersion: "api.authz.dev/v1", resourcePolicy: { resource: "x", version: "default" } }] }],
    ["AddOrUpdateSchema", { schemas: [{ id: "x.json", definition: {} }] }],
    ["DeleteSchema", { id: ["doc.json"] }],
    ["EnablePolicy", { id: ["resource.doc.vdefault"] }],
    ["DisablePolicy", { id: ["resource.doc.vdefault"] }],
    ["DeletePolicy", { id: ["resource.doc.vdefault"] }],
    ["PurgeStoreRevisions", { keepLast: 1 }],
    ["GetPolicy", { id: ["resource.doc.vdefault"] }],
    ["InspectPolicies", {}],
  ])("cannot %s, and is told why", async (call, request) => {
    const { status, body } = await ask(opened.http, call, request);
    expect([status, body]).toEqual([501, { code: 12, message: expect.stringMatching(/^the policies come from a bundle, which /) }]);
  });

  test("reloads it, and is answered once it is in force", async () => {
    writeFileSync(file, buildBundle({ "doc.yaml": policy("ALLOW") }, keys));
    expect((await ask(opened.http, "ReloadStore", { wait: true })).status).toBe(200);
    expect(await effectOf(opened.server)).toBe("EFFECT_ALLOW");
    expect((await ask(opened.http, "ListSchemas", {})).body).toEqual({ schemaIds: [] });
    rmSync(file);
    const gone = await ask(opened.http, "ReloadStore", { wait: true });
    expect([gone.status, JSON.stringify(gone.body)]).toEqual([expect.any(Number), expect.stringContaining("it does not exist")]);
    expect(gone.status).toBeGreaterThanOrEqual(400);
    expect(await effectOf(opened.server)).toBe("EFFECT_ALLOW");
  });
});

test("what a server reads of a bundle is what was built, policies and schemas", () => {
  const { content } = readBundle(buildBundle({ "doc.yaml": policy("ALLOW"), "_schemas/a.json": "{}" }, keys), { kind: "anybody" });
  expect([content.policies, [...content.schemas], content.bundle.units.map(({ id }) => id)]).toEqual([
    1,
    [["a.json", "{}"]],
    ["resource doc@default"],
  ]);
});
