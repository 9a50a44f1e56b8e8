/** Sets of policies on their way to several workers: from whatever store, at whatever moment, nobody is left behind. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildBundle, makeKeys, startBundleServer } from "../bundle/server.ts";
import { startGitServer } from "../git/server.ts";
import { enabled, right } from "./admin-harness.ts";
import { connectTo, startWorkerServer, type Connection, type WorkerServerOptions, type WorkerServer } from "./worker-server.ts";
import { ownerOf, saidBy, view, viewedByNew } from "./worker-requests.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { closedPolicy, expensePolicy } from "./policies.ts";

type Settings = NonNullable<WorkerServerOptions["settings"]>;

/** Where policies come from, with the open policy in it at first. */
interface Origin {
  readonly settings: Settings;
  readonly publish: (policy: string) => unknown;
}

const origins: readonly (readonly [name: string, open: () => Origin | Promise<Origin>])[] = [
  [
    "a folder",
    () => {
      const folder = temporaryFolder({ "expense.yaml": expensePolicy });
      return {
        settings: { "storage.disk.directory": folder, "storage.disk.watchForChanges": true },
        publish: (policy) => writeFileSync(join(folder, "expense.yaml"), policy),
      };
    },
  ],
  [
    "a git repository",
    async () => {
      const git = await startGitServer({ files: { "expense.yaml": expensePolicy } });
      onTestFinished(git.close);
      return {
        settings: {
          "storage.driver": "git",
          "storage.git.protocol": "http",
          "storage.git.url": git.url,
          "storage.git.https.username": git.username,
          "storage.git.https.password": git.password,
          "storage.git.checkoutDir": mkdtempSync(join(tmpdir(), "authz-copy-")),
          "storage.git.updatePollInterval": "50ms",
        },
        publish: (policy) => git.commit({ "expense.yaml": policy }),
      };
    },
  ],
  [
    "a bundle at an address",
    async () => {
      const [keys, remote] = [makeKeys(), await startBundleServer()];
      onTestFinished(remote.close);
      const publish = (policy: string): void => remote.publish(buildBundle({ "expense.yaml": policy }, keys));
      publish(expensePolicy);
      return {
        settings: {
          "storage.driver": "bundle",
          "storage.bundle.url": remote.url,
          "storage.bundle.caCert": remote.caCert,
          "storage.bundle.publicKeys": keys.publicKeyFile,
          "storage.bundle.cacheDir": temporaryFolder({}),
          "storage.bundle.updatePollInterval": "50ms",
        },
        publish,
      };
    },
  ],
];

async function started(settings: Settings, environment: WorkerServerOptions["environment"] = {}): Promise<WorkerServer> {
  const server = await startWorkerServer(temporaryFolder({}), { settings, environment });
  onTestFinished(() => server.kill("SIGKILL"));
  return server;
}

/** Connections of which each worker has some. */
async function connectionsTo(server: WorkerServer): Promise<readonly Connection[]> {
  const all = Array.from({ length: 6 }, () => connectTo(server.http));
  onTestFinished(() => all.forEach(({ close }) => close()));
  expect(new Set(await Promise.all(all.map((connection) => ownerOf(server, connection))))).toEqual(new Set([1, 2]));
  return all;
}

test.each(origins)("a change in %s is in force in every worker, and over one connection for good", async (_name, open) => {
  const { settings, publish } = await open();
  const server = await started(settings);
  const all = await connectionsTo(server);
  let last = "EFFECT_ALLOW";
  expect(new Set(await Promise.all(all.map(view)))).toEqual(new Set([last]));
  for (const [policy, effect] of [
    [closedPolicy, "EFFECT_DENY"],
    [expensePolicy, "EFFECT_ALLOW"],
  ] as const) {
    await publish(policy);
    for (const connection of all) {
      const answers: (string | undefined)[] = [];
      await eventually(
        async () => answers[answers.push(await view(connection)) - 1],
        (answer) => answer === effect,
      );
      for (let count = 0; count < 3; count++) answers.push(await view(connection));
      const before = answers.indexOf(effect);
      expect(answers).toEqual([...answers.slice(0, before).map(() => last), ...answers.slice(before).map(() => effect)]);
    }
    expect(await viewedByNew(server)).toEqual(new Set([effect]));
    last = effect;
  }
  expect((await server.stop()).code).toBe(0);
});

