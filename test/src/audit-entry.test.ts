/** What entries hold of a call: who called what from where, which headers, and what was decided. */
import { fromJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AccessLogEntrySchema, DecisionLogEntrySchema } from "../../proto/gen/authz/audit/v1/audit_pb.js";
import { openEntryWriter, textOf, type EntryOptions } from "../../src/audit/entry.ts";
import { metadataReader } from "../../src/audit/metadata.ts";
import { policySourceOf } from "../../src/audit/policy-source.ts";
import type { Reply } from "../../src/server/calls/reply.ts";
import { callOf, configWith } from "./audit-harness.ts";

const source = { disk: { directory: "/policies" } };
const now = Date.parse("2026-11-20T08:00:00.500Z");
const writerWith = (options: Partial<EntryOptions> = {}) =>
  openEntryWriter({ policySource: JSON.stringify(source), authInfo: "", metadata: () => "", maxBytes: 2 ** 20, ...options });
const ok: Reply = { code: 0, text: "{}" };
const annotated: Reply = { ...ok, hasAnnotations: true };
const end = (reply: Reply) => ({ reply, milliseconds: 1 });
const decisions = '{"checkResources":{"inputs":[],"outputs":[]},"auditTrail":{}}';

describe("an access entry holds", () => {
  test.each<
    [what: string, headers: Parameters<typeof callOf>[1], body: string, reply: Reply, options: Partial<EntryOptions>, more: object]
  >([
    ["who called what, and when", {}, "{}", ok, {}, {}],
    ["the code of a failure", {}, "{}", { code: 16, text: "{}" }, {}, { statusCode: 16 }],
    [
      "the caller's program, and the way it came",
      { "user-agent": ['curl "8"'], "x-forwarded-for": ["10.1.2.3", "10.9.9.9"] },
      "{}",
      ok,
      {},
      { peer: { address: "127.0.0.1:40678", userAgent: 'curl "8"', forwardedFor: "10.1.2.3, 10.9.9.9" } },
    ],
    ["how the connection is protected", {}, "{}", ok, { authInfo: "tls" }, { peer: { address: "127.0.0.1:40678", authInfo: "tls" } }],
    [
      "the caller's words",
      {},
      '{"requestContext":{"annotations":{"a":{"b":[1]}}}}',
      annotated,
      {},
      { requestContext: { annotations: { a: { b: [1] } } } },
    ],
    [
      "the caller's words in the other spelling",
      {},
      '{"request_context":{"annotations":{"a":1}}}',
      annotated,
      {},
      { requestContext: { annotations: { a: 1 } } },
    ],
    [
      "the caller's words in whatever spelling",
      {},
      String.raw`{"request\u0043ontext":{"annotations":{"a":1}}}`,
      annotated,
      {},
      { requestContext: { annotations: { a: 1 } } },
    ],
    [
      "no words of a request that was not understood",
      {},
      '{"requestContext":{"annotations":{"a":',
      { code: 3, text: "{}" },
      {},
      { statusCode: 3 },
    ],
    [
      "the caller's words of a check that failed after it began",
      {},
      '{"requestContext":{"annotations":{"a":1}}}',
      { code: 3, text: "{}", hasAnnotations: true, decisions: '{"checkResources":{"error":"e"}}' },
      {},
      { statusCode: 3, requestContext: { annotations: { a: 1 } } },
    ],
    ["no words where there are none", {}, '{"requestContext":{"annotations":{}}}', annotated, {}, {}],
    [
      "the headers that are wanted",
      { "x-team": ["a", "b"] },
      "{}",
      ok,
      { metadata: metadataReader(["x-team"], []) },
      { metadata: { "x-team": { values: ["a", "b"] } } },
    ],
  ])("%s", (_what, headers, body, reply, options, more) => {
    const begun = callOf("CheckResources", headers, body);
    const entry = writerWith(options).access(begun, end(reply));
    expect(JSON.parse(textOf(entry))).toEqual({
      callId: begun.callId,
      timestamp: "2026-11-20T08:00:00.123Z",
      peer: { address: "127.0.0.1:40678" },
      policySource: source,
      method: "/authz.svc.v1.AuthzService/CheckResources",
      ...more,
    });
    expect(entry.oversized).toBe(false);
    expect(fromJson(AccessLogEntrySchema, JSON.parse(textOf(entry))).callId).toBe(begun.callId);
  });

  test("the method of the administration service", () => {
    const entry = writerWith().access(callOf("DeleteSchema"), end(ok));
    expect(JSON.parse(textOf(entry))).toMatchObject({ method: "/authz.svc.v1.AuthzAdminService/DeleteSchema" });
  });
});

