/** Policies change while the server answers. */
import { renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually, startServer, type TestServer } from "./harness.ts";
import { brokenPolicy, closedPolicy, expensePolicy, request } from "./policies.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings: { "storage.disk.watchForChanges": true } });
});
afterEach(() => server.stop());

const effectOf = async (action: "view" | "approve"): Promise<string> =>
  (await server.post("/api/check/resources", request)).json.results[0].actions[action] ?? "";
const becomes = (action: "view" | "approve", effect: string): Promise<string> =>
  eventually(
    () => effectOf(action),
    (found) => found === effect,
  );
const write = (name: string, text: string): void => writeFileSync(join(server.directory, name), text);
const messages = (): readonly unknown[] => server.logged().map((line) => line["message"]);

test("an edited policy decides otherwise", async () => {
  expect(await effectOf("view")).toBe("EFFECT_ALLOW");
  write("expense.yaml", closedPolicy);
  expect(await becomes("view", "EFFECT_DENY")).toBe("EFFECT_DENY");
  write("expense.yaml", expensePolicy);
  expect(await becomes("view", "EFFECT_ALLOW")).toBe("EFFECT_ALLOW");
});

test("a new policy decides, a deleted one no longer does", async () => {
  unlinkSync(join(server.directory, "expense.yaml"));
  expect(await becomes("view", "EFFECT_DENY")).toBe("EFFECT_DENY");
  write("other.yaml", expensePolicy);
  expect(await becomes("view", "EFFECT_ALLOW")).toBe("EFFECT_ALLOW");
});

test("a renamed policy keeps deciding", async () => {
  renameSync(join(server.directory, "expense.yaml"), join(server.directory, "renamed.yaml"));
  await eventually(messages, (found) => found.filter((message) => message === "policies loaded from 1 file").length === 2);
  expect(await effectOf("view")).toBe("EFFECT_ALLOW");
});

test("a broken policy is reported with its place, and the last good set keeps answering", async () => {
  write("expense.yaml", brokenPolicy);
  const line = await eventually(
    () => server.logged().find((found) => found["log.level"] === "error" && found["authz.diagnostic.place"] !== undefined),
    (found) => found !== undefined,
  );
  expect(line).toMatchObject({
    "authz.diagnostic.place": expect.stringMatching(/^expense\.yaml:14:\d+$/),
    message: expect.stringMatching(/^expense\.yaml:14:\d+: /),
  });
  expect(await effectOf("view")).toBe("EFFECT_ALLOW");
  expect((await server.get("/_authz/health")).status).toBe(200);
  write("expense.yaml", closedPolicy);
  expect(await becomes("view", "EFFECT_DENY")).toBe("EFFECT_DENY");
});

test("an import that exists nowhere is reported, and mended by the file that was missing", async () => {
  write("expense.yaml", closedPolicy.replace("  rules:", "  importDerivedRoles: [apple_roles]\n  rules:"));
  await eventually(() => server.logged().some((line) => String(line["message"]).includes("apple_roles")), Boolean);
  expect(await effectOf("view")).toBe("EFFECT_ALLOW");
  write(
    "roles.yaml",
    "apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: apple_roles\n  definitions:\n    - name: owner\n      parentRoles: [user]\n",
  );
  expect(await becomes("view", "EFFECT_DENY")).toBe("EFFECT_DENY");
});

test("a folder that is gone is reported, and the last good set keeps answering", async () => {
  rmSync(server.directory, { recursive: true });
  await eventually(messages, (found) =>
    found.some(
      (message) => String(message).includes("the last good set keeps answering") || String(message).includes("policies loaded from no"),
    ),
  );
  expect((await server.get("/_authz/health")).status).toBe(200);
});

test("a burst of changes ends with the last of them in force", async () => {
  for (let turn = 0; turn < 20; turn++) write("expense.yaml", turn % 2 === 0 ? closedPolicy : expensePolicy);
  write("expense.yaml", closedPolicy);
  expect(await becomes("view", "EFFECT_DENY")).toBe("EFFECT_DENY");
});

test("no check fails while policies are swapped", async () => {
  const statuses = new Set<number>();
  for (const policy of [closedPolicy, expensePolicy, brokenPolicy, closedPolicy]) {
    write("expense.yaml", policy);
    for (let asked = 0; asked < 30; asked++) statuses.add((await server.post("/api/check/resources", request)).status);
  }
  await becomes("view", "EFFECT_DENY");
  expect([...statuses]).toEqual([200]);
});
