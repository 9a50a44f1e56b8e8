/** Writes a file whole: whoever reads it finds what was there before or all that is new. */
import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** How the new text is called until it is in its place. Whoever is ended in between leaves it. */
export const besideName = /^\..+\.[\da-f]{12}\.new$/;

/** Writes beside the file and puts it in its place; rejects with the system's error, and then nothing has changed. */
export async function writeWhole(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.new`);
  const handle = await open(beside, "wx", mode);
  try {
    try {
      await handle.writeFile(bytes);
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
