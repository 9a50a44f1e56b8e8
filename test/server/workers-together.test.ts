/** What several workers do as one server: certificates, exports, counts, readiness. */
import { writeFileSync } from "node:fs";
import { request as requestHttps } from "node:https";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { openReceiver } from "../otlp/receiver.ts";
import { makeAuthority, type Pair } from "./certificates.ts";
import { argvOf, childrenOf, connectTo, isAlive, startWorkerServer, type WorkerServerOptions, type WorkerServer } from "./worker-server.ts";
import { checks, freePort, metric, saidBy, view, workerOf } from "./worker-requests.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { closedPolicy, expensePolicy, request } from "./policies.ts";
import { startProgram } from "./process.ts";

const folderOf = (): string => temporaryFolder({ "expense.yaml": expensePolicy });

async function started(options: WorkerServerOptions = {}): Promise<WorkerServer> {
  const server = await startWorkerServer(folderOf(), options);
  onTestFinished(() => server.kill("SIGKILL"));
  return server;
}

test("a changed certificate is shown by every worker, also by one that is new while the files hold a pair that does not fit", async () => {
  const authority = makeAuthority();
  const [own, next] = [1, 2].map(() => authority.issue({ names: ["127.0.0.1"] }));
  const folder = temporaryFolder({});
  const write = (pair: Pair | undefined): void => {
    writeFileSync(join(folder, "tls.crt"), pair?.certificate ?? "");
    writeFileSync(join(folder, "tls.key"), pair?.key ?? "");
  };
  write(own);
  const server = await started({ settings: { "server.tls.cert": join(folder, "tls.crt"), "server.tls.key": join(folder, "tls.key") } });
  /** Asks over a connection of its own: which worker answered, and whose certificate it showed. */
  const look = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const url = `https://${server.http}${checks}`;
      const asked = requestHttps(url, { method: "POST", agent: false, ca: authority.certificate, headers: { connection: "close" } });
      asked.on("response", (response) => {
        const shown = response.socket instanceof TLSSocket ? response.socket.getPeerX509Certificate()?.fingerprint256 : undefined;
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => void (text += part));
        response.on("end", () => {
          const { authzCallId }: { readonly authzCallId: string } = JSON.parse(text);
          resolve(workerOf(server, authzCallId).then((worker) => `${String(worker)} ${shown}`));
        });
      });
      asked.on("error", reject);
      asked.end(JSON.stringify(request));
    });
  const seen = async (): Promise<ReadonlySet<string>> => new Set(await Promise.all(Array.from({ length: 6 }, look)));
  const before = [...(await seen())].toSorted();
  expect(before).toEqual([expect.stringMatching(/^1 /), expect.stringMatching(/^2 /)]);
  expect(new Set(before.map((line) => line.slice(2))).size).toBe(1);
  const said = (text: string): readonly unknown[] => server.logged().filter(({ message }) => String(message).includes(text));
  expect(said("certificate")).toEqual([]);
  write(next);
  const after = await eventually(seen, (lines) => lines.size === 2 && before.every((line) => !lines.has(line)));
  expect(new Set([...after].map((line) => line.slice(2))).size).toBe(1);
  writeFileSync(join(folder, "tls.key"), own?.key ?? "");
  process.kill(server.workers()[0] ?? 0, "SIGKILL");
  await eventually(
    () => said("serves again"),
    (lines) => lines.length > 0,
  );
  expect(await seen()).toEqual(after);
  write(own);
  expect(await eventually(seen, (lines) => lines.size === 2 && [...lines].every((line) => !after.has(line)))).toEqual(new Set(before));
  expect((await server.stop()).code).toBe(0);
});

test("each call is exported once, and what is counted by one process for all", async () => {
  const receiver = await openReceiver({ protocol: "http/protobuf" });
  onTestFinished(receiver.close);
  const server = await started({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_TRACES_SAMPLER: "always_on",
      OTEL_BSP_SCHEDULE_DELAY: "10",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_METRIC_EXPORT_INTERVAL: "50",
    },
  });
  const all = Array.from({ length: 6 }, () => connectTo(server.http));
  const ids: string[] = [];
  for (let count = 0; count < 10; count++)
    for (const connection of all) ids.push(/"authzCallId":"(\w+)"/.exec((await connection.ask(checks, request)).text)?.[1] ?? "");
  for (const { close } of all) close();
  expect(new Set(await Promise.all([ids[0], ids[1], ids[2], ids[3]].map((id = "") => workerOf(server, id)))).size).toBe(2);
  expect((await server.stop()).code).toBe(0);

  const spans = receiver.spans().filter(({ name }) => name === "authz.svc.v1.AuthzService/CheckResources");
  expect(spans.map(({ attributes }) => String(attributes["authz.call_id"])).toSorted()).toEqual(ids.toSorted());
  expect(new Set(receiver.spans().map(({ spanId }) => spanId)).size).toBe(receiver.spans().length);
  const exported = receiver.metrics().filter(({ name }) => name === "authz_dev_engine_check_batch_size");
  const [counts, times] = [exported.map(({ points }) => Number(points[0]?.value)), exported.map(({ points }) => points[0]?.time)];
  expect([counts.at(-1), counts]).toEqual([60, counts.toSorted((one, other) => one - other)]);
  expect([new Set(times).size, new Set(exported.map(({ points }) => points.length))]).toEqual([exported.length, new Set([1])]);
});

