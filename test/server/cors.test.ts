/** Pages of other origins: which may call, what they may send, and what their browsers are told. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../src/server/calls/routes.ts";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { sendRaw, type RawAnswer } from "./raw-http.ts";
import { expensePolicy, request } from "./policies.ts";

const policies = { "expense.yaml": expensePolicy };
const configurations = {
  open: {},
  closed: { disabled: true },
  strict: {
    allowedOrigins: ["https://app.example.com", "https://*.example.org", "https://ab*ba.example.net"],
    allowedHeaders: ["Content-Type", "Authorization"],
    maxAge: "10m",
  },
  star: { allowedHeaders: ["*"] },
} as const;

const servers = new Map<string, TestServer>();
let folder: string;
beforeAll(async () => {
  folder = temporaryFolder(
    Object.fromEntries(Object.entries(configurations).map(([name, cors]) => [`${name}.yaml`, JSON.stringify({ server: { cors } })])),
  );
  for (const name of Object.keys(configurations)) servers.set(name, await startServer({ policies, file: join(folder, `${name}.yaml`) }));
});
afterAll(async () => {
  for (const server of servers.values()) await server.stop();
  rmSync(folder, { recursive: true });
});

const send = (name: string, method: string, path: string, headers: Readonly<Record<string, string>>): Promise<RawAnswer> =>
  sendRaw(servers.get(name)?.http ?? "", { method, path, headers });

const preflightVary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

/** What is told of other origins: allowed origin, methods, headers, age. */
const told = ({ headers }: RawAnswer): readonly (string | undefined)[] =>
  ["allow-origin", "allow-methods", "allow-headers", "max-age"].map((name) => headers[`access-control-${name}`]?.toString());

describe("a preflight", () => {
  const paths = [...new Set(routes.map(({ path }) => path)), "/_authz/health", "/api/nothing"];
  test.each(paths)("to %s is answered for every method", async (path) => {
    for (const method of ["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await send("open", "OPTIONS", path, { origin: "https://a", "access-control-request-method": method });
      expect([answer.status, answer.body, answer.headers["vary"], ...told(answer)]).toEqual([
        204,
        "",
        preflightVary,
        "*",
        method,
        undefined,
        undefined,
      ]);
    }
  });

  test.each<readonly [sentence: string, server: string, asked: Readonly<Record<string, string>>, told: readonly (string | undefined)[]]>([
    [
      "headers that may be sent are told again",
      "open",
      { "access-control-request-headers": "content-type, User-Agent" },
      ["*", "POST", "content-type, user-agent", undefined],
    ],
    ["no header at all is fine", "open", { "access-control-request-headers": "" }, ["*", "POST", undefined, undefined]],
    ["one header that may not be sent", "open", { "access-control-request-headers": "accept,authorization" }, []],
    ["a method that nobody may use", "open", { "access-control-request-method": "TRACE" }, []],
    ["a method that has no route", "open", { "access-control-request-method": "OPTIONS" }, []],
    ["a method of proxies", "open", { "access-control-request-method": "CONNECT" }, []],
    ["a method in small letters", "open", { "access-control-request-method": "post" }, []],
    ["no origin", "open", { origin: "" }, []],
    ["an allowed origin", "strict", { origin: "https://app.example.com" }, ["https://app.example.com", "POST", undefined, "600"]],
    [
      "an allowed origin in capitals",
      "strict",
      { origin: "https://APP.example.com" },
      ["https://APP.example.com", "POST", undefined, "600"],
    ],
    [
      "an origin that fits a pattern",
      "strict",
      { origin: "https://a.b.example.org" },
      ["https://a.b.example.org", "POST", undefined, "600"],
    ],
    ["an origin that only ends like one", "strict", { origin: "https://example.org" }, []],
    ["an origin too short for what stands on both sides of the star", "strict", { origin: "https://aba.example.net" }, []],
    ["an origin of elsewhere", "strict", { origin: "https://evil.example" }, []],
    ["an allowed origin with more behind it", "strict", { origin: "https://app.example.com.evil.example" }, []],
    [
      "headers of the settings",
      "strict",
      { origin: "https://app.example.com", "access-control-request-headers": "authorization" },
      ["https://app.example.com", "POST", "authorization", "600"],
    ],
    ["the usual headers no longer", "strict", { origin: "https://app.example.com", "access-control-request-headers": "accept" }, []],
    ["any header by a star", "star", { "access-control-request-headers": "x-anything" }, ["*", "POST", "x-anything", undefined]],
  ])("%s", async (_, name, asked, wanted) => {
    const headers = Object.fromEntries(
      Object.entries({ origin: "https://a", "access-control-request-method": "POST", ...asked }).filter(
        ([header, value]) => !(header === "origin" && value === ""),
      ),
    );
    const answer = await send(name, "OPTIONS", "/api/check/resources", headers);
    expect([answer.status, answer.headers["vary"]]).toEqual([204, preflightVary]);
    expect(told(answer)).toEqual(wanted.length === 0 ? [undefined, undefined, undefined, undefined] : wanted);
  });

  test("is none without the method that is asked for, and none where all of this is off", async () => {
    expect((await send("open", "OPTIONS", "/api/check/resources", { origin: "https://a" })).status).toBe(405);
    const answer = await send("closed", "OPTIONS", "/api/check/resources", {
      origin: "https://a",
      "access-control-request-method": "POST",
    });
    expect([answer.status, answer.headers["vary"], ...told(answer)]).toEqual([405, undefined, undefined, undefined, undefined, undefined]);
  });
});

describe("any other answer", () => {
  test.each<readonly [sentence: string, server: string, path: string, origin: string | undefined, allowed: string | undefined]>([
    ["to any origin", "open", "/api/server_info", "https://a", "*"],
    ["to no origin", "open", "/api/server_info", undefined, undefined],
    ["to an allowed origin", "strict", "/api/server_info", "https://app.example.com", "https://app.example.com"],
    ["to an origin of elsewhere", "strict", "/api/server_info", "https://evil.example", undefined],
    ["of the health", "open", "/_authz/health", "https://a", "*"],
    ["that nothing is there", "open", "/nothing", "https://a", "*"],
    ["that the method is wrong", "open", "/api/check/resources", "https://a", "*"],
  ])("%s", async (_, name, path, origin, allowed) => {
    const answer = await send(name, "GET", path, origin === undefined ? {} : { origin });
    expect([answer.headers["vary"], answer.headers["access-control-allow-origin"]]).toEqual(["Origin", allowed]);
  });

  test("to a check too, also when it is refused", async () => {
    const server = servers.get("open");
    for (const body of [request, {}]) {
      const answer = await server?.post("/api/check/resources", body, { origin: "https://a", "content-type": "application/json" });
      expect(answer?.headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  test("says nothing of origins where all of this is off", async () => {
    const answer = await send("closed", "GET", "/api/server_info", { origin: "https://a" });
    expect([answer.status, answer.headers["vary"], ...told(answer)]).toEqual([200, undefined, undefined, undefined, undefined, undefined]);
  });
});
