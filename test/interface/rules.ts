/** The numbered sentences: authentication, events, errors, limits, versioning. */
import { expect } from "vitest";
import { openClient } from "../server/stock-client.ts";
import { runProgram } from "../server/process.ts";
import { administrator } from "./scene.ts";
import { row, type Section } from "./section.ts";

const definition = { type: "object" };

export const authentication: Section = {
  heading: "Authentication",
  rows: [
    row("1. The schema administration operations", async ({ server }) => {
      for (const [method, path] of [
        ["POST", "/admin/schema"],
        ["GET", "/admin/schemas"],
        ["GET", "/admin/schema?id=a"],
        ["DELETE", "/admin/schema?id=a"],
      ] as const) {
        const { status, headers } = await server.get(path, { method });
        expect([status, headers.get("www-authenticate")]).toEqual([401, 'Basic realm="authz admin"']);
      }
      const wrong = `Basic ${Buffer.from(`${administrator.username}:wrong`).toString("base64")}`;
      expect((await server.get("/admin/schemas", { headers: { authorization: wrong } })).status).toBe(401);
    }),
    row("2. The listeners can be given TLS", async ({ server }) => {
      // With certificates: test/server, "tls". Here: a listener without them speaks none.
      await expect(fetch(server.http.replace("http:", "https:"))).rejects.toThrow();
    }),
    row("3. The principal in a check request may carry a JWT", async ({ check, token }) => {
      const jwt = { token: `${await token({ team: "red" })}x` };
      expect((await check({ request: { auxData: { jwt } } })).json.message).toMatch(/^invalid auxData/);
    }),
    row("4. Authentication of CheckResources, health and metrics calls: not shown.", async ({ server, check }) => {
      expect((await check()).status).toBe(200);
      expect((await server.get("/_authz/health")).status).toBe(200);
      expect((await server.get("/_authz/metrics")).status).toBe(200);
    }),
    row("5. How the admin credentials are configured", async ({ admin }) =>
      expect((await admin("GET", "/admin/schemas")).status).toBe(200),
    ),
  ],
};

export const events: Section = {
  heading: "Events",
  rows: [
    row("1. The service writes audit log entries", async ({ check, audited }) => {
      const { authzCallId } = (await check()).json;
      expect(await audited(authzCallId, "decision")).toMatchObject({ checkResources: { inputs: [{ actions: ["edit"] }] } });
    }),
    row("2. The format and fields of an audit entry: not shown.", async ({ check, audited }) => {
      const entry = await audited((await check()).json.authzCallId, "access");
      expect(entry).toMatchObject({
        method: "/authz.svc.v1.AuthzService/CheckResources",
        peer: { address: expect.stringMatching(/127\.0\.0\.1/) },
      });
    }),
    row("3. Outbound notifications or webhooks on resource changes: not shown.", async ({ server }) =>
      expect((await server.get("/webhooks")).status).toBe(404),
    ),
  ],
};

export const errors: Section = {
  heading: "Errors",
  rows: [
    row("1. The health endpoint answers status 200", async ({ server }) => {
      expect((await server.get("/_authz/health")).status).toBe(200);
      expect((await server.get("/_authz/health?service=nobody")).status).not.toBe(200);
    }),
    row("2. Per resource, schema validation problems are returned", async ({ result }) =>
      expect((await result({ resource: { attr: { owner: 7 } } })).validationErrors).toHaveLength(1),
    ),
    row("3. Input constraints that a request must meet", async ({ check, admin }) => {
      const schemas = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `s${index}.json`, definition }));
      const refused = [
        check({ principal: { roles: [] } }),
        check({ request: { resources: [] } }),
        check({ entry: { actions: [] } }),
        check({ entry: { actions: ["edit", "edit"] } }),
        admin("POST", "/admin/schema", { schemas: [] }),
        admin("POST", "/admin/schema", { schemas: schemas(101) }),
        admin("GET", "/admin/schema"),
        admin("DELETE", "/admin/schema?id="),
        admin("DELETE", `/admin/schema?id=${"x".repeat(256)}`),
      ];
      expect((await Promise.all(refused)).map(({ status }) => status)).toEqual(refused.map(() => 400));
    }),
    row("4. Error response shape, status codes and error codes", async ({ check, admin }) => {
      expect((await check({ principal: { id: "" } })).json).toMatchObject({
        code: 3,
        details: [
          { "@type": "type.googleapis.com/buf.validate.Violations", violations: [{ fieldPath: "principal.id", ruleId: "required" }] },
        ],
      });
      expect((await admin("GET", "/admin/schema?id=none.json")).json).toMatchObject({
        code: 5,
        message: expect.stringContaining("none.json"),
      });
    }),
  ],
};

