/** What administrators change is in force when they are answered, whoever checks meanwhile; and what the store says when it is read anew. */
import type { JsonObject } from "@bufbuild/protobuf";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ask, check, close, enabled, open, policy, stores, type Opened } from "./admin-harness.ts";
import { brokenPolicy, closedPolicy, expensePolicy } from "./policies.ts";

let opened: Opened | undefined;
afterEach(async () => {
  if (opened !== undefined) await close(opened);
  opened = undefined;
});

const checkOverGrpc = async ({ grpc }: Opened, kind: string): Promise<string> => {
  const request = { principal: { id: "ann", roles: ["user"] }, resources: [{ actions: ["view"], resource: { kind, id: "1" } }] };
  const { body } = await grpc.ask({ method: "POST", path: "", grpc: "authz.svc.v1.AuthzService/CheckResources", request });
  return /EFFECT_\w+/.exec(JSON.stringify(body))?.[0] ?? JSON.stringify(body);
};

describe.each(stores)("on %s", (_store, settings) => {
  test("the next check knows, over either transport, while others check without pause", async () => {
    const server = (opened = await open({ policies: {}, settings: { ...enabled, ...settings() } }));
    await ask(server.http, "AddOrUpdatePolicy", { policies: [policy("memo"), policy("note")] });
    const others = new AbortController();
    const checkers = Array.from({ length: 4 }, async (_, index) => {
      const seen = new Set<string>();
      while (!others.signal.aborted) seen.add(await (index % 2 === 0 ? check : checkOverGrpc)(server, "note"));
      return seen;
    });
    const id = ["resource.memo.vdefault"];
    for (let round = 0; round < 4; round++) {
      const channel = round % 2 === 0 ? server.http : server.grpc;
      for (const [call, request, effect] of [
        ["DisablePolicy", { id }, "EFFECT_DENY"],
        ["EnablePolicy", { id }, "EFFECT_ALLOW"],
        ["DeletePolicy", { id }, "EFFECT_DENY"],
        ["AddOrUpdatePolicy", { policies: [policy("memo")] }, "EFFECT_ALLOW"],
      ] as const) {
        await ask(channel, call, JSON.parse(JSON.stringify(request)));
        expect([call, await check(server, "memo"), await checkOverGrpc(server, "memo")]).toEqual([call, effect, effect]);
      }
    }
    others.abort();
    for (const seen of await Promise.all(checkers)) expect([...seen]).toEqual(["EFFECT_ALLOW"]);
  });
});

describe("a folder that nobody watches", () => {
  const expense = async (server: Opened): Promise<string> => check(server, "expense", { amount: 1 });

  test.each(["http", "grpc"] as const)("is read when a reload asks for it, over %s", async (transport) => {
    const server = (opened = await open({ policies: { "expense.yaml": expensePolicy }, settings: enabled }));
    const file = join(server.server.directory, "expense.yaml");
    const reload = async (request: JsonObject): Promise<readonly [code: unknown, message: unknown]> => {
      const { status, body } = await ask(server[transport], "ReloadStore", request);
      return [body?.["code"] ?? (status === 200 ? 0 : status), body?.["message"]];
    };
    writeFileSync(file, closedPolicy);
    expect(await expense(server)).toBe("EFFECT_ALLOW");
    expect(await reload({ wait: true })).toEqual([0, undefined]);
    expect(await expense(server)).toBe("EFFECT_DENY");

    // What is broken says so, as often as it is asked, and the last good set stays.
    writeFileSync(file, brokenPolicy);
    for (const _ of ["once", "twice"])
      expect(await reload({ wait: true })).toEqual([13, expect.stringMatching(/do not compile.*expense\.yaml:\d+:\d+/)]);
    expect(await reload({})).toEqual([0, undefined]);
    expect(await expense(server)).toBe("EFFECT_DENY");

    rmSync(server.server.directory, { recursive: true });
    expect(await reload({ wait: true })).toEqual([13, expect.stringContaining("does not exist")]);
    expect(await expense(server)).toBe("EFFECT_DENY");
    expect(
      server.server.logged().filter(({ message }) => String(message).includes("the last good set keeps answering")).length,
    ).toBeGreaterThan(1);
  });
});

test("what a refusal tells fits into the trailers of gRPC, however much there is of it", async () => {
  const server = (opened = await open({
    policies: {},
    settings: { ...enabled, "storage.driver": "sqlite", "storage.sqlite.path": ":memory:" },
  }));
  const roles = { apiVersion: "api.authz.dev/v1", derivedRoles: { name: "r", definitions: [{ name: "owner", parentRoles: ["user"] }] } };
  const importers = Array.from({ length: 200 }, (_, index) => policy(`${"long_kind_".repeat(5)}${index}`, { importDerivedRoles: ["r"] }));
  for (let at = 0; at < importers.length; at += 80)
    await ask(server.http, "AddOrUpdatePolicy", { policies: [roles, ...importers.slice(at, at + 80)] });
  const dependents = async (channel: Opened["http"]): Promise<number> => {
    const { body } = await ask(channel, "DeletePolicy", { id: ["derived_roles.r"] });
    expect(body?.["message"]).toMatch(/and 195 more$/);
    return JSON.stringify(body?.["details"]).match(/resource\.long_kind_/g)?.length ?? 0;
  };
  expect(await dependents(server.http)).toBe(200);
  expect(await dependents(server.grpc)).toBeGreaterThan(50);
});
