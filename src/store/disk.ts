/** A store on disk: a directory, or an archive in place of one. */
import { statSync } from "node:fs";
import { openArchiveStore } from "./archive.ts";
import { archiveKind, type ArchiveKind } from "./archive-names.ts";
import { openFolderStore, type DiskOptions } from "./folder-store.ts";
import type { Store } from "./store.ts";

/** Opens a directory or an archive; nothing is read yet. */
export function openDiskStore(options: DiskOptions): Store {
  const { directory, setting } = options;
  const kind = archiveAt(directory);
  return kind === undefined
    ? openFolderStore(options)
    : openArchiveStore({ file: directory, kind, ...(setting !== undefined && { setting }) });
}

/** Returns the format of the archive at a path; undefined when there is none. */
export function archiveAt(directory: string): ArchiveKind | undefined {
  const kind = archiveKind(directory);
  try {
    return kind === undefined || statSync(directory).isDirectory() ? undefined : kind;
  } catch {
    return kind; // Reading it reports the error.
  }
}