export const limits: Section = {
  heading: "Limits",
  rows: [
    row("Schemas per AddOrUpdateSchema call", async ({ admin }) => {
      const schemas = Array.from({ length: 100 }, (_, index) => ({ id: `s${index}.json`, definition }));
      expect((await admin("POST", "/admin/schema", { schemas })).status).toBe(200);
      expect((await admin("DELETE", `/admin/schema?${schemas.map(({ id }) => `id=${id}`).join("&")}`)).text).toBe('{"deletedSchemas":100}');
    }),
    row("Schema IDs per GetSchema or DeleteSchema call", async ({ admin }) => {
      expect((await admin("GET", "/admin/schema")).status).toBe(400);
      expect((await admin("DELETE", "/admin/schema")).status).toBe(400);
    }),
    row("Schema ID length", async ({ admin }) => {
      const put = async (length: number): Promise<number> =>
        (await admin("POST", "/admin/schema", { schemas: [{ id: `${"x".repeat(length - 5)}.json`, definition }] })).status;
      const ask = async (length: number): Promise<number> => (await admin("GET", `/admin/schema?id=${"y".repeat(length)}`)).status;
      expect([await put(6), await put(255), await put(256)]).toEqual([200, 200, 400]);
      expect([await ask(0), await ask(1), await ask(255), await ask(256)]).toEqual([400, 404, 404, 400]);
      await admin("DELETE", `/admin/schema?id=x.json&id=${"x".repeat(250)}.json`);
    }),
    row("Actions per resource entry", async ({ check }) => {
      const statusOf = async (actions: readonly string[]): Promise<number> => (await check({ entry: { actions } })).status;
      expect([await statusOf([]), await statusOf(["a", "b", "c"]), await statusOf(["a", "b", "c", "d"])]).toEqual([400, 200, 400]);
    }),
    row("Resource entries per request", async ({ check }) => {
      const statusOf = async (count: number): Promise<number> =>
        (
          await check({
            request: { resources: Array.from({ length: count }, () => ({ actions: ["edit"], resource: { kind: "album", id: "a" } })) },
          })
        ).status;
      expect([await statusOf(0), await statusOf(4), await statusOf(5)]).toEqual([400, 200, 400]);
    }),
    row("Health command timeout", async () => {
      expect((await runProgram(["healthcheck", "--help"])).stdout).toMatch(/2s/);
    }),
    row("Temporary debug logging", async () => {
      // The signal itself: test/server, on the built program.
      const { temporaryDebugMilliseconds } = await import("../../src/observe/temporary-level.ts");
      expect(temporaryDebugMilliseconds(undefined).milliseconds).toBe(600_000);
    }),
  ],
};

export const versioning: Section = {
  heading: "Versioning",
  rows: [
    row("1. Policies carry a version string.", async ({ result }) =>
      expect((await result({ resource: { attr: {}, policyVersion: "v2" } })).actions).toEqual({ edit: "EFFECT_ALLOW" }),
    ),
    row("2. The response reports the policy version used for each resource.", async ({ result }) =>
      expect((await result()).resource.policyVersion).toBe("default"),
    ),
    row("3. Policy and derived roles documents carry apiVersion api.authz.dev/v1.", async ({ server }) => {
      const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
      expect((await client.call("serverInfo", {})).code).toBe(0);
      client.close();
    }),
    row("4. Compatibility rules and deprecation policy of the API: not shown.", async ({ server }) =>
      expect((await server.get("/api/server_info")).status).toBe(200),
    ),
  ],
};
