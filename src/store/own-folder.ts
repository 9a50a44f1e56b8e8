/** Folders of the server's user alone: what lies in them was put there by the server. */
import { mkdir, stat } from "node:fs/promises";
import { refusal } from "../refusal.ts";

/** Makes the folder where there is none; rejects with a refusal when others can write to it. */
export async function makeOwnFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await refuseShared(directory);
}

/** Where others can write, they would choose among all bundles that were ever signed, or among all commits that ever were; among all that there are, where nothing is signed. */
export async function refuseShared(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (!isOurs || (mode & 0o022) !== 0)
    throw refusal(`others can write to the folder \`${directory}\`: give it to the server's user alone (chmod 700)`);
}
