/** Reads policies and schemas from a zip archive. */
import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { messageOf } from "../refusal.ts";
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

/** Reads policies and schemas; rejects when the archive must not be used. */
export async function readZip(bytes: Buffer, limits: ArchiveLimits): Promise<ArchiveFiles> {
  try {
    const { fromBufferPromise } = await import("yauzl"); // imported on demand: most stores are no archives
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true, validateEntrySizes: true });
    if (zip.entryCount > limits.entries)
      throw new UnusableArchive(`holds ${zip.entryCount} entries, and more than ${limits.entries} are too many`);
    return await readEntries(zip, limits);
  } catch (error) {
    throw error instanceof UnusableArchive ? error : new UnusableArchive(`cannot be read as a zip archive: ${messageOf(error)}`);
  }
}

async function readEntries(zip: ZipFile, limits: ArchiveLimits): Promise<ArchiveFiles> {
  const files = new Map<string, Uint8Array>();
  const misplaced = new Set<string>();
  const seen = new Set<string>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    const path = pathOf(entry.fileName);
    const folder = misplacedIn(path);
    if (folder !== undefined) misplaced.add(folder);
    if (entry.fileName.endsWith("/")) continue;
    refuseTwice(seen, path);
    const what = otherKind(entry);
    if (what !== undefined) refuseOther(path, what);
    if (what !== undefined || !isUsed(path)) continue;
    // The declared size is checked against the actual one while unpacking (`validateEntrySizes`).
    unpacked += entry.uncompressedSize;
    if (unpacked > limits.unpacked) throw new UnusableArchive(`unpacks to more than ${limits.unpacked} bytes`);
    files.set(path, await readEntry(zip, entry, path));
  }
  return { files, misplaced };
}

async function readEntry(zip: ZipFile, entry: Entry, path: string): Promise<Uint8Array> {
  if (entry.isEncrypted()) throw new UnusableArchive(`holds \`${path}\` encrypted`);
  if (!entry.canDecodeFileData())
    throw new UnusableArchive(`holds \`${path}\` compressed in a way that is not known (method ${entry.compressionMethod})`);
  const bytes = await buffer(await zip.openReadStreamPromise(entry));
  if (crc32(bytes) !== entry.crc32) throw new UnusableArchive(`is damaged: \`${path}\` is not what was packed`);
  return bytes;
}

/** The `made by` value for Unix, and the Unix file types other than regular files. */
const unix = 3;
const others: { readonly [kind: number]: string } = {
  0o12: "a link",
  0o04: "a folder",
  0o06: "a device",
  0o02: "a device",
  0o01: "a pipe",
  0o14: "a socket",
};

const otherKind = ({ versionMadeBy, externalFileAttributes }: Entry): string | undefined =>
  versionMadeBy >> 8 === unix ? others[externalFileAttributes >>> 28] : undefined;
