/** A server of several processes: it answers as one does, counts and records as one does, and ends as one does. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readExposition, type Exposition } from "../src/exposition.ts";
import { enabled, policy, right } from "./admin-harness.ts";
import {
  argvOf,
  childrenOf,
  connectTo,
  isAlive,
  startWorkerServer,
  type Connection,
  type WorkerServerOptions,
  type WorkerServer,
} from "./worker-server.ts";
import { checks, workerOf } from "./worker-requests.ts";
import { tryDrain } from "./drain-try.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { brokenPolicy, expensePolicy, request } from "./policies.ts";
import { main, runProgram } from "./process.ts";
import { fromClient, openClient, toClient } from "./stock-client.ts";

const allowing = expensePolicy;
/** Both actions turned around: an answer that mixes the two sets allows one and denies the other. */
const denying = expensePolicy.replaceAll("EFFECT_ALLOW", "EFFECT_DENY");

const folderOf = (policyText = allowing): string => temporaryFolder({ "expense.yaml": policyText });

async function started(directory: string, options?: WorkerServerOptions): Promise<WorkerServer> {
  const server = await startWorkerServer(directory, options);
  onTestFinished(() => server.kill("SIGKILL"));
  return server;
}

/** Opens so many connections, which the workers share out among themselves. */
function connections(server: WorkerServer, count: number): readonly Connection[] {
  const opened = Array.from({ length: count }, () => connectTo(server.http));
  onTestFinished(() => opened.forEach(({ close }) => close()));
  return opened;
}

interface Decided {
  readonly authzCallId: string;
  readonly results: readonly [{ readonly actions: { readonly [action: string]: string } }];
}

/** Asks for two actions that one rule each decides. */
async function decide(connection: Connection): Promise<{ readonly callId: string; readonly effects: string }> {
  const { status, text } = await connection.ask(checks, request);
  expect(status, text).toBe(200);
  const { authzCallId, results }: Decided = JSON.parse(text);
  const { view, approve } = results[0].actions;
  return { callId: authzCallId, effects: `${view} ${approve}` };
}
const allowed = "EFFECT_ALLOW EFFECT_ALLOW";
const denied = "EFFECT_DENY EFFECT_DENY";

const metricsOf = async (connection: Connection): Promise<Exposition> => readExposition((await connection.ask("/_authz/metrics")).text);

