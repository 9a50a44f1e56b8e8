/** A git repository under chaos: pushes, forced ones too, over a network that fails. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../agree/random.ts";
import { startGitServer, type GitServer } from "../git/server.ts";
import type { Scene, Trouble } from "./scene.ts";

type Fault = Parameters<GitServer["setFault"]>[0];

const faults: readonly (readonly [name: string, make: (random: Random) => Fault])[] = [
  ["nobody listens", () => ({ kind: "down" })],
  ["the server hangs", () => ({ kind: "hang" })],
  ["connections are reset", () => ({ kind: "reset" })],
  ["connections are cut", (random) => ({ kind: "cut", after: random.whole(600) })],
  ["the pack is cut", (random) => ({ kind: "cut", after: random.whole(300), inPack: true })],
  ["the answer stalls", (random) => ({ kind: "stall", after: random.whole(600) })],
  ["the pack is corrupt", (random) => ({ kind: "flip", at: random.whole(400), inPack: true })],
  ["everything is slow", (random) => ({ kind: "delay", milliseconds: random.whole(1500) })],
  ["credentials are refused", () => ({ kind: "status", status: 401 })],
  ["the server fails", (random) => ({ kind: "status", status: random.pick([403, 404, 429, 500, 502, 503]) })],
  ["something else answers", () => ({ kind: "garbage" })],
];

/** Opens a repository without commits behind git's own backend. */
export async function openGitScene(random: Random): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "authz-chaos-git-"));
  const server = await startGitServer();
  const { repository } = server;
  /** How many commits the branch has. */
  let depth = 0;
  const troubles: readonly Trouble[] = [
    ...faults.map(([name, make]) => ({
      name,
      isWritable: true,
      begin: async (by: Random) => {
        await server.setFault(make(by));
        return () => server.setFault({ kind: "none" });
      },
    })),
    {
      name: "the branch is deleted",
      isWritable: false,
      begin: async () => {
        const commit = await repository.git("rev-parse", "refs/heads/master");
        await repository.git("update-ref", "-d", "refs/heads/master");
        return async () => void (await repository.git("update-ref", "refs/heads/master", commit));
      },
    },
  ];
  return {
    name: "git",
    isAdministered: false,
    settings: (which) => ({
      "storage.driver": "git",
      "storage.git.protocol": "http",
      "storage.git.url": server.url,
      "storage.git.https.username": server.username,
      "storage.git.https.password": server.password,
      "storage.git.checkoutDir": join(folder, which),
      "storage.git.updatePollInterval": "500ms",
      "storage.git.operationTimeout": "4s",
    }),
    publish: async (_now, next, step) => {
      const done = step(next);
      const force = depth < 2 || random.chance(0.8) ? undefined : random.pick(["orphan", "amend"] as const);
      depth = force === "orphan" ? 1 : force === "amend" ? depth : depth + 1;
      const files = Object.fromEntries([...next].map(([path, { text }]) => [path, text] as const));
      await repository.commit({ "": null, ...files }, force === undefined ? {} : { force });
      done();
    },
    pathOf: (resource, by) => (by.chance(0.5) ? `${resource}.yaml` : `deep/${by.whole(3)}/${resource}.yml`),
    administeredPathOf: (resource) => resource,
    troubles,
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
