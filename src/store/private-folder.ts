/** Directories that only the server's user can write to, so that their contents can be trusted. */
import { mkdir, stat } from "node:fs/promises";
import { refusal } from "../refusal.ts";

/** Creates the directory if necessary; rejects with a refusal when others can write to it. */
export async function makePrivateFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await refuseUnlessPrivate(directory);
}

/**
 * Rejects with a refusal when others can write to a directory: they could choose which of all bundles ever signed, or of all commits,
 * is used; or any bundle, where signatures are not required.
 */
export async function refuseUnlessPrivate(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (!isOurs || (mode & 0o022) !== 0)
    throw refusal(`others can write to the folder \`${directory}\`: give it to the server's user alone (chmod 700)`);
}