describe("two workers", () => {
  test("answer alike, over HTTP and gRPC", async () => {
    const server = await started(folderOf());
    const decisions = await Promise.all(connections(server, 6).map(decide));
    expect(new Set(decisions.map(({ effects }) => effects))).toEqual(new Set([allowed]));
    const workers = await Promise.all(decisions.map(({ callId }) => workerOf(server, callId)));
    expect(new Set(workers)).toEqual(new Set([1, 2]));

    const callers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
        // Clients of one process share what they can: a connection of its own is asked for.
        const { code, reply } = await client.call("checkResources", toClient(request));
        client.close();
        const body = fromClient(reply);
        expect([code, body.results[0].actions]).toEqual([0, { view: "EFFECT_ALLOW", approve: "EFFECT_ALLOW", delete: "EFFECT_DENY" }]);
        return workerOf(server, body.authzCallId);
      }),
    );
    expect(callers.every((worker) => worker === 1 || worker === 2)).toBe(true);
    expect(await server.stop()).toMatchObject({ code: 0, stderr: "" });
  });

  test("say once where they serve, and are one process to whoever stops them", async () => {
    const server = await started(folderOf());
    const processes = server.workers();
    expect(processes).toHaveLength(2);
    // A terminal tells every process of a group.
    for (const pid of processes) process.kill(pid, "SIGINT");
    server.kill("SIGINT");
    const { code, stderr } = await server.run.exited;
    const said = server.logged().map((line) => String(line["message"]));
    const times = (begin: string): number => said.filter((message) => message.startsWith(begin)).length;
    expect([code, stderr, times("HTTP is served at"), times("policies loaded from"), times("shutting down")]).toEqual([0, "", 1, 1, 1]);
    expect(said.at(-1)).toBe("shutdown complete");
    expect(processes.filter(isAlive)).toEqual([]);
  });

  test("end at once at a second signal", async () => {
    const server = await started(folderOf());
    const processes = server.workers();
    const begun = connections(server, 1)[0]?.ask("/_authz/health");
    await begun;
    // A call that never ends keeps both from ending by themselves.
    const client = openClient(server.grpc, "grpc.health.v1.Health");
    onTestFinished(client.close);
    const [host = "", port] = server.http.split(":");
    const { connect } = await import("node:net");
    const half = connect(Number(port), host);
    half.on("error", () => undefined);
    half.write(`POST ${checks} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.kill("SIGTERM");
    await eventually(
      () => server.logged().map((line) => line["message"]),
      (said) => said.includes("shutting down"),
    );
    server.kill("SIGTERM");
    expect((await server.run.exited).code).toBe(1);
    await eventually(
      () => processes.filter(isAlive),
      (alive) => alive.length === 0,
    );
    half.destroy();
  });

  test("serve at socket files", async () => {
    const folder = folderOf();
    const [http, grpc] = [join(folder, "h.sock"), join(folder, "g.sock")];
    const settings = { "server.httpListenAddr": `unix:${http}`, "server.grpcListenAddr": `unix:${grpc}` };
    const server = await started(folder, { settings });
    const clients = Array.from({ length: 4 }, () => openClient(`unix:${grpc}`, "grpc.health.v1.Health"));
    for (const client of clients) expect((await client.call("check", {})).reply).toEqual({ status: "SERVING" });
    for (const client of clients) client.close();
    const second = await runProgram(argvOf(folder, { settings }));
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("is in use by another process")]);
    expect((await server.stop()).code).toBe(0);
  });

  test("log at debug level, all of them, for as long as the primary does", async () => {
    const server = await started(folderOf(), { environment: { AUTHZ_TEMP_LOG_LEVEL_DURATION: "2s" } });
    server.kill("SIGUSR1");
    const both = connections(server, 6);
    const debugging = async (): Promise<ReadonlySet<unknown>> => {
      await Promise.all(both.map(decide));
      return new Set(server.logged().flatMap((line) => (line["log.level"] === "debug" ? [line["authz.worker"]] : [])));
    };
    await eventually(debugging, (workers) => workers.has(1) && workers.has(2));
    await eventually(
      () => server.logged().map((line) => line["message"]),
      (said) => said.includes("the log level is info again"),
    );
    await eventually(
      async () => {
        const before = server.logged().length;
        await Promise.all(both.map(decide));
        return server.logged().slice(before);
      },
      (lines) => lines.length > 0 && lines.every((line) => line["log.level"] === "info"),
    );
    expect((await server.stop()).code).toBe(0);
  });
});

describe("a start that is refused is refused as by one process:", () => {
  const cases: readonly (readonly [
    sentence: string,
    text: string,
    settings: NonNullable<WorkerServerOptions["settings"]>,
    says: RegExp,
  ])[] = [
    [
      "policies that do not compile",
      brokenPolicy,
      {},
      /^authz: error: expense\.yaml:\d+:\d+: error [\s\S]*the policies do not compile: 1 error\n$/,
    ],
    [
      "a certificate that is not there",
      allowing,
      { "server.tls.cert": "/nowhere.crt", "server.tls.key": "/nowhere.key" },
      /^authz: error: the certificate file `\/nowhere\.crt` does not exist \(setting server\.tls\.cert\)\n$/,
    ],
    [
      "an audit file that cannot be opened",
      allowing,
      { "audit.enabled": true, "audit.file.path": "/nowhere/audit.log" },
      /^authz: error: the audit file \/nowhere\/audit\.log cannot be opened [^\n]*\n$/,
    ],
    [
      "a socket in a folder that is missing",
      allowing,
      { "server.httpListenAddr": "unix:/nowhere/a.sock" },
      /^authz: error: the HTTP address `unix:\/nowhere\/a\.sock` is in a folder that does not exist [^\n]*\n$/,
    ],
  ];
  test.each(cases)("%s", async (_sentence, text, settings, says) => {
    const { code, stderr } = await runProgram(argvOf(folderOf(text), { settings }));
    expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
  });

  test("but for a pipe in the place of a TLS file, which one process alone can read", async () => {
    const pipe = join(folderOf(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const { code, stderr } = await runProgram(argvOf(folderOf(), { settings: { "server.tls.cert": pipe, "server.tls.key": pipe } }));
    expect([code, stderr]).toEqual([
      1,
      `authz: error: the certificate file \`${pipe}\` is not a regular file: each worker reads it, so put it into one, or set server.workers to 1 (setting server.tls.cert)\n`,
    ]);
  });

  test.each(["HTTP", "gRPC"])("the %s port is in use", async (name) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const setting = `server.${name.toLowerCase()}ListenAddr`;
    const { code, stderr } = await runProgram(argvOf(folderOf(), { settings: { [setting]: `127.0.0.1:${port}` } }));
    expect([code, stderr]).toEqual([
      1,
      `authz: error: the ${name} address \`127.0.0.1:${port}\` is in use by another process (setting ${setting})\n`,
    ]);
  });
});