test("a policy that changes while a stopping server sends its last spans is nobody's error", async () => {
  const receiver = await openReceiver({ protocol: "grpc" });
  onTestFinished(() => receiver.close());
  receiver.behave("hang");
  const folder = folderOf();
  const server = await startWorkerServer(folder, {
    settings: { "storage.disk.watchForChanges": true },
    environment: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.endpoint, OTEL_TRACES_SAMPLER: "always_on" },
  });
  onTestFinished(() => server.kill("SIGKILL"));
  const connections = Array.from({ length: 4 }, () => connectTo(server.http));
  await Promise.all(connections.map(view));
  for (const { close } of connections) close();
  const stopped = server.stop();
  await eventually(
    () => receiver.asked().length,
    (asked) => asked >= 2,
  );
  writeFileSync(join(folder, "expense.yaml"), closedPolicy);
  const { code, stderr } = await stopped;
  expect([code, stderr]).toEqual([0, ""]);
});

test("what is counted never falls, though workers are replaced", async () => {
  const server = await started();
  const checked = "authz_dev_engine_check_batch_size_count";
  const counters: readonly (readonly [name: string, labels: Readonly<Record<string, string>>])[] = [
    [checked, {}],
    ["http_server_request_duration_seconds_count", { http_request_method: "POST", http_response_status_code: "200" }],
    ["process_cpu_user_seconds_total", {}],
  ];
  const seen = { ends: false };
  const readings = counters.map(async ([name, labels]) => {
    const found: number[] = [];
    while (!seen.ends) found.push(await metric(server, name, labels).catch(() => found.at(-1) ?? 0));
    found.push(await metric(server, name, labels));
    return found;
  });
  for (let count = 0; count < 3; count++) {
    const [first = 0] = server.workers();
    const connections = Array.from({ length: 6 }, () => connectTo(server.http));
    await Promise.all(connections.map(view));
    for (const { close } of connections) close();
    // What has been read goes on counting.
    await eventually(
      () => metric(server, checked),
      (checks) => checks === 6 * (count + 1),
    );
    process.kill(first, "SIGKILL");
    await eventually(
      () => saidBy(server).filter((message) => message.endsWith("serves again")).length,
      (times) => times === count + 1,
    );
  }
  seen.ends = true;
  for (const found of await Promise.all(readings)) {
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    expect(found.at(-1)).toBeGreaterThan(0);
  }
  expect((await server.stop()).code).toBe(0);
});

test("nobody is told that the server serves before every worker does", async () => {
  const http = `127.0.0.1:${await freePort()}`;
  const run = startProgram(argvOf(folderOf(), { settings: { "server.httpListenAddr": http } }));
  onTestFinished(() => void run.process.kill("SIGKILL"));
  const pid = run.process.pid ?? 0;
  const [, second = 0] = await eventually(
    () => childrenOf(pid),
    (workers) => workers.length === 2,
  );
  process.kill(second, "SIGSTOP");
  onTestFinished(() => void (isAlive(second) && process.kill(second, "SIGKILL")));
  const health = async (): Promise<string> => {
    const connection = connectTo(http);
    const answer = await connection.ask("/_authz/health").then(
      ({ status }) => `${status}`,
      () => "nobody listens",
    );
    connection.close();
    return answer;
  };
  for (let count = 0; count < 40; count++) {
    expect(await health()).not.toBe("200");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(run.output().stdout).not.toMatch(/is served at|workers serve/);
  process.kill(second, "SIGCONT");
  await eventually(health, (answer) => answer === "200");
  await eventually(run.output, ({ stdout }) => stdout.includes("2 workers serve"));
  run.process.kill("SIGTERM");
  expect((await run.exited).code).toBe(0);
});
