/** Which bundle of a place was found good last, every field checked and its trial passed: the next start need not do that again. */
import { lstat, readFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compilerVersion } from "../../compiler/pack.ts";
import { artefact } from "../artefact.ts";
import { digest } from "../texts/digest.ts";
import { version } from "../version.ts";
import { removeAbandoned } from "../texts/abandoned.ts";
import { besideName, writeWhole } from "../texts/write-whole.ts";
import { makeOwnFolder, refuseShared } from "./own-folder.ts";
import { userCacheFolder } from "./user-cache.ts";

/** The memory of a place. Where there is no folder of the server's user alone, nothing is remembered, and everything is checked. */
export interface Passed {
  /** Returns the digest of the file that passed last, if that was with this very program. */
  readonly last: () => Promise<string | undefined>;
  readonly keep: (fileDigest: string) => Promise<void>;
}

/** Opens the memory of a place, by its name, in a folder of its own or of the user's cache. */
export function openPassed(folder: string, place: string): Passed {
  const directory = folder === "" ? userCacheFolder("bundle") : folder;
  if (directory === undefined) return { last: async () => undefined, keep: async () => undefined };
  const file = join(directory, `${digest(place)}.passed`);
  return {
    last: async () => {
      try {
        await refuseShared(directory);
        if (!(await lstat(file)).isFile()) return undefined;
        const [fileDigest, program] = (await readFile(file, "utf8")).split("\n");
        return program === programDigest() ? fileDigest : undefined;
      } catch {
        return undefined; // then it is checked
      }
    },
    keep: async (fileDigest) => {
      try {
        await makeOwnFolder(directory);
        await removeAbandoned(directory, besideName);
        await writeWhole(file, Buffer.from(`${fileDigest}\n${programDigest()}\n`), 0o600);
      } catch {
        // The next start checks again.
      }
    },
  };
}

/** What passes another version, or another engine, is checked again. */
const programDigest = (): string =>
  digest([version, compilerVersion, process.version, readFileSync(artefact("guest.js"), "utf8")].join("\n"));