describe("a change of the policies", () => {
  test("reaches every worker, and no answer is a mix of before and after", async () => {
    const folder = folderOf();
    const server = await started(folder, { settings: { "storage.disk.watchForChanges": true } });
    const all = connections(server, 6);
    let last = allowed;
    for (const [text, effects] of [
      [denying, denied],
      [allowing, allowed],
      [denying, denied],
    ] as const) {
      writeFileSync(join(folder, "expense.yaml"), text);
      const seen = await Promise.all(
        all.map(async (connection) => {
          const answers: string[] = [];
          await eventually(
            async () => {
              answers.push((await decide(connection)).effects);
              return answers.at(-1);
            },
            (answer) => answer === effects,
          );
          return answers;
        }),
      );
      // Over one connection the new set is followed by the new set alone.
      const wanted = seen.map((answers) => [...answers.slice(0, -1).map(() => last), effects]);
      expect(seen).toEqual(wanted);
      last = effects;
    }
    expect((await server.stop()).code).toBe(0);
  });

  test("by an administrator is in force everywhere when it is answered, whoever is asked", async () => {
    const server = await started(folderOf(), { settings: { ...enabled, "schema.enforcement": "none" } });
    const all = connections(server, 6);
    const authorization = { authorization: right };
    for (const [index, asked] of all.entries()) {
      const kind = `kind${index}`;
      const put = await asked.ask("/admin/policy", { policies: [policy(kind)] }, authorization);
      expect([put.status, put.text]).toEqual([200, expect.stringContaining("success")]);
      const check = { ...request, resources: [{ actions: ["view"], resource: { kind, id: "1" } }] };
      const answers = await Promise.all(all.map((connection) => connection.ask(checks, check)));
      expect(answers.map(({ text }) => /EFFECT_\w+/.exec(text)?.[0])).toEqual(all.map(() => "EFFECT_ALLOW"));
      const lists = await Promise.all(all.map((connection) => connection.ask("/admin/policies", undefined, authorization)));
      expect(lists.every(({ text }) => text.includes(kind))).toBe(true);
    }
    expect((await server.stop()).code).toBe(0);
  });

  test("failed logins count together, whoever is asked", async () => {
    const server = await started(folderOf(), { settings: enabled });
    const all = connections(server, 4);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) {
      const wrong = { authorization: `Basic ${Buffer.from("authz:wrong").toString("base64")}` };
      statuses.push((await all[count % all.length]?.ask("/admin/policies", undefined, wrong))?.status ?? 0);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    expect((await server.stop()).code).toBe(0);
  });
});