describe("a decision entry", () => {
  const begun = callOf("CheckResources", { "x-team": ["a"] });
  test.each<[what: string, reply: Reply, wanted: object | undefined]>([
    ["holds what the realm wrote", { ...ok, decisions }, { checkResources: { inputs: [], outputs: [] }, auditTrail: {} }],
    ["is not written when nothing was decided", ok, undefined],
    ["is not written for a request that was refused", { code: 3, text: "{}" }, undefined],
    [
      "is written for a check that failed after it began",
      { code: 3, text: "{}", decisions: '{"checkResources":{"error":"e"}}' },
      { checkResources: { error: "e" } },
    ],
    [
      "is written for a check that our own fault ended",
      { code: 13, text: '{"code":13,"message":"oh"}' },
      { checkResources: { error: "oh" } },
    ],
    ["is not written where nobody could read what was asked", { code: 13, text: '{"message":"oh"}', unreadable: true }, undefined],
  ])("%s", (_what, reply, wanted) => {
    const entry = writerWith({ metadata: metadataReader([], ["host"]) }).decision(begun, end(reply), now);
    expect(entry && JSON.parse(textOf(entry))).toEqual(
      wanted && {
        callId: begun.callId,
        timestamp: "2026-11-20T08:00:00.500Z",
        peer: { address: "127.0.0.1:40678" },
        metadata: { "x-team": { values: ["a"] } },
        policySource: source,
        ...wanted,
      },
    );
    if (entry !== undefined) expect(fromJson(DecisionLogEntrySchema, JSON.parse(textOf(entry))).callId).toBe(begun.callId);
  });

  test.each<[what: string, method: Parameters<typeof callOf>[0]]>([
    ["of the administrator", "GetSchema"],
    ["that asks nothing to be decided", "ServerInfo"],
  ])("is not written for a call %s that failed", (_what, method) => {
    expect(writerWith().decision(callOf(method), end({ code: 13, text: '{"message":"oh"}' }), now)).toBeUndefined();
  });

  test("says when something was left out, once", () => {
    const entry = writerWith().decision(begun, end({ ...ok, decisions: `{"oversized":true,${decisions.slice(1)}` }), now);
    expect(entry?.oversized).toBe(true);
    expect(entry && textOf(entry).match(/"oversized":true/g)).toHaveLength(1);
  });

  test("leaves out headers when they make it too large, and says so", () => {
    const long = callOf("CheckResources", { "user-agent": ["x".repeat(2000)], "x-team": ["y".repeat(2000)] });
    const entry = writerWith({ maxBytes: 1024, metadata: metadataReader(["x-team"], []) }).decision(long, end({ ...ok, decisions }), now);
    expect(entry && JSON.parse(textOf(entry))).toMatchObject({ oversized: true, peer: { address: "127.0.0.1:40678" }, auditTrail: {} });
    expect(entry && textOf(entry).length).toBeLessThan(1024);
  });
});

