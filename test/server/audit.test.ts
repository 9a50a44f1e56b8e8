/** A whole server with its audit log: which call leaves which entries, that none is lost or broken, and who may ask for them. */
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { Metadata } from "@grpc/grpc-js";
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ListAuditLogEntriesResponseSchema } from "../../proto/gen/authz/response/v1/response_pb.js";
import { folder, linesIn } from "../src/audit-harness.ts";
import { startServer, temporaryFolder, type ServerOptions, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { openClient } from "./stock-client.ts";

const policies = { "expense.yaml": expensePolicy };
const json = { "content-type": "application/json" };
const password = "s3cret:word";
const admin = {
  "server.adminAPI.enabled": true,
  "server.adminAPI.adminCredentials.passwordHash": Buffer.from(hashSync(password, 4)).toString("base64"),
};
const basic = { authorization: `Basic ${Buffer.from(`authz:${password}`).toString("base64")}` };

interface Recorded {
  readonly server: TestServer;
  readonly path: string;
  /** Stops the server and reads its file. */
  readonly entries: () => Promise<readonly Entry[]>;
}

interface Entry {
  readonly "log.kind": string;
  readonly "trace.id"?: string;
  readonly callId: string;
  readonly method?: string;
  readonly statusCode?: number;
  readonly peer: { readonly address: string; readonly userAgent?: string };
  readonly metadata?: object;
  readonly checkResources?: { readonly inputs?: readonly object[]; readonly outputs?: readonly object[]; readonly error?: string };
}

// The lines are those of the two entries.
const entriesIn = (path: string): readonly Entry[] => linesIn(path) as unknown as readonly Entry[];

async function serve(
  settings: { readonly [key: string]: string | number | boolean } = {},
  environment: ServerOptions["environment"] = {},
): Promise<Recorded> {
  const path = join(folder(), "audit.log");
  const server = await startServer({ policies, environment, settings: { "audit.enabled": true, "audit.file.path": path, ...settings } });
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (!stopped) await server.stop();
    stopped = true;
  };
  onTestFinished(stop);
  return {
    server,
    path,
    entries: async () => {
      await stop();
      return entriesIn(path);
    },
  };
}

const check =
  (body: unknown) =>
  (server: TestServer): Promise<unknown> =>
    server.post("/api/check/resources", body, { ...json, "user-agent": "test/1" });
const setRequest = {
  principal: request.principal,
  actions: ["view"],
  resource: { kind: "expense", instances: { e1: { attr: { amount: 5 } } } },
};
const grpcCheck = async (server: TestServer): Promise<void> => {
  const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
  await client.call("CheckResources", {
    principal: { id: "ann", roles: ["user"] },
    resources: [{ actions: ["view"], resource: { kind: "expense", id: "e1" } }],
  });
  client.close();
};

describe("leaves", () => {
  const rows: readonly (readonly [
    what: string,
    call: (server: TestServer) => Promise<unknown>,
    kinds: readonly string[],
    statusCode: number | undefined,
  ])[] = [
    ["a check", check(request), ["access", "decision"], undefined],
    ["a check over gRPC", grpcCheck, ["access", "decision"], undefined],
    ["a check in the older form", (server) => server.post("/api/check", setRequest, json), ["access", "decision"], undefined],
    ["a request that breaks rules", check({}), ["access"], 3],
    ["a request that is no JSON", check("{"), ["access"], 3],
    ["a check with a token that nobody can verify", check({ ...request, auxData: { jwt: { token: "a.b.c" } } }), ["access"], 3],
    ["a question about the server", (server) => server.get("/api/server_info"), ["access"], undefined],
    ["an administrator who is none", (server) => server.get("/admin/schemas"), ["access"], 16],
    ["health", (server) => server.get("/_authz/health"), [], undefined],
  ];
  /** What each call left, by its row. */
  const left: (readonly Entry[])[] = [];
  beforeAll(async () => {
    const path = join(temporaryFolder({}), "audit.log");
    const server = await startServer({ policies, settings: { "audit.enabled": true, "audit.file.path": path, ...admin } });
    const ends: string[] = [];
    for (const [, call] of rows) {
      await call(server);
      ends.push((await server.post("/api/check/resources", request)).json.authzCallId);
    }
    expect((await server.get("/admin/auditlog/list/KIND_ACCESS?tail=1", { headers: basic })).status).toBe(501);
    await server.stop();
    const entries = entriesIn(path);
    let begin = 0;
    for (const id of ends) {
      const end = entries.findIndex(({ callId }) => callId === id);
      left.push(entries.slice(begin, end));
      begin = end + 2;
    }
    rmSync(join(path, ".."), { recursive: true });
  });

  test.each(rows.map(([what, , kinds, statusCode], index) => [what, kinds, statusCode, index] as const))(
    "%s: %j",
    (_what, kinds, statusCode, index) => {
      const entries = left[index] ?? [];
      expect(entries.map((entry) => entry["log.kind"])).toEqual(kinds);
      expect(entries.find((entry) => entry["log.kind"] === "access")?.statusCode).toBe(statusCode);
      expect(new Set(entries.map(({ callId }) => callId)).size).toBe(Math.min(kinds.length, 1));
    },
  );
});