/** A policy of users that view expenses, as administrators send it. */
const policyThat = (effect: string): object => ({
  apiVersion: "api.authz.dev/v1",
  resourcePolicy: { resource: "expense", version: "default", rules: [{ actions: ["view"], effect, roles: ["user"] }] },
});

test("who takes a place while the policies do not compile has the schemas in force, as all others keep them", async () => {
  const folder = temporaryFolder({
    "expense.yaml": `${expensePolicy}  schemas:\n    resourceSchema: { ref: "authz:///expense.json" }\n`,
    "_schemas/expense.json": JSON.stringify({ type: "object" }),
  });
  const settings = {
    "storage.disk.directory": folder,
    "storage.disk.watchForChanges": true,
    "compile.cacheDir": join(temporaryFolder({}), "cache"),
    "schema.enforcement": "reject",
  };
  await sleep(2100); // files that are younger have no stamps
  await (await started(settings)).stop();
  const server = await started(settings);
  expect(await viewedByNew(server)).toEqual(new Set(["EFFECT_ALLOW"]));
  writeFileSync(join(folder, "broken.yaml"), "apiVersion: [");
  await eventually(
    () => saidBy(server),
    (said) => said.some((message) => message.endsWith("the last good set keeps answering")),
  );
  process.kill(server.workers()[0] ?? 0, "SIGKILL");
  await eventually(
    () => saidBy(server),
    (said) => said.includes("worker 1 serves again"),
  );
  expect(await viewedByNew(server)).toEqual(new Set(["EFFECT_ALLOW"]));
  expect((await server.stop()).code).toBe(0);
});

describe("once an administrator is answered, nobody decides by what was before, though a worker is replaced meanwhile", () => {
  const places: readonly (readonly [name: string, settings: () => Settings])[] = [
    ["a folder", () => ({ "storage.disk.directory": temporaryFolder({}) })],
    ["a database", () => ({ "storage.driver": "sqlite", "storage.sqlite.path": join(temporaryFolder({}), "policies.db") })],
  ];
  test.each(places)("%s", { timeout: 120_000 }, async (_name, place) => {
    const server = await started({ ...enabled, "schema.enforcement": "none", ...place() });
    const admin = connectTo(server.http);
    onTestFinished(admin.close);
    /** All that was ever asked for, and how many of these were confirmed. */
    const begun: string[] = [];
    let confirmed = 0;
    const put = async (effect: string): Promise<void> => {
      begun.push(effect);
      const { status, text } = await admin.ask("/admin/policy", { policies: [policyThat(effect)] }, { authorization: right });
      expect([status, text]).toEqual([200, expect.stringContaining("success")]);
      confirmed = begun.length;
    };
    await put("EFFECT_ALLOW");
    const all = await connectionsTo(server);
    const load = { ends: false };
    const late: string[] = [];
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
    const ask = async (connection: Connection): Promise<void> => {
      const known = confirmed;
      const effect = await view(connection).catch(() => "broken off");
      if (effect !== "broken off" && !begun.slice(known - 1).includes(String(effect))) late.push(`${effect} after ${known} confirmed`);
    };
    const standing = all.map(async (connection) => {
      while (!load.ends) {
        await ask(connection);
        await pause();
      }
    });
    const fresh = [1, 2].map(async () => {
      while (!load.ends) {
        const connection = connectTo(server.http);
        await ask(connection);
        connection.close();
        await pause();
      }
    });
    const other = (await ownerOf(server, admin)) === 1 ? 1 : 0;
    for (let count = 0; count < 12; count++) {
      if (count === 4) process.kill(server.workers()[other] ?? 0, "SIGKILL");
      await put(count % 2 === 0 ? "EFFECT_DENY" : "EFFECT_ALLOW");
      // The very next that anybody is asked.
      expect(new Set(await Promise.all(Array.from({ length: 4 }, () => askOnce(server))))).toEqual(new Set([begun.at(-1)]));
    }
    // Its calls fill the log, which is not parsed each time.
    await eventually(
      () => Object.values(server.run.output()).some((said) => said.includes('serves again"')),
      (serves) => serves,
      50_000,
    );
    for (let count = 0; count < 3; count++) expect(await viewedByNew(server)).toEqual(new Set([begun.at(-1)]));
    load.ends = true;
    await Promise.all([...standing, ...fresh]);
    expect(late).toEqual([]);
    expect((await server.stop()).code).toBe(0);
  });
});

async function askOnce(server: WorkerServer): Promise<string | undefined> {
  const connection = connectTo(server.http);
  const effect = await view(connection);
  connection.close();
  return effect;
}
