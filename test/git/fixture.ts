/** Servers, stores and a folder for copies that each test has for itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { openStore, settingsFor, type GitSettings } from "./open-store.ts";
import { startGitServer, type GitServer, type GitServerOptions } from "./server.ts";

/** The servers, stores and copies of a test. */
export interface GitFixture {
  /** The folder of copies. */
  readonly cache: () => string;
  readonly serve: (options: GitServerOptions) => Promise<GitServer>;
  /** Opens a store of what was served last. */
  readonly open: (given?: GitSettings) => Store;
  readonly closeLater: (store: Store) => void;
}

/** Sets one up before each test, and puts everything away after it. */
export function openGitFixture(): GitFixture {
  let cache = "";
  const stores: Store[] = [];
  const servers: GitServer[] = [];
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), "authz-copy-"));
  });
  afterEach(async () => {
    for (const one of stores.splice(0)) await one.close();
    for (const one of servers.splice(0)) await one.close();
    rmSync(cache, { recursive: true, force: true });
  });
  return {
    cache: () => cache,
    serve: async (options) => {
      const server = await startGitServer(options);
      servers.push(server);
      return server;
    },
    open: (given = {}) => {
      const server = servers.at(-1);
      const store = openStore({ ...(server && settingsFor(server, cache)), ...given });
      stores.push(store);
      return store;
    },
    closeLater: (store) => void stores.push(store),
  };
}
