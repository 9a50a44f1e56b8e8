/** A store that is an archive: the file is read whole, into memory, whenever it has been replaced. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import type { Source } from "../../compiler/source.ts";
import { codeOf, refusal } from "../refusal.ts";
import { archiveLimits, UnusableArchive, type ArchiveFiles, type ArchiveKind, type ArchiveLimits } from "./archive-names.ts";
import { readTar, readTarGz } from "./archive-tar.ts";
import { readZip } from "./archive-zip.ts";
import { policyFileName } from "./safe-names.ts";
import { belowSchemas, isSchemaPath } from "./schema-paths.ts";
import type { Changes, Store, Unreadable } from "./store.ts";
import { isNotFound } from "./tree.ts";

/** The archive, and how it is watched. */
export interface ArchiveOptions {
  readonly file: string;
  readonly kind: ArchiveKind;
  /** The setting that names it, for refusals; absent when none does. */
  readonly setting?: string;
  /** How often the file is checked for a replacement. */
  readonly pollMilliseconds?: number;
  readonly limits?: ArchiveLimits;
}

/** Opens an archive; nothing is read yet. */
export function openArchiveStore({ file, kind, setting, pollMilliseconds = 250, limits = archiveLimits }: ArchiveOptions): Store {
  const path = resolve(file);
  const name = `the archive \`${file}\``;
  /** The file as it was read last, and its entries. */
  let read: { readonly stamp: string; readonly isYoung: boolean; readonly texts: ReadonlyMap<string, string> } | undefined;
  let unreadable: readonly Unreadable[] = [];
  /** Whether the last reading failed for a reason outside the archive, which may pass without changing its file. */
  let mayPass = false;
  let timer: NodeJS.Timeout | undefined;

  const named = setting === undefined ? "" : ` (setting ${setting})`;
  const refuse = (why: string): Error => refusal(`the archive of policies \`${file}\` ${why}${named}`);
  const stampOf = async (): Promise<{ readonly stamp: string; readonly size: number; readonly changedAt: number }> => {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
    return { stamp: `${dev}.${ino}.${size}.${mtimeMs}.${ctimeMs}`, size, changedAt: ctimeMs };
  };
  const readBytes = async (size: number): Promise<Buffer> => {
    if (size === 0) throw new UnusableArchive("is empty");
    if (size > limits.archive) throw new UnusableArchive(`is larger than ${limits.archive} bytes`);
    return readFile(path);
  };
  const unpack = (bytes: Buffer): Promise<ArchiveFiles> =>
    kind === "zip" ? readZip(bytes, limits) : kind === "tar" ? readTar(bytes, limits) : readTarGz(bytes, limits);

  const readAgain = async (): Promise<Changes> => {
    mayPass = false;
    try {
      const { stamp, size, changedAt } = await stampOf();
      if (read?.stamp === stamp && !read.isYoung) return { ...nothing, unreadable };
      const readAt = Date.now();
      const files = await unpack(await readBytes(size));
      const { texts, bad } = textsOf(files);
      const changes = { ...differing(read?.texts ?? new Map<string, string>(), texts), unreadable: bad };
      // The file may be written again within the resolution of its time stamp, without a visible difference.
      read = { stamp, isYoung: Math.abs(readAt - changedAt) < 2100, texts };
      unreadable = bad;
      return changes;
    } catch (error) {
      if (error instanceof UnusableArchive) throw refuse(error.message);
      if (isNotFound(error)) throw refuse("does not exist");
      if (codeOf(error) === undefined) throw error;
      mayPass = true;
      throw refuse(`cannot be read (${codeOf(error)})`);
    }
  };

  return {
    name,
    readOnly: "the policies come from an archive, which is not changed in place: change what it is made of, and replace it",
    placeOf: policyFileName,
    schemaIdProblem: () => undefined,
    sourceOf: ({ path: policy, text }) => sourceOf(policy, text),
    write: async () => {
      throw refusal(`${name} cannot be written`);
    },
    read: readAgain,
    watch: (changed) => {
      let before: string | undefined;
      const ask = async (): Promise<void> => {
        const now = await stampOf().then(
          ({ stamp }) => stamp,
          (error: unknown) => codeOf(error),
        );
        if (now !== before || read?.isYoung === true || mayPass) changed();
        before = now;
        timer = setTimeout(() => void ask(), pollMilliseconds).unref();
      };
      void ask();
    },
    close: async () => clearTimeout(timer),
  };
}

const nothing: Changes = { changed: [], removed: [], changedSchemas: [], removedSchemas: [], unreadable: [] };

const sourceOf = (path: string, text: string): Source => ({ path, text, attributes: { driver: "disk", source: path } });

function textsOf({ files, misplaced }: ArchiveFiles): { readonly texts: ReadonlyMap<string, string>; readonly bad: readonly Unreadable[] } {
  const texts = new Map<string, string>();
  const bad: Unreadable[] = [...misplaced].map((path) => ({ path, message: misplacedSchemas(path).message }));
  for (const [path, bytes] of files) {
    try {
      texts.set(path, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      bad.push({ path, message: "the file is not UTF-8 text" });
    }
  }
  return { texts, bad };
}

function differing(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Omit<Changes, "unreadable"> {
  const changed = [...now].filter(([path, text]) => before.get(path) !== text);
  const gone = [...before.keys()].filter((path) => !now.has(path));
  return {
    changed: changed.flatMap(([path, text]) => (isSchemaPath(path) ? [] : [sourceOf(path, text)])),
    removed: gone.filter((path) => !isSchemaPath(path)),
    changedSchemas: changed.flatMap(([path, text]) => (isSchemaPath(path) ? [{ path: belowSchemas(path), text }] : [])),
    removedSchemas: gone.filter(isSchemaPath).map(belowSchemas),
  };
}
