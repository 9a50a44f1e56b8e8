/** The bundle store keeps the contract of stores, from a file and over https. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { buildBundle, makeKeys, startBundleServer } from "../bundle/server.ts";
import { storeContract } from "./store-contract.ts";
import type { Content, Place } from "./store-place.ts";

const filesOf = ({ policies, schemas = {} }: Content): { readonly [path: string]: string } => ({
  ...policies,
  ...Object.fromEntries(Object.entries(schemas).map(([path, text]) => [`_schemas/${path}`, text] as const)),
});

/** A place where bytes are published; what does not compile cannot be built, so what is as bad is a bundle that somebody has altered. */
function placeOf(folder: string, put: (bytes: Uint8Array) => void): Omit<Place, "damage" | "repair" | "close"> {
  const keys = makeKeys();
  let last: Content = { policies: {} };
  const publish = async (content: Content): Promise<void> => {
    last = content;
    put(buildBundle(filesOf(content), keys));
  };
  return {
    folder,
    storage: {
      "storage.driver": "bundle",
      "storage.bundle.publicKeys": [keys.publicKeyFile],
      "storage.bundle.cacheDir": join(folder, "cache"),
      "storage.bundle.updatePollInterval": 20,
      "storage.bundle.operationTimeout": 5000,
    },
    publish,
    publishBroken: async () => {
      const bytes = Uint8Array.from(buildBundle(filesOf(last), keys));
      const middle = Math.floor(bytes.length / 2);
      bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      put(bytes);
    },
    broken: { kind: "unreachable", says: /bundle/ },
    touch: () => publish(last),
  };
}

async function openFile(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-bundle-"));
  mkdirSync(join(folder, "cache"));
  const file = join(folder, "policies.bundle");
  const put = (bytes: Uint8Array): void => {
    writeFileSync(`${file}.new`, bytes);
    renameSync(`${file}.new`, file);
  };
  const common = placeOf(folder, put);
  return {
    ...common,
    storage: { ...common.storage, "storage.bundle.path": file },
    damage: async () => renameSync(file, `${file}-away`),
    repair: async () => renameSync(`${file}-away`, file),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openHttps(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-bundle-"));
  const credentials = { username: "policy-reader", password: "s3cr3t:with a colon" };
  const server = await startBundleServer({ credentials });
  const common = placeOf(folder, server.publish);
  return {
    ...common,
    storage: {
      ...common.storage,
      "storage.bundle.url": server.url,
      "storage.bundle.caCert": server.caCert,
      "storage.bundle.username": credentials.username,
      "storage.bundle.password": credentials.password,
    },
    damage: async () => server.setFault({ kind: "status", status: 503 }),
    repair: async () => server.setFault({ kind: "none" }),
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe("bundle from a file", () => storeContract(openFile));

describe("bundle over https", () => storeContract(openHttps, { keepsCopies: true }));
