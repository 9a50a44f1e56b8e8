/** Workers that die: they are replaced, the others go on, and nothing that counts is forgotten. */
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readExposition } from "../src/exposition.ts";
import { makeAuthority } from "./certificates.ts";
import { connectTo, isAlive, startCrew, type Connection, type CrewOptions, type CrewServer } from "./crew.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { closedPolicy, expensePolicy, request } from "./policies.ts";

const checks = "/api/check/resources";

async function started(directory: string, options?: CrewOptions): Promise<CrewServer> {
  const server = await startCrew(directory, options);
  onTestFinished(() => server.kill("SIGKILL"));
  return server;
}

const view = async (connection: Connection): Promise<string | undefined> => {
  const { status, text } = await connection.ask(checks, request);
  return status === 200 ? /"view":"(\w+)"/.exec(text)?.[1] : `${status}`;
};

/** The worker that has taken a connection in, as the log of its calls says. */
async function ownerOf(server: CrewServer, connection: Connection): Promise<unknown> {
  const { authzCallId }: { readonly authzCallId: string } = JSON.parse((await connection.ask(checks, request)).text);
  const [line] = await eventually(
    () => server.logged().filter((one) => one["authz.call_id"] === authzCallId),
    (lines) => lines.length > 0,
  );
  return line?.["authz.worker"];
}

/** Asks over connections of its own until every one is taken in by a worker that decides so. */
const viewedByNew = async (server: CrewServer): Promise<ReadonlySet<string | undefined>> => {
  const fresh = Array.from({ length: 4 }, () => connectTo(server.http));
  const answers = await Promise.all(fresh.map((connection) => view(connection).catch(() => "refused")));
  for (const { close } of fresh) close();
  return new Set(answers);
};

/** A port that nobody listens at: after all workers have died, one that the system chooses is another one. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const metric = async (server: CrewServer, name: string): Promise<number> => {
  const connection = connectTo(server.http);
  const { text } = await connection.ask("/_authz/metrics");
  connection.close();
  return readExposition(text).value(name);
};

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

test("a server of which no worker can be started ends, and says why", async () => {
  const { certificate, key } = makeAuthority().issue({ names: ["localhost"] });
  const folder = temporaryFolder({ "policies/expense.yaml": expensePolicy, "s.crt": certificate, "s.key": key });
  const server = await started(join(folder, "policies"), {
    settings: { "server.tls.cert": join(folder, "s.crt"), "server.tls.key": join(folder, "s.key") },
  });
  rmSync(join(folder, "s.key"));
  for (const pid of server.workers()) process.kill(pid, "SIGKILL");
  const { code, stderr } = await server.run.exited;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /authz: error: no worker serves, and none can be started: the key file `[^`]*` does not exist \(setting server\.tls\.key\)\n$/,
    ),
  ]);
});