describe("metrics", () => {
  test("are those of all, whoever is asked", async () => {
    const server = await started(folderOf());
    const all = connections(server, 6);
    for (let count = 0; count < 5; count++) await Promise.all(all.map(decide));
    for (const connection of all) {
      const metrics = await metricsOf(connection);
      expect([
        metrics.value("authz_dev_engine_check_latency_count", { status: "success" }),
        metrics.value("authz_dev_engine_check_batch_size_count"),
        metrics.value("authz_dev_index_entry_count"),
        metrics.value("authz_dev_workers"),
        metrics.value("authz_dev_workers_lost_count"),
      ]).toEqual([30, 30, 1, 2, 0]);
      const calls = { http_request_method: "POST", http_response_status_code: "200" };
      expect(metrics.value("http_server_request_duration_seconds_count", calls)).toBe(30);
    }
    expect((await server.stop()).code).toBe(0);
  });
});

describe("audit entries", () => {
  /** Long enough for a pipe to tear, were there two writers. */
  const long = { ...request, principal: { ...request.principal, attr: { text: "x".repeat(5000) } } };
  const record = async (all: readonly Connection[]): Promise<readonly string[]> => {
    const ids = all.map(async (connection) => {
      const found: string[] = [];
      for (let count = 0; count < 20; count++) {
        const answer: Decided = JSON.parse((await connection.ask(checks, long)).text);
        found.push(answer.authzCallId);
      }
      return found;
    });
    return (await Promise.all(ids)).flat();
  };
  const idsOf = (text: string, kind: string): readonly string[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line): { readonly "log.kind"?: string; readonly callId?: string } => JSON.parse(line))
      .filter((line) => line["log.kind"] === kind)
      .map((line) => line.callId ?? "");

  test.each(["a file", "standard output, beside the log"])("of all workers go whole and once to %s", async (place) => {
    const path = place === "a file" ? join(temporaryFolder({}), "audit.log") : "stdout";
    const settings = { "audit.enabled": true, "audit.file.path": path, "audit.file.logRotation.maxFileSizeMB": 0 };
    const server = await started(folderOf(), { settings });
    const ids = (await record(connections(server, 8))).toSorted();
    const { code, stdout } = await server.stop();
    const text = path === "stdout" ? stdout : readFileSync(path, "utf8");
    expect([code, idsOf(text, "decision").toSorted(), idsOf(text, "access").toSorted()]).toEqual([0, ids, ids]);
  });

  test("in the database are found by whoever is asked, at once", async () => {
    const storage = join(temporaryFolder({}), "audit");
    mkdirSync(storage);
    const settings = { ...enabled, "audit.enabled": true, "audit.backend": "local", "audit.local.storagePath": storage };
    const server = await started(folderOf(), { settings });
    const all = connections(server, 6);
    const ids = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => (await decide(all[index % 6] ?? connectTo(server.http))).callId),
    );
    for (const connection of all) {
      const { status, text } = await connection.ask("/admin/auditlog/list/KIND_DECISION?tail=1000", undefined, { authorization: right });
      const found = [...text.matchAll(/"callId":"(\w+)"/g)].map(([, id]) => id ?? "");
      expect([status, found.toSorted()]).toEqual([200, ids.toSorted()]);
    }
    expect((await server.stop()).code).toBe(0);
  });
});

test("a server that is stopped under load loses nothing", async () => {
  const { http, grpc, exitCode } = await tryDrain({ main, rate: 300, connections: 10, warmUp: 200, workers: 2 });
  expect([http.lost, grpc.lost, exitCode]).toEqual([[], [], 0]);
  expect([http.whole, grpc.whole]).toEqual([http.sent, grpc.sent]);
  expect(Math.min(http.sent, grpc.sent)).toBeGreaterThan(50);
});

test("without the process that started them workers do not stay", async () => {
  const server = await started(folderOf());
  const processes = childrenOf(server.run.process.pid ?? 0);
  expect(processes).toHaveLength(2);
  server.kill("SIGKILL");
  await server.run.exited;
  await eventually(
    () => processes.filter(isAlive),
    (alive) => alive.length === 0,
  );
});
