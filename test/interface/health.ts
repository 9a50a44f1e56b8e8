/** Health: the endpoint, the protocol, and the command. */
import { expect } from "vitest";
import { runProgram, type Exit } from "../server/process.ts";
import type { Scene } from "./scene.ts";
import { row, type Section } from "./section.ts";
import { temporaryFolder } from "../server/harness.ts";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

const main = "authz.svc.v1.AuthzService";
const admin = "authz.svc.v1.AuthzAdminService";

export const health: Section = {
  heading: "Health",
  rows: [
    row("HTTP", async ({ server }) => expect((await server.get("/_authz/health")).status).toBe(200)),
    row("Query parameter", async ({ server }) => {
      expect((await server.get(`/_authz/health?service=${main}`)).status).toBe(200);
      expect((await server.get(`/_authz/health?service=${admin}`)).status).toBe(200);
      expect((await server.get("/_authz/health?service=nobody")).status).toBe(404);
    }),
    row("Success", async ({ server }) => expect(JSON.parse((await server.get("/_authz/health")).text)).toEqual({ status: "SERVING" })),
    row("Failure", async ({ server }) => expect((await server.get("/_authz/health?service=nobody")).status).not.toBe(200)),
    row("gRPC", async ({ client }) => {
      const health = client("grpc.health.v1.Health");
      for (const service of ["", main, admin]) expect((await health.call("check", { service })).reply).toEqual({ status: "SERVING" });
      expect((await health.call("check", { service: "nobody" })).code).toBe(5);
      health.close();
    }),
  ],
};

const probe = (argv: readonly string[]): Promise<Exit> => runProgram(["healthcheck", ...argv]);
const httpPort = ({ server }: Scene): string => server.http.slice("http://".length);

export const flags: Section = {
  heading: "Health",
  rows: [
    row("--config", async (scene) => {
      const folder = temporaryFolder({
        "authz.yaml": `server: {httpListenAddr: "${httpPort(scene)}", grpcListenAddr: "${scene.server.grpc}"}`,
      });
      for (const kind of ["http", "grpc"]) expect((await probe([`--config=${folder}/authz.yaml`, `--kind=${kind}`])).code).toBe(0);
    }),
    row("--kind", async (scene) => {
      expect((await probe(["--no-tls", `--host-port=${scene.server.grpc}`])).code).toBe(0);
      expect((await probe(["--no-tls", "--kind=http", `--host-port=${httpPort(scene)}`])).stdout).toContain("SERVING");
      expect((await probe(["--kind=carrier-pigeon"])).code).toBe(80);
    }),
    row("--host-port", async (scene) => {
      expect((await probe(["--no-tls", "--kind=http", `--host-port=${httpPort(scene)}`])).code).toBe(0);
      expect((await probe(["--no-tls", "--kind=http", "--host-port=127.0.0.1:1"])).code).toBe(1);
    }),
    row("--timeout", async () => {
      const silent = createServer(() => undefined);
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      // A true edge: a server that listens on a port has an address of this form.
      const { port } = silent.address() as AddressInfo;
      const { code, stderr } = await probe(["--no-tls", "--kind=http", "--timeout=200ms", `--host-port=127.0.0.1:${port}`]);
      silent.close();
      expect([code, stderr.includes("within 200 ms")]).toEqual([1, true]);
    }),
    row("--insecure", async ({ server }) => {
      const { code, stderr } = await probe(["--insecure", `--host-port=${server.grpc}`]);
      expect([code, stderr === ""]).toEqual([1, false]); // the server speaks no TLS; with it: test/server, "tls"
    }),
    row("--no-tls", async ({ server }) => {
      expect((await probe(["--no-tls", `--host-port=${server.grpc}`])).code).toBe(0);
      expect((await probe([`--host-port=${server.grpc}`])).code).toBe(1);
    }),
  ],
};
