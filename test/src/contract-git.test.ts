/** The git store keeps the contract of stores, over http with credentials and from a folder. */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { makeRepository, type Repository } from "../git/repository.ts";
import { startGitServer } from "../git/server.ts";
import { storeContract } from "./store-contract.ts";
import type { Content, Place } from "./store-place.ts";

const publishTo =
  (repository: Repository) =>
  async ({ policies, schemas = {} }: Content): Promise<void> => {
    const placed = Object.entries(schemas).map(([path, text]) => [`_schemas/${path}`, text] as const);
    await repository.commit({ "": null, ...policies, ...Object.fromEntries(placed) });
  };
const common = (folder: string, repository: Repository) => ({
  folder,
  publish: publishTo(repository),
  publishBroken: publishTo(repository),
  broken: { kind: "broken", says: /album\.yaml:7:\d+/ } as const,
  touch: async () => void (await repository.commit({}, { message: "nothing" })),
});
const settings = (folder: string) =>
  ({
    "storage.driver": "git",
    "storage.git.checkoutDir": join(folder, "checkout"),
    "storage.git.updatePollInterval": 30,
    "storage.git.operationTimeout": 5000,
  }) as const;

async function openHttp(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-git-place-"));
  const server = await startGitServer();
  return {
    ...common(folder, server.repository),
    storage: {
      ...settings(folder),
      "storage.git.protocol": "http",
      "storage.git.url": server.url,
      "storage.git.https.username": server.username,
      "storage.git.https.password": server.password,
    },
    damage: () => server.setFault({ kind: "down" }),
    repair: () => server.setFault({ kind: "none" }),
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openFile(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-git-place-"));
  mkdirSync(join(folder, "checkout"));
  const repository = await makeRepository();
  return {
    ...common(folder, repository),
    storage: { ...settings(folder), "storage.git.protocol": "file", "storage.git.url": `file://${repository.path}` },
    damage: async () => renameSync(repository.path, `${repository.path}-away`),
    repair: async () => renameSync(`${repository.path}-away`, repository.path),
    close: async () => {
      repository.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe("git over http", () => storeContract(openHttp, { keepsCopies: true }));

describe("git from a folder", () => storeContract(openFile, { keepsCopies: true }));
