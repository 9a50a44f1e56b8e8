/** Listeners and configuration: every row of the first table. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { loadConfig, type LoadedConfig } from "../../src/config/load.ts";
import { settings } from "../../src/config/settings.ts";
import { decideLevel } from "../../src/observe/log.ts";
import { startServer, temporaryFolder } from "../server/harness.ts";
import { runProgram } from "../server/process.ts";
import { expensePolicy, request } from "../server/policies.ts";
import { row, type Section } from "./section.ts";

const configured = (text: string): LoadedConfig => loadConfig(join(temporaryFolder({ "authz.yaml": text }), "authz.yaml"), [], {});
const problemOf = (text: string): string =>
  configured(text)
    .problems.map(({ message }) => message)
    .join("; ");

export const listeners: Section = {
  heading: "What the service does",
  rows: [
    row("HTTP listener", () => {
      expect(configured('server: {httpListenAddr: ":3592"}').config?.["server.httpListenAddr"]).toEqual(
        settings["server.httpListenAddr"].default,
      );
    }),
    row("gRPC listener", () => {
      expect(configured('server: {grpcListenAddr: ":3593"}').config?.["server.grpcListenAddr"]).toEqual(
        settings["server.grpcListenAddr"].default,
      );
    }),
    row("TLS (optional)", async () => {
      const start = startServer({ policies: {}, settings: { "server.tls.cert": "/nowhere.crt", "server.tls.key": "/nowhere.key" } });
      await expect(start).rejects.toThrow(/nowhere/);
    }),
    row("Default policy version", async () => {
      const server = await startServer({
        policies: { "expense.yaml": expensePolicy.replace("version: default", "version: v7") },
        settings: { "engine.defaultPolicyVersion": "v7" },
      });
      const { json } = await server.post("/api/check/resources", request);
      expect([json.results[0].actions["view"], json.results[0].resource.policyVersion]).toEqual(["EFFECT_ALLOW", "v7"]);
      await server.stop();
    }),
    row("Storage driver", () => {
      expect(configured("storage: {driver: disk}").config?.["storage.driver"]).toBe("disk");
      expect(problemOf("storage: {driver: git}")).toMatch(/git/); // comes with "Stores, recompilation and administration"
    }),
    row("Disk storage", async () => {
      const server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings: { "storage.disk.watchForChanges": true } });
      expect((await server.post("/api/check/resources", request)).json.results[0].actions["view"]).toBe("EFFECT_ALLOW");
      await server.stop();
    }),
    row("Git storage", () => {
      // Waits for "Stores, recompilation and administration": until then its section is known and told to be without effect.
      const { config, problems } = configured(
        "storage: {driver: disk, git: {protocol: https, url: 'https://example.com/a.git', branch: main, checkoutDir: /tmp/x, updatePollInterval: 60s, https: {username: u, password: p}}}",
      );
      expect(config).toBeDefined();
      expect(problems.map(({ severity }) => severity)).not.toContain("error");
    }),
    row("Audit", async ({ check, audited }) => {
      const { config } = configured("audit: {enabled: true, backend: file, file: {path: a.log, retentionPeriod: 168h}}");
      expect(config?.["audit.file.retentionPeriod"]).toBe(168 * 3_600_000);
      const { authzCallId } = (await check()).json;
      expect(await audited(authzCallId, "access")).toMatchObject({ callId: authzCallId });
    }),
    row("Telemetry", async () => {
      expect(configured("telemetry: {enabled: true, backend: prometheus}").config?.["telemetry.backend"]).toBe("prometheus");
      const server = await startServer({ policies: {}, settings: { "telemetry.enabled": false } });
      expect((await server.get("/_authz/metrics")).status).toBe(404);
      await server.stop();
    }),
    row("Metrics switch", async ({ server: on }) => {
      expect((await on.get("/_authz/metrics")).status).toBe(200);
      const server = await startServer({ policies: {}, settings: { "server.metricsEnabled": false } });
      expect((await server.get("/_authz/metrics")).status).toBe(404);
      await server.stop();
    }),
    row("Log level", async () => {
      const server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings: { "server.logLevel": "error" } });
      await server.post("/api/check/resources", request);
      expect(server.logged()).toEqual([]);
      await server.stop();
      expect(decideLevel("debug", "warn", "error")).toBe("debug"); // AUTHZ_LOG_LEVEL wins over the command line, that over the file
    }),
    row("Payload logging", async () => {
      const server = await startServer({ policies: { "expense.yaml": expensePolicy }, settings: { "server.logRequestPayloads": true } });
      await server.post("/api/check/resources", request);
      expect(JSON.stringify(server.logged())).toContain("amount");
      await server.stop();
    }),
    row("Request limits", async ({ check }) => {
      const tooMany = await check({ entry: { actions: ["a", "b", "c", "d"] } });
      expect([tooMany.status, tooMany.json.code]).toEqual([400, 3]);
      const entry = { actions: ["edit"], resource: { kind: "album", id: "a1" } };
      expect((await check({ request: { resources: [entry, entry, entry, entry, entry] } })).status).toBe(400);
    }),
  ],
};

export const validation: Section = {
  heading: "What the service does",
  rows: [
    row("The configuration file is YAML. A command validates a configuration file.", async () => {
      const folder = temporaryFolder({ "good.yaml": "server: {metricsEnabled: false}\n", "bad.yaml": "server: {metricsEnabled: maybe}\n" });
      expect((await runProgram(["config", "validate", join(folder, "good.yaml")])).code).toBe(0);
      const bad = await runProgram(["config", "validate", join(folder, "bad.yaml")]);
      expect([bad.code, bad.stderr.includes("bad.yaml:1:26")]).toEqual([1, true]);
      expect(existsSync(folder)).toBe(true);
    }),
  ],
};
