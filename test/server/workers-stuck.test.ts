/** Workers whose event loops stand still, or that have no room: they are noticed, and nobody waits for them for ever. */
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { enabled, right } from "./admin-harness.ts";
import { connectTo, isAlive, startWorkerServer, type WorkerServerOptions, type WorkerServer } from "./worker-server.ts";
import { checks, freePort, metric, ownerOf, saidBy, view, viewedByNew } from "./worker-requests.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { openRaw } from "./raw.ts";
import { closedPolicy, expensePolicy, request } from "./policies.ts";

/** A worker is given up after half a minute of silence. */
const patience = { timeout: 120_000 };

interface Started {
  readonly server: WorkerServer;
  readonly folder: string;
  /** The process of worker 1. */
  readonly first: number;
}

async function started(options: WorkerServerOptions = {}): Promise<Started> {
  const folder = temporaryFolder({ "expense.yaml": expensePolicy });
  const server = await startWorkerServer(folder, options);
  const processes = server.workers();
  onTestFinished(() => {
    for (const pid of processes.filter(isAlive)) process.kill(pid, "SIGKILL"); // who stands still sees nobody go
    server.kill("SIGKILL");
  });
  const [first = 0] = processes;
  return { server, folder, first };
}

/** Opens a connection and asks; resolves with what came of it. */
async function askAnew(server: WorkerServer): Promise<string | undefined> {
  const connection = connectTo(server.http);
  const answer = await view(connection).catch(() => "broken off");
  connection.close();
  return answer;
}

describe("a worker that stands still", () => {
  test("is replaced, while the others answer all that they are asked", patience, async () => {
    const { server, folder, first } = await started({ settings: { "storage.disk.watchForChanges": true } });
    const standing = Array.from({ length: 6 }, () => connectTo(server.http));
    onTestFinished(() => standing.forEach(({ close }) => close()));
    const owners = await Promise.all(standing.map((connection) => ownerOf(server, connection)));
    expect(new Set(owners)).toEqual(new Set([1, 2]));

    process.kill(first, "SIGSTOP");
    const [left = [], right = []] = [1, 2].map((owner) => standing.filter((_, index) => owners[index] === owner));
    const waiting = left.map((connection) => view(connection).catch(() => "broken off"));
    const load = { ends: false };
    const answers = right.map(async (connection) => {
      const found = new Set<string | undefined>();
      while (!load.ends) {
        found.add(await view(connection).catch(() => "broken off"));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return found;
    });
    // All but the few that were handed to it are answered at once, by the other.
    const fresh = Array.from({ length: 20 }, () => askAnew(server));
    writeFileSync(join(folder, "expense.yaml"), closedPolicy);
    await eventually(
      () => Promise.all(right.map(view)),
      (views) => views.every((effect) => effect === "EFFECT_DENY"),
    );

    await eventually(
      () => saidBy(server),
      (said) => said.includes("worker 1 serves again"),
      60_000,
    );
    load.ends = true;
    expect(await Promise.all(waiting)).toEqual(left.map(() => "broken off"));
    expect(await Promise.all(answers)).toEqual(right.map(() => new Set(["EFFECT_ALLOW", "EFFECT_DENY"])));
    const outcomes = await Promise.all(fresh);
    const answered = outcomes.filter((outcome) => outcome === "EFFECT_ALLOW" || outcome === "EFFECT_DENY");
    expect(answered.length).toBeGreaterThanOrEqual(outcomes.length - 1);

    const told = server.logged().filter((line) => line["log.level"] === "error");
    expect(told).toMatchObject([
      { "process.pid": first, message: "worker 1 has not answered for 30 s, as if stuck in a loop or stopped: it is killed" },
      { "process.pid": first, message: "worker 1 ended (signal SIGKILL): it is replaced at once" },
    ]);
    expect(await viewedByNew(server)).toEqual(new Set(["EFFECT_DENY"]));
    expect([await metric(server, "authz_dev_workers"), await metric(server, "authz_dev_workers_lost_count")]).toEqual([2, 1]);
    expect((await server.stop()).code).toBe(0);
  });

  test("keeps nobody waiting who lists audit entries, and those of the others are there", patience, async () => {
    const audit = { "audit.enabled": true, "audit.backend": "local", "audit.local.storagePath": temporaryFolder({}) };
    const { server, first } = await started({ settings: { ...enabled, ...audit } });
    const standing = Array.from({ length: 4 }, () => connectTo(server.http));
    onTestFinished(() => standing.forEach(({ close }) => close()));
    const owners = await Promise.all(standing.map((connection) => ownerOf(server, connection)));
    const asking = standing[owners.indexOf(2)] ?? expect.fail("worker 2 has a connection");

    process.kill(first, "SIGSTOP");
    const { authzCallId }: { readonly authzCallId: string } = JSON.parse((await asking.ask(checks, request)).text);
    const began = performance.now();
    const list = await asking.ask("/admin/auditlog/list/KIND_DECISION?tail=1", undefined, { authorization: right });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect([list.status, list.text]).toEqual([200, expect.stringContaining(`"callId":"${authzCallId}"`)]);
    process.kill(first, "SIGCONT");
    expect((await server.stop()).code).toBe(0);
  });

  test("does not keep the server from ending", patience, async () => {
    const { server, first } = await started({ settings: { "server.shutdownTimeout": "1s" } });
    process.kill(first, "SIGSTOP");
    expect((await server.stop()).code).toBe(0);
    expect(saidBy(server)).toContain("worker 1 did not stop within 6 s: it is killed");
    expect(isAlive(first)).toBe(false);
  });
});

/** Fails where Node has other words for what `src/workers/in-flight.ts` listens to: then a connection would stay open, and wait, for ever. */
test.each(["HTTP", "a socket file"])("a connection over %s on its way to a worker that dies is closed", async (place) => {
  const at = place === "HTTP" ? `127.0.0.1:${await freePort()}` : `unix:${join(temporaryFolder({}), "http.sock")}`;
  const { server, first } = await started({ settings: { "server.httpListenAddr": at } });
  process.kill(first, "SIGSTOP");
  const outcomes: (string | undefined)[] = [];
  const fresh = Array.from({ length: 6 }, () => askAnew(server).then((answer) => outcomes.push(answer)));
  await eventually(
    () => outcomes.length,
    (count) => count === fresh.length - 1,
  );
  expect(new Set(outcomes)).toEqual(new Set(["EFFECT_ALLOW"]));
  process.kill(first, "SIGKILL");
  await eventually(
    () => outcomes.length,
    (count) => count === fresh.length,
  );
  expect(outcomes.at(-1)).toBe("broken off");
  expect((await server.stop()).code).toBe(0);
});

/** Fails where Node has other words for it, as above: then a worker that was full once would never be handed a connection again. */
test("workers with as many files open as they may close who comes, and take connections again when others have gone", async () => {
  const { server } = await started();
  const room = 10;
  for (const pid of server.workers())
    execFileSync("prlimit", ["--pid", `${pid}`, `--nofile=${readdirSync(`/proc/${pid}/fd`).length + room}`]);
  let turnedAway = 0;
  const crowd = await Promise.all(Array.from({ length: 6 * room }, () => openRaw(server.http)));
  for (const { closed } of crowd) void closed.then(() => turnedAway++);
  await eventually(
    () => turnedAway,
    (count) => count >= 3 * room,
  );
  for (const { socket } of crowd) socket.destroy();
  await eventually(
    () => viewedByNew(server),
    (views) => views.size === 1 && views.has("EFFECT_ALLOW"),
  );
  expect((await server.stop()).code).toBe(0);
});