describe("where not everything is recorded, leaves", () => {
  const allowed = { ...request, resources: [{ ...request.resources[0], actions: ["view"] }] };
  const denialsOnly = { "audit.decisionLogFilters.checkResources.ignoreAllowAll": true };
  test.each<[what: string, settings: Record<string, boolean>, asked: unknown, kinds: readonly string[]]>([
    ["a check where only calls are", { "audit.decisionLogsEnabled": false }, request, ["access"]],
    ["a check where only decisions are", { "audit.accessLogsEnabled": false }, request, ["decision"]],
    ["a denial where only denials are", denialsOnly, request, ["access", "decision"]],
    ["a permission where only denials are", denialsOnly, allowed, ["access"]],
  ])("%s: %j", async (_what, settings, asked, kinds) => {
    const { server, entries } = await serve(settings);
    await check(asked)(server);
    expect((await entries()).map((entry) => entry["log.kind"])).toEqual(kinds);
  });

  test("nothing where the audit log is off, not even a file", async () => {
    const { server, path } = await serve({ "audit.enabled": false });
    await check(request)(server);
    expect(existsSync(path)).toBe(false);
  });
});

test("a decision entry says what was asked, decided, by which policy, and by whom it was asked", async () => {
  const { server, entries } = await serve({ "audit.includeMetadataKeys": "x-team" });
  const { json: answer } = await server.post("/api/check/resources", request, {
    ...json,
    "user-agent": "test/1",
    "x-team": "blue",
    authorization: "Bearer secret",
  });
  const [access, decision] = await entries();
  const peer = { address: expect.stringMatching(/^127\.0\.0\.1:\d+$/), userAgent: "test/1" };
  const common = {
    callId: answer.authzCallId,
    peer,
    metadata: { "x-team": { values: ["blue"] } },
    policySource: { disk: { directory: server.directory } },
  };
  expect(access).toMatchObject({ ...common, method: "/authz.svc.v1.AuthzService/CheckResources" });
  expect(decision).toMatchObject({
    ...common,
    checkResources: {
      inputs: [{ requestId: "r1", principal: request.principal, ...request.resources[0] }],
      outputs: [
        {
          requestId: "r1",
          resourceId: "e1",
          actions: {
            view: { effect: "EFFECT_ALLOW", policy: "resource.expense.vdefault" },
            approve: { effect: "EFFECT_ALLOW", policy: "resource.expense.vdefault" },
            delete: { effect: "EFFECT_DENY", policy: "resource.expense.vdefault" },
          },
        },
      ],
    },
    auditTrail: { effectivePolicies: { "resource.expense.vdefault": { attributes: { driver: "disk", source: "expense.yaml" } } } },
  });
});

