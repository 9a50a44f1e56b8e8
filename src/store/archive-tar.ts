/** Reads policies and schemas from a tar archive, compressed or not. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { ReadEntry } from "tar";
import { codeOf, messageOf } from "../refusal.ts";
import {
  isUsed,
  misplacedIn,
  pathOf,
  refuseOther,
  refuseTwice,
  UnusableArchive,
  type ArchiveFiles,
  type ArchiveLimits,
} from "./archive-names.ts";

const block = 512;
/** The magic numbers of gzip and zstd: the tar library would decompress these without a limit. */
const compressed = [Buffer.from([0x1f, 0x8b]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd])];

/** Decompresses an archive within the limits, and then reads it like `readTar`. */
export async function readTarGz(bytes: Buffer, limits: ArchiveLimits): Promise<ArchiveFiles> {
  // Each entry adds headers and padding, so a little more than the final size may come out.
  const most = limits.unpacked + limits.entries * 3 * block;
  const unpacked = await promisify(gunzip)(bytes, { maxOutputLength: most }).catch((error: unknown) => {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw new UnusableArchive(`unpacks to more than ${limits.unpacked} bytes`);
    throw new UnusableArchive(`cannot be read as a compressed tar archive: ${messageOf(error)}`);
  });
  return readTar(unpacked, limits);
}

/** Reads policies and schemas; rejects when the archive must not be used. */
export async function readTar(bytes: Buffer, limits: ArchiveLimits): Promise<ArchiveFiles> {
  if (bytes.length < 2 * block || compressed.some((magic) => bytes.subarray(0, magic.length).equals(magic)))
    throw new UnusableArchive("cannot be read as a tar archive: it does not begin as one");
  // An archive ends with blocks of zeros; without them it is truncated.
  if (bytes.subarray(bytes.length - (bytes.length % block) - block, bytes.length - (bytes.length % block)).some((byte) => byte !== 0))
    throw new UnusableArchive("cannot be read as a tar archive: its end is missing");
  // The tar library rejects an archive without entries.
  if (bytes.every((byte) => byte === 0)) return { files: new Map(), misplaced: new Set() };
  const files = new Map<string, Uint8Array>();
  const misplaced = new Set<string>();
  const seen = new Set<string>();
  let unpacked = 0;
  let entries = 0;
  const take = (entry: ReadEntry): void => {
    // The tar library would leave out what such a header says, which may be the name of the next entry.
    if (entry.meta) throw new UnusableArchive("holds a header that is too large");
    if (++entries > limits.entries) throw new UnusableArchive(`holds more than ${limits.entries} entries`);
    const path = pathOf(entry.path);
    const folder = misplacedIn(path);
    if (folder !== undefined) misplaced.add(folder);
    const isFile = entry.type === "File" || entry.type === "OldFile" || entry.type === "ContiguousFile";
    if (entry.type === "Directory" || entry.type === "GNUDumpDir") return entry.resume();
    refuseTwice(seen, path);
    if (!isFile) refuseOther(path, entry.type === "SymbolicLink" || entry.type === "Link" ? "a link" : `of the kind ${entry.type}`);
    if (!isFile || !isUsed(path)) return entry.resume();
    unpacked += entry.size;
    if (unpacked > limits.unpacked) throw new UnusableArchive(`unpacks to more than ${limits.unpacked} bytes`);
    const parts: Buffer[] = [];
    entry.on("data", (part) => void parts.push(part)).on("end", () => void files.set(path, Buffer.concat(parts)));
  };
  const { Parser } = await import("tar"); // imported on demand: most stores are no archives
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(error instanceof UnusableArchive ? error : new UnusableArchive(`cannot be read as a tar archive: ${messageOf(error)}`));
    const onReadEntry = (entry: ReadEntry): void => {
      try {
        take(entry);
      } catch (error) {
        entry.resume();
        fail(error);
      }
    };
    const parser = new Parser({ strict: true, brotli: false, zstd: false, onReadEntry });
    // The tar library does not report entries of kinds that it does not know, such as sparse files, as entries.
    parser.on("ignoredEntry", onReadEntry);
    parser.on("error", fail).on("end", () => resolve());
    parser.end(bytes);
  });
  return { files, misplaced };
}
