/** Workers that die: they are replaced, the others go on, and nothing that counts is forgotten. */
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeAuthority } from "./certificates.ts";
import { connectTo, isAlive, startWorkerServer, type WorkerServerOptions, type WorkerServer } from "./worker-server.ts";
import { freePort, metric, ownerOf, saidBy, view, viewedByNew } from "./worker-requests.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { closedPolicy, expensePolicy } from "./policies.ts";

async function started(directory: string, options?: WorkerServerOptions): Promise<WorkerServer> {
  const server = await startWorkerServer(directory, options);
  onTestFinished(() => server.kill("SIGKILL"));
  return server;
}

/** What a worker needs at its start, and others that serve do not miss: the authority of a collector to which nothing is sent. */
function collector(): { readonly folder: string; readonly environment: Readonly<Record<string, string>> } {
  const folder = temporaryFolder({ "policies/expense.yaml": expensePolicy, "ca.crt": authority });
  return {
    folder,
    environment: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: join(folder, "ca.crt"),
      OTEL_TRACES_SAMPLER: "always_off",
    },
  };
}
const authority = makeAuthority().certificate;

describe("a worker that is killed", () => {
  test("is replaced by one that knows what has changed since the start, while the other answers every request", async () => {
    const folder = temporaryFolder({ "expense.yaml": expensePolicy });
    const server = await started(folder, { settings: { "storage.disk.watchForChanges": true } });
    const before = server.workers();
    const [first = 0, second = 0] = before;
    const all = Array.from({ length: 6 }, () => connectTo(server.http));
    onTestFinished(() => all.forEach(({ close }) => close()));
    await Promise.all(all.map(view));

    writeFileSync(join(folder, "expense.yaml"), closedPolicy);
    await eventually(
      () => Promise.all(all.map(view)),
      (answers) => answers.every((answer) => answer === "EFFECT_DENY"),
    );

    const owners = await Promise.all(all.map((connection) => ownerOf(server, connection)));
    expect(new Set(owners)).toEqual(new Set([1, 2]));
    const outcomes = all.map(() => ({ answered: 0, failed: 0 }));
    const load = { ends: false };
    const asking = all.map(async (connection, index) => {
      const outcome = outcomes[index] ?? { answered: 0, failed: 1 };
      while (!load.ends && outcome.failed === 0) {
        const answer = await view(connection).catch(() => "broken off");
        if (answer === "EFFECT_DENY") outcome.answered++;
        else outcome.failed++;
      }
    });
    process.kill(first, "SIGKILL");
    await eventually(
      () => server.workers(),
      (workers) => workers.length === 2 && !workers.includes(first),
    );
    await eventually(
      () => server.logged().map((line) => line["message"]),
      (said) => said.some((message) => /^worker \d serves again$/.test(String(message))),
    );
    load.ends = true;
    await Promise.all(asking);
    const [told] = server.logged().filter((line) => /^worker \d ended/.test(String(line["message"])));
    expect(told).toMatchObject({ "log.level": "error", "process.pid": first, message: expect.stringMatching(/\(signal SIGKILL\)/) });
    const dead = Number(/^worker (\d)/.exec(String(told?.["message"]))?.[1]);
    // A connection that was just idle is opened anew by its client, which then sees nothing.
    const unharmed = outcomes.filter((_, index) => owners[index] !== dead);
    expect(unharmed.filter(({ answered, failed }) => failed > 0 || answered === 0)).toEqual([]);
    expect([isAlive(first), server.workers().includes(second)]).toEqual([false, true]);
    for (let count = 0; count < 3; count++) expect(await viewedByNew(server)).toEqual(new Set(["EFFECT_DENY"]));

    // It follows changes like the others.
    writeFileSync(join(folder, "expense.yaml"), expensePolicy);
    await eventually(
      () => viewedByNew(server),
      (answers) => answers.size === 1 && answers.has("EFFECT_ALLOW"),
    );
    expect([await metric(server, "authz_dev_workers"), await metric(server, "authz_dev_workers_lost_count")]).toEqual([2, 1]);
    expect((await server.stop()).code).toBe(0);
  });

  test("is replaced as soon as a process can be started again, where the first one has as many files open as it may", async () => {
    const server = await started(temporaryFolder({ "expense.yaml": expensePolicy }));
    const [first = 0] = server.workers();
    const primary = server.run.process.pid ?? 0;
    const limit = (files: number): void => void execFileSync("prlimit", ["--pid", `${primary}`, `--nofile=${files}:`]);
    limit(readdirSync(`/proc/${primary}/fd`).length - 5); // those of the one that is killed are free then
    process.kill(first, "SIGKILL");
    await eventually(
      () => saidBy(server).filter((message) => message.startsWith("worker 1 could not be started: the next attempt is in")).length,
      (failures) => failures > 1,
    );
    const connection = connectTo(server.http);
    onTestFinished(connection.close);
    expect(await view(connection)).toBe("EFFECT_ALLOW");
    limit(1000);
    await eventually(
      () => saidBy(server),
      (said) => said.includes("worker 1 serves again"),
    );
    expect((await server.stop()).code).toBe(0);
  });

  test("is replaced where nothing is compiled any more, and what it had counted when it was asked still counts", async () => {
    const port = await freePort();
    const server = await started(temporaryFolder({ "expense.yaml": expensePolicy }), {
      settings: { "storage.disk.watchForChanges": false, "server.httpListenAddr": `127.0.0.1:${port}` },
    });
    for (let count = 0; count < 5; count++) await viewedByNew(server);
    const decided = "authz_dev_engine_check_batch_size_count";
    expect(await metric(server, decided)).toBe(20);
    for (const pid of server.workers()) process.kill(pid, "SIGKILL");
    await eventually(
      () => viewedByNew(server),
      (answers) => answers.size === 1 && answers.has("EFFECT_ALLOW"),
    );
    await eventually(
      () => metric(server, "authz_dev_workers"),
      (workers) => workers === 2,
    );
    expect(await metric(server, "authz_dev_workers_lost_count")).toBe(2);
    expect(await metric(server, decided)).toBeGreaterThanOrEqual(24);
    expect((await server.stop()).code).toBe(0);
  });
});

