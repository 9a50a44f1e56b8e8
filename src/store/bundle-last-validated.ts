/** Remembers which bundle passed validation and trial last, so that the next start need not repeat them. */
import { lstat, readFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compilerVersion } from "../../compiler/pack.ts";
import { artefact } from "../artefact.ts";
import { digest } from "../texts/digest.ts";
import { version } from "../version.ts";
import { removeStaleTemporaryFiles } from "../texts/stale-temporary-files.ts";
import { temporaryName, writeAtomically } from "../texts/write-atomically.ts";
import { makePrivateFolder, refuseUnlessPrivate } from "./private-folder.ts";
import { userCacheFolder } from "./user-cache.ts";

/**
 * The memory for one bundle location. It needs a directory that only the server's user can write to; otherwise nothing is remembered,
 * and everything is validated.
 */
export interface LastValidated {
  /** Returns the digest of the file that passed last, if this same program validated it. */
  readonly last: () => Promise<string | undefined>;
  readonly keep: (fileDigest: string) => Promise<void>;
}

/** Opens the memory for a location, in the given folder or in the user's cache. */
export function openLastValidated(folder: string, place: string): LastValidated {
  const directory = folder === "" ? userCacheFolder("bundle") : folder;
  if (directory === undefined) return { last: async () => undefined, keep: async () => undefined };
  const file = join(directory, `${digest(place)}.passed`);
  return {
    last: async () => {
      try {
        await refuseUnlessPrivate(directory);
        if (!(await lstat(file)).isFile()) return undefined;
        const [fileDigest, program] = (await readFile(file, "utf8")).split("\n");
        return program === programDigest() ? fileDigest : undefined;
      } catch {
        return undefined; // Then it is validated.
      }
    },
    keep: async (fileDigest) => {
      try {
        await makePrivateFolder(directory);
        await removeStaleTemporaryFiles(directory, temporaryName);
        await writeAtomically(file, Buffer.from(`${fileDigest}\n${programDigest()}\n`), 0o600);
      } catch {
        // The next start validates again.
      }
    },
  };
}

/** The identity of this program: after an update of authz or Node, bundles are validated again. */
const programDigest = (): string =>
  digest([version, compilerVersion, process.version, readFileSync(artefact("guest.js"), "utf8")].join("\n"));
