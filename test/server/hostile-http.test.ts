/** Requests over HTTP that a proxy before us could read differently, and requests that a browser sends for a page of somebody else. */
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { routes } from "../../src/server/calls/routes.ts";
import { isAdminPath } from "../../src/server/http/http-admin.ts";
import { startServer, type ServerOptions, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { exchange, statuses } from "./raw.ts";

const check = "/api/check/resources";
const body = JSON.stringify(request);
const inner = "GET /_authz/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
const post = (headers: string, content: string): string => `POST ${check} HTTP/1.1\r\nhost: a\r\n${headers}\r\n${content}`;
const basic = `Basic ${Buffer.from("authz:secret").toString("base64")}`;
const administered = {
  "server.adminAPI.enabled": true,
  "server.adminAPI.adminCredentials.passwordHash": Buffer.from(hashSync("secret", 4)).toString("base64"),
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: {
      ...administered,
      "server.cors.allowedOrigins": "https://ours.example",
    },
  });
});
afterAll(() => server.stop());

test.each([
  ["a transfer encoding that is not ours to undo", post("transfer-encoding: gzip, chunked\r\n", `0\r\n\r\n${inner}`)],
  ["two transfer encodings", post("transfer-encoding: identity\r\ntransfer-encoding: chunked\r\n", `0\r\n\r\n${inner}`)],
  ["two transfer encodings that are the same", post("transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n", `0\r\n\r\n${inner}`)],
  ["a transfer encoding that is none", post("transfer-encoding: xchunked\r\n", `0\r\n\r\n${inner}`)],
  ["two hosts", `GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n${inner}`],
  ["a host that is a path", `GET / HTTP/1.1\r\nhost: a/b\r\n\r\n${inner}`],
  ["a host with a name before it", `GET / HTTP/1.1\r\nhost: a@b\r\n\r\n${inner}`],
  ["a host that would be JSON as text", 'GET /schema/swagger.json HTTP/1.1\r\nhost: a","x":"b\r\n\r\n'],
  ["two hosts in one", `GET / HTTP/1.1\r\nhost: a, b\r\n\r\n${inner}`],
  ["two content types", post("content-type: application/json\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n", `{}${inner}`)],
])("%s: one answer, which refuses it, and the end of the connection", async (_sentence, text) => {
  const answer = await exchange(server.http, text);
  expect(statuses(answer)).toEqual([400]);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: 3, message: expect.any(String) });
});

test("what names no version of HTTP is refused, and nothing after it is read", async () => {
  expect(statuses(await exchange(server.http, `GET /\r\n\r\n${inner}`))).toEqual([400]);
});

test("what was refused before it was whole is not refused once more for what came after", async () => {
  const answer = await exchange(server.http, post("content-type: text/plain\r\ntransfer-encoding: chunked\r\n", `zz\r\n${inner}`));
  expect(statuses(answer)).toEqual([415]);
});

test.each([
  ["in plain letters", "/admin/schemas", 200],
  ["with a letter in disguise", "/%61dmin/schemas", 404],
  ["with a letter in disguise before a query", "/%61dmin/schemas?pretty", 404],
  ["with a letter in disguise before a query that has one too", "/%61dmin/schemas?pretty=%74rue", 404],
  ["with a letter in disguise in its query alone", "/admin/schemas?pretty=%74rue", 200],
  ["with a slash in disguise", "/admin%2fschemas", 404],
  ["with a slash too many", "//admin/schemas", 404],
  ["with a slash at the end", "/admin/schemas/", 404],
  ["in capitals", "/ADMIN/schemas", 404],
  ["by way of another", "/api/../admin/schemas", 404],
  ["with a parameter of its own", "/admin;x=y/schemas", 404],
  ["before a fragment, which nobody sends", "/admin/schemas#/api/check/resources", 404],
  ["before a fragment in its query", "/admin/schemas?a=b#/api/check/resources", 404],
  ["with a star for its first slash", "*admin/schemas", 400],
  ["as the star of OPTIONS", "*", 404],
  ["behind a user and the name of a host", "http://b@a/admin/schemas", 200],
  ["behind the address of another protocol", "ftp://a/admin/schemas", 400],
  ["behind the name of no host", "http:///admin/schemas", 400],
  ["behind the name of a host, with a slash too many", "http://a//admin/schemas", 404],
  ["behind the name of a host, as proxies are asked", "http://a/admin/schemas", 200],
])("whoever guards administration by its path sees what we see: %s", async (_sentence, path, status) => {
  const answer = await exchange(server.http, `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: ${basic}\r\n\r\n`);
  expect(statuses(answer)).toEqual([status]);
});

