/** The HTTP routes that the .proto files name are served, but for those that they call not offered. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { close, enabled, open, right, type Opened } from "./admin-harness.ts";

const proto = readFileSync("proto/authz/svc/v1/svc.proto", "utf8");
const routes = [...proto.matchAll(/^ *\/\/ (Not offered, )?HTTP: (\w+) (\S+)$/gm)].map(
  ([, not, method = "", path = ""]) => [method, path, not === undefined] as const,
);

describe("the .proto file", () => {
  let opened: Opened;
  beforeAll(async () => void (opened = await open({ policies: {}, settings: enabled })));
  afterAll(() => close(opened));

  test("names a route of every call", () => {
    expect(routes.length).toBeGreaterThanOrEqual([...proto.matchAll(/^ *rpc /gm)].length);
  });

  test.each(routes)("names %s %s, which is offered: %s", async (method, path, isOffered) => {
    const answer = await fetch(`${opened.server.http}${path.replace("{kind}", "KIND_ACCESS")}`, {
      method,
      headers: { authorization: right, "content-type": "application/json" },
      ...(method !== "GET" && method !== "DELETE" && { body: "{}" }),
    });
    expect([404, 405].includes(answer.status)).toBe(!isOffered);
  });
});
