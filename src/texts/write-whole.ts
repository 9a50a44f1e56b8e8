/** Writes a file whole: whoever reads it finds what was there before or all that is new. */
import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** How the new text is called until it is in its place. Whoever is ended in between leaves it. */
export const besideName = /^\..+\.[\da-f]{12}\.new$/;

/** Writes beside the file and puts it in its place, with `mode` less the umask; rejects with the system's error, and then nothing has changed. */
export const writeWhole = (path: string, bytes: Uint8Array, mode: number): Promise<void> => replace(path, bytes, mode, false);

/** Does the same to a file that is there, and keeps its permissions. */
export async function rewriteWhole(path: string, bytes: Uint8Array): Promise<void> {
  const { mode } = await stat(path);
  await replace(path, bytes, mode, true);
}

async function replace(path: string, bytes: Uint8Array, mode: number, exactly: boolean): Promise<void> {
  // Hidden, so that no store takes it for a policy.
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.new`);
  const handle = await open(beside, "wx", mode);
  try {
    try {
      await handle.writeFile(bytes);
      if (exactly) await handle.chmod(mode); // the umask may have taken some away
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