describe("an entry is too large when its bytes are more than the most, whatever its characters are", () => {
  const begun = callOf("CheckResources", { "x-team": ["\u{e9}\u{20ac}\u{1f600}".repeat(100)], "x-forwarded-for": ["10.1.2.3"] });
  const metadata = metadataReader(["x-team"], []);
  const write: {
    readonly [kind: string]: (options: Partial<EntryOptions>) => ReturnType<ReturnType<typeof writerWith>["access"]> | undefined;
  } = {
    access: (options) => writerWith(options).access(begun, end(ok)),
    decision: (options) => writerWith(options).decision(begun, end({ ...ok, decisions }), now),
  };
  test.each<[kind: string, more: number, isTooLarge: boolean]>([
    ["access", 0, false],
    ["access", -1, true],
    ["decision", 0, false],
    ["decision", -1, true],
  ])("%s, of which %j bytes are more than it has: %j", (kind, more, isTooLarge) => {
    const whole = write[kind]?.({ metadata });
    // The opening brace is not counted.
    const bytes = whole === undefined ? 0 : Buffer.byteLength(textOf(whole)) - 1;
    const entry = write[kind]?.({ metadata, maxBytes: bytes + more });
    expect(entry?.oversized).toBe(isTooLarge);
    // Whatever a caller can make long is left out then.
    expect(entry && ["x-team", "forwardedFor"].filter((name) => textOf(entry).includes(name))).toEqual(
      isTooLarge ? [] : ["x-team", "forwardedFor"],
    );
  });
});

describe("of the headers are recorded", () => {
  const headers = {
    "x-team": ["a"],
    "x-other": ["b"],
    "X-Mixed": ["c"],
    authorization: ["Basic c2VjcmV0"],
    "proxy-authorization": ["secret"],
    cookie: ["secret"],
    "set-cookie": ["secret"],
    "grpc-trace-bin": ["secret"],
  };
  const all = ["x-team", "x-other", "x-mixed"];
  test.each<[include: readonly string[], exclude: readonly string[], recorded: readonly string[]]>([
    [[], [], []],
    [["x-team"], [], ["x-team"]],
    [["X-Team", "x-mixed"], [], ["x-team", "x-mixed"]],
    [[], ["x-team"], ["x-other", "x-mixed"]],
    [[], ["nothing"], all],
    [["x-team", "x-other"], ["X-OTHER"], ["x-team"]],
    [["authorization", "cookie", "set-cookie", "proxy-authorization", "grpc-trace-bin"], [], []],
  ])("include %j, exclude %j: %j", (include, exclude, recorded) => {
    const text = metadataReader(include, exclude)({ get: () => undefined, entries: () => Object.entries(headers) });
    expect(Object.keys(text === "" ? {} : JSON.parse(`{${text.slice(1)}}`).metadata)).toEqual(recorded);
  });
});

test.each<[settings: { readonly [key: string]: string }, source: object]>([
  [{ "storage.disk.directory": "/srv/policies" }, { disk: { directory: "/srv/policies" } }],
  [{ "storage.disk.directory": "policies" }, { disk: { directory: `${process.cwd()}/policies` } }],
  [
    { "storage.driver": "bundle", "storage.bundle.path": "/srv/b 1.mjs", "storage.bundle.allowUnsigned": "true" },
    { blob: { bucketUrl: "file:///srv/b%201.mjs" } },
  ],
  [
    {
      "storage.driver": "bundle",
      "storage.bundle.url": "https://cdn.example.com/b.mjs?tenant=a&sig=secret",
      "storage.bundle.publicKeys": "k.pub",
    },
    { blob: { bucketUrl: "https://cdn.example.com/b.mjs?tenant=a&sig=***" } },
  ],
  [
    {
      "storage.driver": "git",
      "storage.git.protocol": "https",
      "storage.git.url": "https://ann:secret@git.example.com/policies.git",
      "storage.git.branch": "main",
    },
    { git: { repositoryUrl: "https://ann:***@git.example.com/policies.git", branch: "main", subdirectory: "." } },
  ],
  [
    {
      "storage.driver": "git",
      "storage.git.protocol": "file",
      "storage.git.url": "/srv/policies",
      "storage.git.subDir": "albums",
      "storage.git.branch": "live",
    },
    { git: { repositoryUrl: "/srv/policies", branch: "live", subdirectory: "albums" } },
  ],
  [{ "storage.driver": "sqlite", "storage.sqlite.path": "/srv/p.db" }, { database: { driver: "DRIVER_SQLITE3" } }],
  [{ "storage.driver": "sqlite3", "storage.sqlite3.dsn": "file:/srv/p.db" }, { database: { driver: "DRIVER_SQLITE3" } }],
])("the policies of %j come from %j", (settings, wanted) => {
  expect(JSON.parse(policySourceOf(configWith(settings)))).toEqual(wanted);
});