test("the entries of a traced call name its trace, and those of others none", async () => {
  const { server, entries } = await serve(
    {},
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TIMEOUT: "100" },
  );
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  await server.post("/api/check/resources", request, { ...json, traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  await server.post("/api/check/resources", request);
  expect((await entries()).map((entry) => [entry["log.kind"], entry["trace.id"]])).toEqual([
    ["access", trace],
    ["decision", trace],
    ["access", undefined],
    ["decision", undefined],
  ]);
});

test("an entry over the limit is there without attributes, and counted", async () => {
  const { server, path, entries } = await serve({ "audit.maxEntrySize": 2048 });
  const long = { ...request, principal: { ...request.principal, attr: { text: "x".repeat(5000) } } };
  const { status } = await server.post("/api/check/resources", long);
  expect(status).toBe(200);
  expect((await server.get("/_authz/metrics")).text).toMatch(/^authz_dev_audit_oversized_entry_count\{kind="decision"\} 1$/m);
  const [, decision] = await entries();
  expect(decision).toMatchObject({
    oversized: true,
    checkResources: { inputs: [{ principal: request.principal }], outputs: [{ resourceId: "e1" }] },
  });
  for (const line of readFileSync(path, "utf8").split("\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(2048);
});

test("an audit file that cannot be opened stops the start", async () => {
  const refused: unknown = await serve({ "audit.file.path": join(folder(), "no", "audit.log") }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: "Refusal", message: expect.stringContaining("audit.file.path") });
});

test("every decision is in the segments exactly once, whole, at many calls at a time", async () => {
  const { server, path, entries } = await serve({ "audit.file.logRotation.maxFileSizeMB": 1 });
  const ids: string[] = [];
  const work = async (): Promise<void> => {
    for (let count = 0; count < 100; count++) ids.push((await server.post("/api/check/resources", request)).json.authzCallId);
  };
  await Promise.all(Array.from({ length: 12 }, work));
  await entries();
  const inside = join(path, "..");
  const names = readdirSync(inside);
  expect(names.length).toBeGreaterThan(1);
  const lines = names.flatMap((name) => linesIn(join(inside, name)));
  for (const kind of ["access", "decision"])
    expect(
      lines
        .filter((line) => line["log.kind"] === kind)
        .map(({ callId }) => callId)
        .sort(),
    ).toEqual(ids.toSorted());
});

describe("the administrator asks", () => {
  let server: TestServer;
  let inside: string;
  beforeAll(async () => {
    inside = temporaryFolder({});
    server = await startServer({
      policies,
      settings: { ...admin, "audit.enabled": true, "audit.backend": "local", "audit.local.storagePath": inside },
    });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(inside, { recursive: true });
  });

  test.each([
    ["KIND_DECISION", "decisionLogEntry"],
    ["1", "accessLogEntry"],
  ])("for entries of kind %s, and hears them as exact proto3 JSON", async (kind, name) => {
    const { json: answer } = await server.post("/api/check/resources", { ...request, requestContext: { annotations: { ticket: 7 } } });
    const listed = await server.get(`/admin/auditlog/list/${kind}?lookup=${answer.authzCallId}`, { headers: basic });
    expect(listed.status).toBe(200);
    const lines = listed.text.split("\n");
    expect(lines).toHaveLength(2);
    const { result }: { readonly result: JsonValue } = JSON.parse(lines[0] ?? "");
    expect(result).toMatchObject({ [name]: { callId: answer.authzCallId, requestContext: { annotations: { ticket: 7 } } } });
    expect(fromJson(ListAuditLogEntriesResponseSchema, result).entry.value?.callId).toBe(answer.authzCallId);
  });

  test("over gRPC too, and hears one after the other", async () => {
    const ids: string[] = [];
    for (let call = 0; call < 3; call++) ids.push((await server.post("/api/check/resources", request)).json.authzCallId);
    const client = openClient(server.grpc, "authz.svc.v1.AuthzAdminService");
    const metadata = new Metadata();
    metadata.set("authorization", basic.authorization);
    const heard: unknown[] = [];
    for await (const entry of client.stream("listAuditLogEntries", { kind: "KIND_DECISION", tail: 3 }, metadata)) heard.push(entry);
    client.close();
    expect(heard).toMatchObject(ids.toReversed().map((callId) => ({ decisionLogEntry: { callId } })));
  });

  test.each<[what: string, path: string, headers: Record<string, string>, status: number]>([
    ["without credentials", "/admin/auditlog/list/KIND_ACCESS?tail=1", {}, 401],
    ["for no kind", "/admin/auditlog/list/KIND_UNSPECIFIED?tail=1", basic, 400],
    ["for too many", "/admin/auditlog/list/KIND_ACCESS?tail=1001", basic, 400],
    ["for two things at once", "/admin/auditlog/list/KIND_ACCESS?tail=1&since=10s", basic, 400],
    ["for a kind that there is not", "/admin/auditlog/list/KIND_FOO?tail=1", basic, 400],
    ["for a number that is none", "/admin/auditlog/list/KIND_ACCESS?tail=x", basic, 400],
    ["since no time", "/admin/auditlog/list/KIND_ACCESS?since=abc", basic, 400],
    ["between no times", "/admin/auditlog/list/KIND_ACCESS?between.start=x&between.end=y", basic, 400],
    ["for what is not there", "/admin/auditlog/list/KIND_ACCESS?lookup=01ARZ3NDEKTSV4RRFFQ69G5FAV", basic, 200],
  ])("%s", async (what, path, headers, status) => {
    const answer = await server.get(path, { headers });
    expect(answer.status).toBe(status);
    // What cannot even be read is no list that failed.
    if (/^(?:for a|for two|since|between)/.test(what)) expect(answer.json.code).toBe(3);
  });
});
