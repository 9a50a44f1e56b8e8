/** The list of audit entries over HTTP and gRPC, over a service that lists what the test wants. */
import { afterEach, describe, expect, test } from "vitest";
import { codes, failure, type CodeName } from "../../src/server/calls/reply.ts";
import type { Service } from "../../src/server/service.ts";
import { closeStubServers, openStubServer, textOf } from "./stub-server.ts";
import { eventually } from "./harness.ts";
import { openClient } from "./stock-client.ts";

afterEach(closeStubServers);

describe("the list of audit entries", () => {
  const list = "/admin/auditlog/list";
  const of = (make: () => AsyncIterable<string>): Partial<Service> => ({ listAuditLogEntries: async () => make() });

  test("is a line of JSON each", async () => {
    const { http, told } = await openStubServer(
      of(async function* () {
        yield '{"a":1}';
        yield '{"a":2}';
      }),
    );
    const answer = await fetch(`${http}${list}/KIND_ACCESS?tail=2`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    const text = await answer.text();
    expect(text).toBe('{"result":{"a":1}}\n{"result":{"a":2}}\n');
    await eventually(
      () => told[0]?.responseBytes,
      (bytes) => bytes === text.length,
    );
  });

  // Python's `splitlines`, and clients that use it, end a line at these too: a caller's attribute could pass for an entry.
  test.each(["\u0085", "\u2028", "\u2029"])("is a line of JSON each, although an entry has the line separator %j", async (separator) => {
    const entry = { a: `x${separator}{"result":{"a":"forged"}}${separator}` };
    const { http, told } = await openStubServer(
      of(async function* () {
        yield JSON.stringify(entry);
        yield '{"a":2}';
      }),
    );
    const text = await (await fetch(`${http}${list}/KIND_ACCESS?tail=2`)).text();
    expect(
      text
        .trimEnd()
        .split(/[\n\u0085\u2028\u2029]/)
        .map((line) => JSON.parse(line)),
    ).toEqual([{ result: entry }, { result: { a: 2 } }]);
    await eventually(
      () => told[0]?.responseBytes,
      (bytes) => bytes === Buffer.byteLength(text),
    );
  });

  test("can be empty", async () => {
    const { http } = await openStubServer(of(async function* () {}));
    const answer = await fetch(`${http}${list}/KIND_DECISION?tail=2`);
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });

  test.each([
    ["/KIND_ACCESS?tail=5", { kind: "KIND_ACCESS", tail: "5" }],
    ["/2?since=3600s", { kind: 2, since: "3600s" }],
    ["/nope?tail=1&tail=2", { kind: "nope", tail: ["1", "2"] }],
    [
      "/KIND_ACCESS?between.start=2026-01-01T00:00:00Z&between.end=2026-01-02T00:00:00Z",
      { kind: "KIND_ACCESS", between: { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" } },
    ],
    ["/KIND_ACCESS?lookup=01ABC&kind=KIND_DECISION", { kind: ["KIND_DECISION", "KIND_ACCESS"], lookup: "01ABC" }],
    ["/KIND_ACCESS?between.x=2&tail.y=3", { kind: "KIND_ACCESS", between: {} }],
    ["/KIND_ACCESS?between=1&between.start=2", { kind: "KIND_ACCESS", between: "1" }],
  ])("is asked for by path and query: %s", async (path, question) => {
    const asked: unknown[] = [];
    const { http } = await openStubServer({
      listAuditLogEntries: async (ask) => {
        asked.push(JSON.parse(textOf(ask)));
        return failure("INVALID_ARGUMENT", "because");
      },
    });
    await fetch(http + list + path);
    expect(asked).toEqual([question]);
  });

  test.each<readonly [name: CodeName, status: number]>([
    ["INVALID_ARGUMENT", 400],
    ["UNAUTHENTICATED", 401],
    ["UNIMPLEMENTED", 501],
  ])("that is refused with %s is %d", async (name, status) => {
    const { http } = await openStubServer({ listAuditLogEntries: async () => failure(name, "because") });
    const answer = await fetch(`${http}${list}/KIND_ACCESS`);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([status, status === 401 ? 'Basic realm="authz admin"' : null]);
    expect(await answer.text()).toBe(`{"error":{"code":${codes[name].code},"message":"because"}}\n`);
  });

  test("whose question cannot be read is refused without a list around it, for people where they ask for that", async () => {
    const refused = { ...failure("INVALID_ARGUMENT", "because"), unreadable: true } as const;
    const { http } = await openStubServer({ listAuditLogEntries: async () => refused });
    const asked = async (query: string): Promise<string> => (await fetch(`${http}${list}/KIND_ACCESS${query}`)).text();
    expect(await asked("?tail=x")).toBe('{"code":3,"message":"because"}');
    expect(await asked("?tail=x&pretty")).toBe('{\n  "code": 3,\n  "message": "because"\n}\n');
  });

  test("that fails before its first entry is 500, after it says so in its last line", async () => {
    let entries = 0;
    const { http } = await openStubServer(
      of(async function* () {
        if (entries > 0) yield "{}";
        throw new Error("no more");
      }),
    );
    const before = await fetch(`${http}${list}/KIND_ACCESS`);
    expect([before.status, JSON.parse(await before.text())]).toMatchObject([500, { error: { code: 13 } }]);
    entries = 1;
    const after = await fetch(`${http}${list}/KIND_ACCESS`);
    const lines = (await after.text()).trim().split("\n");
    expect([after.status, lines[0], JSON.parse(lines[1] ?? "")]).toMatchObject([200, '{"result":{}}', { error: { code: 13 } }]);
  });

  test("ends when the client leaves", async () => {
    let ended = false;
    const { http } = await openStubServer(
      of(async function* () {
        try {
          for (;;) {
            yield `"${"x".repeat(100_000)}"`;
            await new Promise((resolve) => setImmediate(resolve));
          }
        } finally {
          ended = true;
        }
      }),
    );
    const leaving = new AbortController();
    const answer = await fetch(`${http}${list}/KIND_ACCESS`, { signal: leaving.signal });
    expect(answer.status).toBe(200);
    leaving.abort();
    await eventually(() => ended, Boolean);
  });

  test("ends when the client leaves before its first entry", async () => {
    let [asked, ended] = [false, false];
    let find: () => void = () => undefined;
    const found = new Promise<void>((resolve) => void (find = resolve));
    const { http } = await openStubServer(
      of(async function* () {
        try {
          asked = true;
          await found;
          for (;;) yield "{}";
        } finally {
          ended = true;
        }
      }),
    );
    const leaving = new AbortController();
    const answer = fetch(`${http}${list}/KIND_ACCESS`, { signal: leaving.signal }).catch(() => undefined);
    await eventually(() => asked, Boolean);
    leaving.abort();
    await answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
    find();
    await eventually(() => ended, Boolean);
  });
});

describe("the list of audit entries over gRPC", () => {
  /** Reads a list to its end. */
  async function read(http: string): Promise<{ readonly entries: readonly object[]; readonly code: number }> {
    const client = openClient(new URL(http).host, "authz.svc.v1.AuthzAdminService");
    const entries: object[] = [];
    const stream = client.stream("listAuditLogEntries", { kind: "KIND_ACCESS", tail: 2 });
    const code = await new Promise<number>((resolve) => {
      stream.on("data", (entry: object) => entries.push(entry));
      stream.on("error", () => undefined).on("status", (status: { readonly code: number }) => resolve(status.code));
    });
    client.close();
    return { entries, code };
  }
  const entry = (callId: string): string => JSON.stringify({ accessLogEntry: { callId } });

  test.each<readonly [sentence: string, list: Service["listAuditLogEntries"], ids: readonly string[], code: number]>([
    ["is a message each", async () => listOf(["1", "2"]), ["1", "2"], 0],
    ["can be empty", async () => listOf([]), [], 0],
    ["can be refused", async () => failure("UNAUTHENTICATED", "because"), [], 16],
    ["can end early", async () => listOf(["1"], new Error("no more")), ["1"], 13],
  ])("%s", async (_sentence, listAuditLogEntries, ids, code) => {
    const { http } = await openStubServer({ listAuditLogEntries });
    expect(await read(http)).toEqual({ entries: ids.map((callId) => ({ accessLogEntry: { callId } })), code });
  });

  test("is asked for in JSON, with the caller's headers", async () => {
    const asked: unknown[] = [];
    const { http } = await openStubServer({
      listAuditLogEntries: async (ask, call) => {
        asked.push(JSON.parse(textOf(ask)), call.transport, call.headers.get("user-agent")?.startsWith("grpc-node"));
        return failure("INVALID_ARGUMENT", "because");
      },
    });
    await read(http);
    expect(asked).toEqual([{ kind: "KIND_ACCESS", tail: 2 }, "grpc", true]);
  });

  test("ends when the client leaves", async () => {
    let ended = false;
    const { http } = await openStubServer({
      listAuditLogEntries: async () =>
        (async function* () {
          try {
            for (;;) {
              yield entry("x".repeat(10_000));
              await new Promise((resolve) => setImmediate(resolve));
            }
          } finally {
            ended = true;
          }
        })(),
    });
    const client = openClient(new URL(http).host, "authz.svc.v1.AuthzAdminService");
    const stream = client.stream("listAuditLogEntries", { kind: "KIND_ACCESS", tail: 2 });
    stream.on("error", () => undefined);
    await new Promise((resolve) => stream.once("data", resolve));
    stream.cancel();
    await eventually(() => ended, Boolean);
    client.close();
  });

  async function* listOf(ids: readonly string[], end?: Error): AsyncGenerator<string> {
    for (const id of ids) yield entry(id);
    if (end !== undefined) throw end;
  }
});
