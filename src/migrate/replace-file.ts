/** Replaces the text of a file: whoever reads it finds the old text or the new one, never a part. */
import { chmod, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Writes a new text beside the file and puts it in its place; the file's permissions stay. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const { mode } = await stat(path);
  // Hidden, so that no store takes it for a policy.
  const beside = join(dirname(path), `.${basename(path)}.${process.pid}.new`);
  const file = await open(beside, "wx", mode);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(beside, mode);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