test("the path in the query of another address is no path", async () => {
  const ask = (target: string): Promise<string> => exchange(server.http, `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
  for (const target of ["/?/admin/schemas", "http://a?/admin/schemas"]) expect(await ask(target)).toContain("<!doctype html>");
});

describe("a browser that knows the administrator's password is not let in", () => {
  const host = (): string => new URL(server.http).host;
  test.each<readonly [sentence: string, headers: () => Readonly<Record<string, string>>, status: number]>([
    ["except by nobody's page", () => ({ "sec-fetch-site": "none" }), 200],
    ["except by our own page", () => ({ "sec-fetch-site": "same-origin", origin: "https://behind.a.proxy" }), 200],
    ["except by our own page, in a browser that does not say so", () => ({ origin: `http://${host()}` }), 200],
    ["except by a page of an origin that is named", () => ({ "sec-fetch-site": "cross-site", origin: "https://ours.example" }), 200],
    ["by a page of another origin", () => ({ "sec-fetch-site": "cross-site", origin: "https://evil.example" }), 403],
    ["by an image of another origin", () => ({ "sec-fetch-site": "cross-site" }), 403],
    ["by a page of another name on the same machine", () => ({ "sec-fetch-site": "same-site", origin: "https://other.localhost" }), 403],
    ["by a page of another origin, in a browser that does not say so", () => ({ origin: "https://evil.example" }), 403],
    ["by a page without an origin", () => ({ origin: "null" }), 403],
  ])("%s", async (_sentence, headers, status) => {
    // `fetch` sets these headers itself: only written out do they arrive as they are.
    const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const question = `GET /admin/schemas HTTP/1.1\r\nhost: ${host()}\r\nconnection: close\r\nauthorization: ${basic}\r\n${lines.join("")}\r\n`;
    expect(statuses(await exchange(server.http, question))).toEqual([status]);
  });

  test.each<readonly [sentence: string, settings: NonNullable<ServerOptions["settings"]>]>([
    ["where every origin may ask for decisions", { "server.cors.allowedOrigins": "*" }],
    ["where no other origin may ask for anything", { "server.cors.disabled": true }],
  ])("by a page of another origin %s", async (_sentence, settings) => {
    const other = await startServer({ policies: {}, settings: { ...administered, ...settings } });
    onTestFinished(() => other.stop());
    const question = (more: string): string =>
      `GET /admin/schemas HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: ${basic}\r\n${more}\r\n`;
    const answers = ["", "origin: https://evil.example\r\n", "sec-fetch-site: cross-site\r\norigin: https://evil.example\r\n"];
    const found = [];
    for (const more of answers) found.push(...statuses(await exchange(other.http, question(more))));
    expect(found).toEqual([200, 403, 403]);
  });

  test("by a page of another origin, with a host before the path", async () => {
    const headers = `host: ${host()}\r\nconnection: close\r\nauthorization: ${basic}\r\norigin: https://evil.example\r\n`;
    expect(statuses(await exchange(server.http, `GET http://a/admin/schemas HTTP/1.1\r\n${headers}\r\n`))).toEqual([403]);
  });

  // A page can send these without asking first (images, forms), and `fetch` the others where an answer to the preflight was stored.
  const calls = routes.filter(({ path }) => isAdminPath(path)).map(({ method, path }) => [method, path] as const);
  const heads = calls.flatMap(([method, path]) => (method === "GET" ? [["HEAD", path] as const] : []));
  test.each([...calls, ...heads, ["GET", "/admin/auditlog/list/KIND_ACCESS"] as const])(
    "by a page of another origin to %s %s, whatever it says its content is",
    async (method, path) => {
      const ask = async (from: string, type: string): Promise<string> => {
        const content = method === "GET" || method === "HEAD" ? "" : `content-type: ${type}\r\ncontent-length: 2\r\n`;
        const headers = `host: ${host()}\r\nconnection: close\r\nauthorization: ${basic}\r\n${from}${content}`;
        return exchange(server.http, `${method} ${path} HTTP/1.1\r\n${headers}\r\n${content === "" ? "" : "{}"}`);
      };
      const foreign = ["sec-fetch-site: cross-site\r\n", "sec-fetch-site: same-site\r\n", "origin: https://evil.example\r\n"];
      const types = ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"];
      for (const from of foreign)
        for (const type of types) {
          const answer = await ask(from, type);
          expect(statuses(answer)).toEqual([403]);
          if (method !== "HEAD")
            expect(answer).toContain("pages of other origins may not administer, unless server.cors.allowedOrigins names theirs");
        }
      expect(statuses(await ask("", "application/json"))).not.toContain(403);
    },
  );

  test("while decisions are for every page that may ask", async () => {
    const headers = `connection: close\r\norigin: https://evil.example\r\nsec-fetch-site: cross-site\r\ncontent-length: ${body.length}\r\n`;
    expect(statuses(await exchange(server.http, post(headers, body)))).toEqual([200]);
  });
});

test("what repeats a part of the question is not taken for a page", async () => {
  const answer = await server.get("/<script>alert(1)</script>");
  expect(answer.status).toBe(404);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test("who is locked out learns for how long", async () => {
  const own = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: {
      ...administered,
    },
  });
  const wrong = { headers: { authorization: `Basic ${Buffer.from("authz:wrong").toString("base64")}` } };
  const answers = await Promise.all(Array.from({ length: 12 }, () => own.get("/admin/schemas", wrong)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  await own.stop();
});
