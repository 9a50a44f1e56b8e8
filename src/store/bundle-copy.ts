/** The last good copy of a bundle that is fetched: kept for a start without network. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { mostBytes } from "../bundle/frame.ts";
import { removeAbandoned } from "../texts/abandoned.ts";
import { besideName, writeWhole } from "../texts/write-whole.ts";
import { digest } from "../texts/digest.ts";
import { codeOf, messageOf, refusal } from "../refusal.ts";
import { makeOwnFolder, refuseShared } from "./own-folder.ts";
import { userCacheFolder } from "./user-cache.ts";

/** Where a copy is kept. */
export interface Copy {
  /** Its file, for people. */
  readonly name: string;
  /** Rejects with a refusal ("there is none") when nothing may be used. */
  readonly read: () => Promise<Uint8Array>;
  /** Replaces it; rejects with a refusal when that is not possible. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/** Opens the place of the copy of an address: in a folder of its own, or of the user's cache. */
export function openCopy(folder: string, url: URL): Copy {
  const directory = folder === "" ? userCacheFolder("bundle") : folder;
  if (directory === undefined) {
    const none = async (): Promise<never> => {
      throw refusal("there is no place for a copy: the user has no home folder (setting storage.bundle.cacheDir)");
    };
    return { name: "no copy", read: none, write: none };
  }
  // Of its address, so that servers of several bundles can share a folder.
  const file = join(directory, `${digest(url.href)}.mjs`);
  return {
    name: `\`${file}\``,
    read: () => explained(() => read(directory, file)),
    write: (bytes) => explained(() => write(directory, file, bytes)),
  };
}

async function read(directory: string, file: string): Promise<Uint8Array> {
  await refuseShared(directory);
  if ((await stat(file)).size > mostBytes) throw refusal("the copy is larger than a bundle may be");
  return readFile(file);
}

async function write(directory: string, file: string, bytes: Uint8Array): Promise<void> {
  await makeOwnFolder(directory);
  // Before: of large ones that were left there may be no room for another.
  await removeAbandoned(directory, besideName);
  await writeWhole(file, bytes, 0o600);
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw refusal(codeOf(error) === "ENOENT" ? "there is none" : messageOf(error));
  }
}
