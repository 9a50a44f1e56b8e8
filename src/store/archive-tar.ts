/** The bytes of a tar archive, compressed or not -> its policies and schemas. */
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
/** How gzip and zstd begin: a reader of tar would unpack them without bounds. */
const compressed = [Buffer.from([0x1f, 0x8b]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd])];

/** Unpacks a compressed archive, bounded, and then as `readTar` does. */
export async function readTarGz(bytes: Buffer, limits: ArchiveLimits): Promise<ArchiveFiles> {
  // Every file comes with a block of its own, so that a little more than what is unpacked in the end may come out.
  const most = limits.unpacked + limits.entries * 3 * block;
  const unpacked = await promisify(gunzip)(bytes, { maxOutputLength: most }).catch((error: unknown) => {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw new UnusableArchive(`unpacks to more than ${limits.unpacked} bytes`);
    throw new UnusableArchive(`cannot be read as a compressed tar archive: ${messageOf(error)}`);
  });
  return readTar(unpacked, limits);
}

/** Takes out policies and schemas; rejects when the archive is not to be used. */
export async function readTar(bytes: Buffer, limits: ArchiveLimits): Promise<ArchiveFiles> {
  if (bytes.length < 2 * block || compressed.some((magic) => bytes.subarray(0, magic.length).equals(magic)))
    throw new UnusableArchive("cannot be read as a tar archive: it does not begin as one");
  // Whoever writes an archive ends it with blocks of zeros: without one it was cut off.
  if (bytes.subarray(bytes.length - (bytes.length % block) - block, bytes.length - (bytes.length % block)).some((byte) => byte !== 0))
    throw new UnusableArchive("cannot be read as a tar archive: its end is missing");
  // A reader of tar takes an archive of nothing for no archive.
  if (bytes.every((byte) => byte === 0)) return { files: new Map(), misplaced: new Set() };
  const files = new Map<string, Uint8Array>();
  const misplaced = new Set<string>();
  const seen = new Set<string>();
  let unpacked = 0;
  let entries = 0;
  const take = (entry: ReadEntry): void => {
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
  const { Parser } = await import("tar"); // most stores are no archives
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(error instanceof UnusableArchive ? error : new UnusableArchive(`cannot be read as a tar archive: ${messageOf(error)}`));
    const parser = new Parser({
      strict: true,
      brotli: false,
      zstd: false,
      onReadEntry: (entry) => {
        try {
          take(entry);
        } catch (error) {
          entry.resume();
          fail(error);
        }
      },
    });
    parser.on("error", fail).on("end", () => resolve());
    parser.end(bytes);
  });
  return { files, misplaced };
}
