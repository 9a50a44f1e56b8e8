/** Policies and schemas on a disk: in a folder, or in an archive in place of one. */
import { statSync } from "node:fs";
import { openArchiveStore } from "./archive.ts";
import { archiveKind, type ArchiveKind } from "./archive-names.ts";
import { openFolderStore, type DiskOptions } from "./folder-store.ts";
import type { Store } from "./store.ts";

/** Opens a folder, or an archive in place of one; nothing is read yet. */
export function openDiskStore(options: DiskOptions): Store {
  const { directory, setting } = options;
  const kind = archiveAt(directory);
  return kind === undefined
    ? openFolderStore(options)
    : openArchiveStore({ file: directory, kind, ...(setting !== undefined && { setting }) });
}

/** Returns how the archive is packed that stands there in place of a folder; undefined where there is none. */
export function archiveAt(directory: string): ArchiveKind | undefined {
  const kind = archiveKind(directory);
  try {
    return kind === undefined || statSync(directory).isDirectory() ? undefined : kind;
  } catch {
    return kind; // whoever reads it says why it cannot be
  }
}
