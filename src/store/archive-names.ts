/** Recognises archives by their names, and checks the names of entries: an archive's author is not trusted with paths. */
import { isMisplacedSchemas, isPolicyPath } from "../../compiler/policy/paths.ts";
import { isSchemaPath } from "./schema-paths.ts";

/** The format of an archive, by its file name. */
export type ArchiveKind = "zip" | "tar" | "tar.gz";

/** Returns the format of a file by its name; undefined when it is no archive. */
export function archiveKind(name: string): ArchiveKind | undefined {
  if (name.endsWith(".zip")) return "zip";
  if (name.endsWith(".tar")) return "tar";
  return name.endsWith(".tar.gz") || name.endsWith(".tgz") ? "tar.gz" : undefined;
}

/** Limits of an archive. */
export interface ArchiveLimits {
  /** The size of the archive itself, in bytes. */
  readonly archive: number;
  readonly entries: number;
  /** The size of all unpacked entries, in bytes. */
  readonly unpacked: number;
}

/** Much more than the largest policy sets need, and little enough for any machine. */
export const archiveLimits: ArchiveLimits = { archive: 128 * 2 ** 20, entries: 100_000, unpacked: 256 * 2 ** 20 };

/** The entries that are policies and schemas. */
export interface ArchiveFiles {
  /** Policies and schemas, by their paths. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Schema directories in places where none is allowed. */
  readonly misplaced: ReadonlySet<string>;
}

/** Thrown when an archive must not be used; none of its entries is. */
export class UnusableArchive extends Error {}

/** Returns an entry's normalised path, without a slash at its end; throws when it is unsafe or ambiguous. */
export function pathOf(name: string): string {
  const why = unsafe(name);
  if (why !== undefined) throw new UnusableArchive(`holds \`${name.slice(0, 200)}\`, a name ${why}`);
  return name
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
}

/** The longest name in bytes. No file system has a longer path, and checking a name takes time that grows faster than its length. */
const longestName = 4096;

function unsafe(name: string): string | undefined {
  if (Buffer.byteLength(name) > longestName) return `of more than ${longestName} bytes`;
  if (name.includes("\0")) return "with a NUL character";
  if (name.includes("\u{fffd}")) return "that is not UTF-8";
  if (name.includes("\\")) return "with a backslash";
  if (/^(?:\/|[a-z]:)/i.test(name)) return "that is absolute";
  return name.split("/").includes("..") ? "that leads out of the archive" : undefined;
}

/** Returns whether an entry with this path would be used. */
export const isUsed = (path: string): boolean => isPolicyPath(path) || isSchemaPath(path);

/** Returns the misplaced schema directory that a path is in, or is. */
export function misplacedIn(path: string): string | undefined {
  const segments = path.split("/");
  return segments.map((_, at) => segments.slice(0, at + 1).join("/")).find(isMisplacedSchemas);
}

/** Throws when a path occurs twice: readers disagree on whether the first or the last entry counts. */
export function refuseTwice(seen: Set<string>, path: string): void {
  if (seen.has(path)) throw new UnusableArchive(`holds \`${path}\` twice`);
  seen.add(path);
}

/** Throws when something that is not a file has the name of a policy or schema: skipping it would change decisions silently. */
export function refuseOther(path: string, what: string): void {
  if (isUsed(path)) throw new UnusableArchive(`holds \`${path}\`, which is ${what} and no file`);
}
