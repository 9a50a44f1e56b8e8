/** The disk store keeps the contract of stores, and of those that can be changed. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { openDiskStore } from "../../src/store/disk.ts";
import { policyFileName } from "../../src/store/safe-names.ts";
import { storeContract } from "./store-contract.ts";
import type { Content, Place } from "./store-place.ts";
import { writesContract } from "./store-writes-contract.ts";

async function openPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-disk-"));
  const directory = join(folder, "policies");
  mkdirSync(directory);
  let there: ReadonlyMap<string, string> = new Map();
  const publish = async ({ policies, schemas = {} }: Content): Promise<void> => {
    const wanted = new Map([
      ...Object.entries(policies),
      ...Object.entries(schemas).map(([path, text]) => [`_schemas/${path}`, text] as const),
    ]);
    for (const path of there.keys()) if (!wanted.has(path)) rmSync(join(directory, path));
    for (const [path, text] of wanted) {
      if (there.get(path) === text) continue;
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, `${path}.new`), text);
      renameSync(join(directory, `${path}.new`), join(directory, path));
    }
    there = wanted;
  };
  return {
    folder,
    storage: { "storage.driver": "disk", "storage.disk.directory": directory, "storage.disk.watchForChanges": true },
    publish,
    publishBroken: publish,
    broken: { kind: "broken", says: /album\.yaml:7:\d+/ },
    touch: async () => {
      for (const path of there.keys()) utimesSync(join(directory, path), new Date(), new Date());
    },
    damage: async () => renameSync(directory, `${directory}-away`),
    repair: async () => renameSync(`${directory}-away`, directory),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe("disk", () => storeContract(openPlace));

describe("disk, changed", () => {
  let folder = "";
  writesContract({
    begin: () => void (folder = mkdtempSync(join(tmpdir(), "authz-disk-"))),
    open: () => openDiskStore({ directory: folder }),
    path: (key) => policyFileName(key, 0),
    end: () => rmSync(folder, { recursive: true, force: true }),
  });
});
