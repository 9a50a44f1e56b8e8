/** The last good copy of a remote bundle, for a start without network. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { maxBytes } from "../bundle/frame.ts";
import { removeStaleTemporaryFiles } from "../texts/stale-temporary-files.ts";
import { temporaryName, writeAtomically } from "../texts/write-atomically.ts";
import { digest } from "../texts/digest.ts";
import { codeOf, messageOf, refusal } from "../refusal.ts";
import { makePrivateFolder, refuseUnlessPrivate } from "./private-folder.ts";
import { userCacheFolder } from "./user-cache.ts";

/** The copy. */
export interface Copy {
  /** Its file, for messages. */
  readonly name: string;
  /** Reads the copy; rejects with a refusal ("there is none") when nothing may be used. */
  readonly read: () => Promise<Uint8Array>;
  /** Replaces the copy; rejects with a refusal when that fails. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/** Opens the copy of a URL's bundle, in the given folder or in the user's cache. */
export function openCopy(folder: string, url: URL): Copy {
  const directory = folder === "" ? userCacheFolder("bundle") : folder;
  if (directory === undefined) {
    const none = async (): Promise<never> => {
      throw refusal("there is no place for a copy: the user has no home folder (setting storage.bundle.cacheDir)");
    };
    return { name: "no copy", read: none, write: none };
  }
  // Named by the URL, so that servers of several bundles can share a folder.
  const file = join(directory, `${digest(url.href)}.mjs`);
  return {
    name: `\`${file}\``,
    read: () => explained(() => read(directory, file)),
    write: (bytes) => explained(() => write(directory, file, bytes)),
  };
}

async function read(directory: string, file: string): Promise<Uint8Array> {
  await refuseUnlessPrivate(directory);
  if ((await stat(file)).size > maxBytes) throw refusal("the copy is larger than a bundle may be");
  return readFile(file);
}

async function write(directory: string, file: string, bytes: Uint8Array): Promise<void> {
  await makePrivateFolder(directory);
  // Done first, because large leftovers may use up the space.
  await removeStaleTemporaryFiles(directory, temporaryName);
  await writeAtomically(file, bytes, 0o600);
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw refusal(codeOf(error) === "ENOENT" ? "there is none" : messageOf(error));
  }
}