describe("workers that die as soon as they serve", () => {
  test("are replaced where no file was read, and nobody follows the files yet", async () => {
    const folder = temporaryFolder({ "expense.yaml": expensePolicy });
    const settings = {
      "compile.cacheDir": join(temporaryFolder({}), "cache"),
      "compile.cacheTrust": "stamps",
      "storage.disk.watchForChanges": true,
      "server.httpListenAddr": `127.0.0.1:${await freePort()}`,
    };
    await sleep(2100); // files that are younger are read
    await (await started(folder, { settings })).stop();
    const server = await started(folder, { settings });
    for (const pid of server.workers()) process.kill(pid, "SIGKILL");
    await eventually(
      () => server.logged().filter((line) => String(line["message"]).endsWith("serves again")),
      (again) => again.length === 2,
    );
    await eventually(
      () => viewedByNew(server),
      (answers) => answers.size === 1 && answers.has("EFFECT_ALLOW"),
    );
    expect((await server.stop()).code).toBe(0);
  });
});

describe("a worker that does not last", () => {
  const pausesIn = (server: WorkerServer): readonly string[] =>
    saidBy(server).flatMap((message) => /^worker \d (?:ended|could not be started).* (at once|in [\d.]+ s)$/.exec(message)?.[1] ?? []);

  test("is replaced after longer and longer pauses, while the other answers", async () => {
    const server = await started(temporaryFolder({ "expense.yaml": expensePolicy }));
    let [victim = 0] = server.workers();
    for (let count = 1; count <= 5; count++) {
      process.kill(victim, "SIGKILL");
      const back = await eventually(
        () => server.logged().filter((line) => String(line["message"]).endsWith("serves again")),
        (lines) => lines.length === count,
      );
      expect(await viewedByNew(server)).toEqual(new Set(["EFFECT_ALLOW"]));
      victim = Number(back.at(-1)?.["process.pid"]);
    }
    expect(pausesIn(server)).toEqual(["at once", "in 0.1 s", "in 0.2 s", "in 0.4 s", "in 0.8 s"]);
    expect((await server.stop()).code).toBe(0);
  });

  test("or cannot even be started is tried again, for as long as another serves", async () => {
    const { folder, environment } = collector();
    const server = await started(join(folder, "policies"), { environment });
    const health = (): Promise<number> => fetch(`http://${server.http}/_authz/health`).then(({ status }) => status);
    rmSync(join(folder, "ca.crt"));
    process.kill(server.workers()[0] ?? 0, "SIGKILL");
    await eventually(
      () => pausesIn(server),
      (pauses) => pauses.length >= 5,
    );
    expect(pausesIn(server).slice(0, 5)).toEqual(["at once", "in 0.1 s", "in 0.2 s", "in 0.4 s", "in 0.8 s"]);
    expect(await Promise.all([health(), health(), health(), health()])).toEqual([200, 200, 200, 200]);
    writeFileSync(join(folder, "ca.crt"), authority);
    await eventually(
      () => saidBy(server),
      (said) => said.some((message) => message.endsWith("serves again")),
    );
    expect((await server.stop()).code).toBe(0);
  });
});

test("a server of which no worker can be started ends, and says why", async () => {
  const { folder, environment } = collector();
  const server = await started(join(folder, "policies"), { environment });
  rmSync(join(folder, "ca.crt"));
  for (const pid of server.workers()) process.kill(pid, "SIGKILL");
  const { code, stderr } = await server.run.exited;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /authz: error: no worker serves, and none can be started: OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE names the file `[^`]*`, which does not exist\n$/,
    ),
  ]);
});
