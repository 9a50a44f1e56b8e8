/** Health over both protocols: the names that are known, and what is said of each. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { logTo } from "../../src/observe/log.ts";
import { openDependencies } from "../../src/server/start/dependencies.ts";
import { openClosing } from "../../src/server/start/closing.ts";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { openClient, type StockClient } from "./stock-client.ts";

const main = "authz.svc.v1.AuthzService";
const administration = "authz.svc.v1.AuthzAdminService";

let folder: string;
const servers = new Map<string, { readonly server: TestServer; readonly client: StockClient }>();
beforeAll(async () => {
  const passwordHash = Buffer.from(hashSync("secret", 4)).toString("base64");
  folder = temporaryFolder({
    "admin.yaml": JSON.stringify({ server: { adminAPI: { enabled: true, adminCredentials: { passwordHash } } } }),
  });
  const policies = { "expense.yaml": expensePolicy };
  for (const [name, options] of [
    ["plain", { policies }],
    ["admin", { policies, file: join(folder, "admin.yaml") }],
  ] as const) {
    const server = await startServer(options);
    servers.set(name, { server, client: openClient(server.grpc, "grpc.health.v1.Health") });
  }
});
afterAll(async () => {
  for (const { server, client } of servers.values()) {
    client.close();
    await server.stop();
  }
  rmSync(folder, { recursive: true });
});

const at = (name: string) => {
  const found = servers.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe.each([
  ["plain", ["", main]],
  ["admin", ["", main, administration]],
] as const)("a server (%s)", (name, known) => {
  const unknown = [administration, "authz.svc.v1.AuthzPlaygroundService", "grpc.health.v1.Health", "nope", " "].filter(
    (service) => !known.some((each) => each === service),
  );

  test.each([...known])("serves `%s`, whoever asks", async (service) => {
    const { server, client } = at(name);
    expect((await server.get(`/_authz/health?service=${service}`)).json).toEqual({ status: "SERVING" });
    expect((await client.call("check", { service })).reply).toEqual({ status: "SERVING" });
  });

  test.each(unknown)("does not know `%s`", async (service) => {
    const { server, client } = at(name);
    const http = await server.get(`/_authz/health?service=${encodeURIComponent(service)}`);
    expect([http.status, http.json.code]).toEqual([404, 5]);
    expect((await client.call("check", { service })).code).toBe(5);
    const stream = client.stream("watch", { service });
    stream.on("error", () => {}); // it is cancelled below
    expect(await new Promise((resolve) => stream.once("data", resolve))).toEqual({ status: "SERVICE_UNKNOWN" });
    stream.cancel();
  });

  test("lists what it knows", async () => {
    const { reply } = await at(name).client.call("list", {});
    expect(reply).toEqual({ statuses: Object.fromEntries(known.map((service) => [service, { status: "SERVING" }])) });
  });
});

test.each([
  ["health first", ["grpc.health.v1.Health/check", "authz.svc.v1.AuthzService/serverInfo", "grpc.health.v1.Health/check"]],
  ["another first", ["authz.svc.v1.AuthzService/serverInfo", "grpc.health.v1.Health/check", "authz.svc.v1.AuthzService/serverInfo"]],
])("a server that was asked nothing yet answers whatever it is asked first: %s", async (_order, calls) => {
  const server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  for (const call of calls) {
    const [service = "", method = ""] = call.split("/");
    const client = openClient(server.grpc, service);
    expect((await client.call(method, {})).code).toBe(0);
    client.close();
  }
  await server.stop();
});

test("whoever watches is told once more when the server stops, and the watch ends", async () => {
  const server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  const client = openClient(server.grpc, "grpc.health.v1.Health");
  const told: unknown[] = [];
  const stream = client.stream("watch", { service: main });
  stream.on("data", (message: unknown) => void told.push(message));
  const ended = new Promise((resolve) => stream.on("error", resolve).on("end", resolve));
  await new Promise((resolve) => stream.once("data", resolve));
  await server.stop();
  await ended;
  client.close();
  expect(told).toEqual([{ status: "SERVING" }, { status: "NOT_SERVING" }]);
});

test("who is asked before it serves says so over both protocols", async () => {
  const settings = [
    `storage.disk.directory=${temporaryFolder({})}`,
    "server.httpListenAddr=127.0.0.1:0",
    "server.grpcListenAddr=127.0.0.1:0",
  ];
  const { config } = loadConfig(undefined, settings, {});
  if (config === undefined) throw new Error("a configuration that can be used");
  const closing = openClosing();
  const log = logTo({ write: () => undefined }, "error");
  const { openTransports } = await openDependencies(config, { log, environment: {} }, closing);
  const transports = await openTransports({ live: { ask: () => Promise.reject(new Error("nobody administers")) } });
  const { http, grpc } = await transports.listen();
  if (http.kind !== "tcp" || grpc.kind !== "tcp") throw new Error("both listen at ports");
  const statuses = async (): Promise<readonly unknown[]> => {
    const client = openClient(`127.0.0.1:${grpc.port}`, "grpc.health.v1.Health");
    const answers = [
      (await fetch(`http://127.0.0.1:${http.port}/_authz/health`, { headers: { connection: "close" } })).status,
      (await client.call("check", { service: main })).reply,
    ];
    client.close();
    return answers;
  };
  expect(await statuses()).toEqual([503, { status: "NOT_SERVING" }]);
  transports.serve();
  expect(await statuses()).toEqual([200, { status: "SERVING" }]);
  await transports.drain();
  await closing.closeAll();
});
