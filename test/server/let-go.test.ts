/** What a server lets go of when it has stopped, or could not start: files, ports, and whom it asks again and again. */
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openReceiver } from "../otlp/receiver.ts";
import { openFilesIn } from "../src/open-files.ts";
import { eventually, startServer, temporaryFolder } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { authority } from "./tls-client.ts";

const policies = { "expense.yaml": expensePolicy };
const folder = temporaryFolder({});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Listens at a port of its own, which is free again when the test has ended. */
async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A TCP server's address is an object.
  return (server.address() as AddressInfo).port;
}

/** An issuer that is asked for its keys every second, and how often it was. */
async function issuer(): Promise<{ readonly file: string; readonly asked: () => number }> {
  let asked = 0;
  const server = createHttpServer((_request, response) => {
    asked++;
    response.setHeader("connection", "close").end(JSON.stringify({ keys: [{ kty: "oct", k: "A".repeat(43), alg: "HS256", kid: "a" }] }));
  });
  const port = await listening(server);
  const source = `{url: 'http://127.0.0.1:${port}/keys', refreshInterval: 1s}`;
  const at = temporaryFolder({ "authz.yaml": `auxData: {jwt: {keySets: [{id: k, remote: ${source}}]}}` });
  return { file: join(at, "authz.yaml"), asked: () => asked };
}

test("a stopped server looks at its certificate no longer", async () => {
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const write = (pair: { readonly certificate: string; readonly key: string }): void => {
    writeFileSync(cert, pair.certificate);
    writeFileSync(key, pair.key);
  };
  write(authority.issue({ names: ["127.0.0.1"] }));
  const server = await startServer({ policies, settings: { "server.tls.cert": cert, "server.tls.key": key } });
  await server.stop();
  const before = server.logged().length;
  write(authority.issue({ names: ["127.0.0.1"] }));
  // It looked twice a second.
  await wait(2000);
  expect(server.logged().slice(before)).toEqual([]);
});

test("a stopped server asks for keys no longer", async () => {
  const { file, asked } = await issuer();
  const server = await startServer({ policies, file });
  await eventually(asked, (times) => times > 1);
  await server.stop();
  const before = asked();
  await wait(2000);
  expect(asked()).toBe(before);
});

test.each(["file", "local"])("a stopped server has its audit log open no longer: %s", async (backend) => {
  const place = temporaryFolder({});
  const settings = backend === "file" ? { "audit.file.path": join(place, "audit.log") } : { "audit.local.storagePath": place };
  const server = await startServer({ policies, settings: { "audit.enabled": true, "audit.backend": backend, ...settings } });
  await server.post("/api/check/resources", request);
  expect(openFilesIn(place)).not.toEqual([]);
  await server.stop();
  expect(openFilesIn(place)).toEqual([]);
});

test("a server that cannot have its HTTP port leaves the gRPC port to others, and asks for keys no longer", async () => {
  const taken = await listening(createServer());
  const other = createServer();
  const free = await listening(other);
  other.close();
  await once(other, "close");
  const { file, asked } = await issuer();
  const settings = { "server.httpListenAddr": `127.0.0.1:${taken}`, "server.grpcListenAddr": `127.0.0.1:${free}` };
  await expect(startServer({ policies, file, settings })).rejects.toThrow(`${taken}`);
  const again = createServer();
  onTestFinished(() => void again.close());
  again.listen(free, "127.0.0.1");
  await once(again, "listening");
  const before = asked();
  await wait(2000);
  expect(asked()).toBe(before);
});

test("a stopped server has sent the spans that waited to be sent", async () => {
  const receiver = await openReceiver({ protocol: "grpc" });
  onTestFinished(() => receiver.close());
  const server = await startServer({
    policies,
    environment: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.endpoint,
      OTEL_TRACES_SAMPLER: "always_on",
      OTEL_BSP_SCHEDULE_DELAY: "600000",
    },
  });
  await server.post("/api/check/resources", request);
  expect(receiver.spans()).toEqual([]);
  await server.stop();
  expect(receiver.spans().map(({ name }) => name)).toContain("authz.svc.v1.AuthzService/CheckResources");
});
