/** Writes a file atomically: a reader finds either the old or the new contents. */
import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The pattern of names of temporary files, which a crash leaves behind. */
export const temporaryName = /^\..+\.[\da-f]{12}\.new$/;

/** Writes a temporary file and renames it, with `mode` less the umask; rejects with the system's error, without changing anything. */
export const writeAtomically = (path: string, bytes: Uint8Array, mode: number): Promise<void> => replace(path, bytes, mode, false);

/** Does the same to an existing file, and keeps its permissions. */
export async function replaceAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const { mode } = await stat(path);
  await replace(path, bytes, mode, true);
}

async function replace(path: string, bytes: Uint8Array, mode: number, exactly: boolean): Promise<void> {
  // Hidden, so that no store takes it for a policy.
  const beside = join(dirname(path), `.${shortened(basename(path))}.${randomBytes(6).toString("hex")}.new`);
  const handle = await open(beside, "wx", mode);
  try {
    try {
      await handle.writeFile(bytes);
      if (exactly) await handle.chmod(mode); // the umask may have removed bits
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Shortens a name that would be too long for a file system with what is added to it. */
const shortened = (name: string): string => (Buffer.byteLength(name) > 200 ? name.slice(0, 50) : name);
