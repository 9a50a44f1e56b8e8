/** Which files are archives, and which names inside them are safe: who made an archive is not trusted with where its files go. */
import { isMisplacedSchemas, isPolicyPath } from "../../compiler/policy/paths.ts";
import { isSchemaPath } from "./schema-paths.ts";

/** How an archive is packed, by its name alone. */
export type ArchiveKind = "zip" | "tar" | "tar.gz";

/** Returns how a file of this name is packed; undefined when it is no archive. */
export function archiveKind(name: string): ArchiveKind | undefined {
  if (name.endsWith(".zip")) return "zip";
  if (name.endsWith(".tar")) return "tar";
  return name.endsWith(".tar.gz") || name.endsWith(".tgz") ? "tar.gz" : undefined;
}

/** How much an archive may hold. */
export interface ArchiveLimits {
  /** Bytes of the archive itself. */
  readonly archive: number;
  readonly entries: number;
  /** Bytes of all that is unpacked. */
  readonly unpacked: number;
}

/** Many times what the largest sets need, and little enough for any machine. */
export const archiveLimits: ArchiveLimits = { archive: 128 * 2 ** 20, entries: 100_000, unpacked: 256 * 2 ** 20 };

/** What an archive holds that concerns us. */
export interface ArchiveFiles {
  /** Policies and schemas, by their paths. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Folders of schemas that lie where none may. */
  readonly misplaced: ReadonlySet<string>;
}

/** An archive that is not to be used; nothing of it is. */
export class UnusableArchive extends Error {}

/** Returns an entry's path in one spelling, without a slash at its end; throws when it leads out of the archive or can be read in more than one way. */
export function pathOf(name: string): string {
  const why = unsafe(name);
  if (why !== undefined) throw new UnusableArchive(`holds \`${name.slice(0, 200)}\`, a name ${why}`);
  return name
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
}

function unsafe(name: string): string | undefined {
  if (name.includes("\0")) return "with a NUL character";
  if (name.includes("\u{fffd}")) return "that is not UTF-8";
  if (name.includes("\\")) return "with a backslash";
  if (/^(?:\/|[a-z]:)/i.test(name)) return "that is absolute";
  return name.split("/").includes("..") ? "that leads out of the archive" : undefined;
}

/** Would an entry of this path be used? */
export const isUsed = (path: string): boolean => isPolicyPath(path) || isSchemaPath(path);

/** Returns the folder of schemas that a path lies in, or is, where none may be. */
export function misplacedIn(path: string): string | undefined {
  const segments = path.split("/");
  return segments.map((_, at) => segments.slice(0, at + 1).join("/")).find(isMisplacedSchemas);
}

/** Refuses two entries of one path: whoever reads such an archive takes the first of them, or the last. */
export function refuseTwice(seen: Set<string>, path: string): void {
  if (seen.has(path)) throw new UnusableArchive(`holds \`${path}\` twice`);
  seen.add(path);
}

/** Refuses what is called like a policy or a schema and is no file: to pass over it would change decisions without a word. */
export function refuseOther(path: string, what: string): void {
  if (isUsed(path)) throw new UnusableArchive(`holds \`${path}\`, which is ${what} and no file`);
}
