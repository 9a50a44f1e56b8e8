/** Hundreds of policies change at once: each call is answered by one set, before and after, whatever happens meanwhile. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { enabled, right } from "./admin-harness.ts";
import { connectTo, startWorkerServer, type Connection } from "./worker-server.ts";
import { ownerOf, saidBy } from "./worker-requests.ts";
import { eventually, startServer, temporaryFolder } from "./harness.ts";

const kinds = Array.from({ length: 1000 }, (_, number) => `kind_${String(number).padStart(4, "0")}`);

/** The policy of a kind, in which a generation of users may view. */
const policyOf = (kind: string, generation: string): string =>
  `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${kind}\n  version: default\n  rules:\n    - actions: [view]\n      effect: EFFECT_ALLOW\n      roles: [${generation}]\n`;
const broken = "apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: [\n";

const filesOf = (generation: string): { readonly [path: string]: string } =>
  Object.fromEntries(kinds.map((kind) => [`${kind}.yaml`, policyOf(kind, generation)]));

/** Has all files of a folder say something else; nobody looks at them before they are asked to. */
function publish(folder: string, generation: string, others: { readonly [path: string]: string } = {}): void {
  for (const [path, text] of Object.entries({ ...filesOf(generation), ...others })) {
    writeFileSync(join(folder, `${path}.new`), text);
    renameSync(join(folder, `${path}.new`), join(folder, path));
  }
}

const settings = { ...enabled, "schema.enforcement": "none", "storage.disk.watchForChanges": false };
const reload = "/admin/store/reload?wait=true";

/** Fifty kinds from all over, asked for users of every generation. */
const asked = kinds.filter((_, number) => number % 20 === 0);
const generations = ["first", "second", "third"] as const;
const requestOf = (generation: string): object => ({
  principal: { id: "ann", roles: [generation] },
  resources: asked.map((kind) => ({ actions: ["view"], resource: { kind, id: "1" } })),
});

/** The generation that may view all of them; "mixed" where some of each may. */
async function inForce(ask: (generation: string) => Promise<string>): Promise<string> {
  for (;;) {
    const before = await ask("first");
    const counts = await Promise.all(generations.map(async (generation) => (await ask(generation)).split("EFFECT_ALLOW").length - 1));
    if (counts.some((count) => count !== 0 && count !== asked.length)) return "mixed";
    const found = generations.filter((_, at) => counts[at] === asked.length);
    // Another set came in force between two calls: they are asked once more.
    if (found.length === 1 && before === (await ask("first"))) return found.join();
  }
}

/** Asks until it is told to stop, and returns what was in force, one after the other. */
function watch(ask: (generation: string) => Promise<string>): () => Promise<readonly string[]> {
  const seen: string[] = [];
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    const is = await inForce(ask);
    if (seen.at(-1) !== is) seen.push(is);
    if (!stopping.signal.aborted) await look();
  };
  const watching = look();
  return async () => {
    stopping.abort();
    await watching;
    return seen;
  };
}

describe("a server that is asked meanwhile", () => {
  interface Row {
    readonly sentence: string;
    /** What the folder is made to hold, each followed by a reload; these are not waited for before the next. */
    readonly published: readonly (readonly [generation: string, others?: { readonly [path: string]: string }])[];
    readonly statuses: readonly number[];
    readonly seen: readonly (readonly string[])[];
  }
  const rows: readonly Row[] = [
    { sentence: "answers by the old set, then by the new one", published: [["second"]], statuses: [200], seen: [["first", "second"]] },
    {
      sentence: "goes on by the old set where one file of them is broken",
      published: [["second", { "kind_0500.yaml": broken }]],
      statuses: [500],
      seen: [["first"]],
    },
    {
      sentence: "ends with the last of two changes that follow each other closely",
      published: [["second"], ["third"]],
      statuses: [200, 200],
      // The first reload may find what the second publishes.
      seen: [
        ["first", "second", "third"],
        ["first", "third"],
      ],
    },
    {
      sentence: "comes back to what was",
      published: [["second"], ["first"]],
      statuses: [200, 200],
      seen: [["first", "second", "first"], ["first"]],
    },
  ];
  test.each(rows)("$sentence", { timeout: 120_000 }, async ({ published, statuses, seen }) => {
    const server = await startServer({ policies: filesOf("first"), settings });
    onTestFinished(server.stop);
    const ask = async (generation: string): Promise<string> =>
      (await server.post("/api/check/resources", requestOf(generation))).text.replace(/"authzCallId":"\w+"/, "");
    const seenBy = watch(ask);
    const reloads = [];
    for (const [generation, others] of published) {
      publish(server.directory, generation, others);
      reloads.push(server.get(reload, { headers: { authorization: right } }));
    }
    const answers = await Promise.all(reloads);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    // Once a reload is answered, nothing is decided by what was before.
    expect(await inForce(ask)).toBe(seen[0]?.at(-1));
    expect(seen).toContainEqual(await seenBy());
  });

  test("and is told to stop ends cleanly, with what it was asked for in force", { timeout: 120_000 }, async () => {
    const server = await startServer({ policies: filesOf("first"), settings });
    publish(server.directory, "second");
    const reloading = server.get(reload, { headers: { authorization: right } });
    await server.get("/_authz/health");
    await server.stop();
    expect((await reloading).status).toBe(200);
    expect(server.logged().filter((line) => line["log.level"] === "error")).toEqual([]);
    expect(server.logged().at(-1)).toMatchObject({ message: "shutdown complete" });
  });
});

describe("several workers", () => {
  test("all answer by one set or the other, also where one is replaced meanwhile", { timeout: 120_000 }, async () => {
    const folder = temporaryFolder(filesOf("first"));
    const server = await startWorkerServer(folder, { settings });
    onTestFinished(() => server.kill("SIGKILL"));
    const open = (): Connection => {
      const connection = connectTo(server.http);
      onTestFinished(connection.close);
      return connection;
    };
    const connections = Array.from({ length: 4 }, open);
    expect(new Set(await Promise.all(connections.map((one) => ownerOf(server, one))))).toEqual(new Set([1, 2]));
    const asking = (connection: Connection) => async (generation: string) => {
      const { text } = await connection.ask("/api/check/resources", requestOf(generation));
      return text.replace(/"authzCallId":"\w+"/, "");
    };
    const admin = open();
    const owner = await ownerOf(server, admin);
    const owners = await Promise.all(connections.map((one) => ownerOf(server, one)));
    const seenBy = watch(asking(connections[owners.indexOf(owner)] ?? admin));
    publish(folder, "second");
    const reloading = admin.ask(reload, undefined, { authorization: right });
    process.kill(server.workers()[owner === 1 ? 1 : 0] ?? 0, "SIGKILL");
    expect((await reloading).status).toBe(200);
    expect(await seenBy()).toEqual(["first", "second"]);
    await eventually(
      () => saidBy(server),
      (said) => said.some((message) => message.endsWith("serves again")),
    );
    for (const connection of Array.from({ length: 6 }, open)) expect(await inForce(asking(connection))).toBe("second");
    expect((await server.stop()).code).toBe(0);
  });
});
