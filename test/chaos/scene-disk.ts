/** A folder under chaos: files written in every way that editors, scripts and volumes write them. */
import { mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Random } from "../agree/random.ts";
import type { Files, Piece } from "./policy-set.ts";
import type { Scene } from "./scene.ts";

/** Policies whose paths begin so are links into a folder that is swapped as a whole, as volumes of Kubernetes are. */
const swapped = "volume-";

/** Opens an empty folder. */
export function openDiskScene(random: Random): Scene {
  const folder = mkdtempSync(join(tmpdir(), "authz-chaos-disk-"));
  const root = join(folder, "policies");
  mkdirSync(root);
  let swaps = 0;

  const write = async (path: string, { text }: Piece, isNew: boolean): Promise<void> => {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    random.weigh([
      // A temporary file, then a rename: vi, sed -i, most editors.
      [
        4,
        () => {
          const temporary = join(dirname(target), `.${swaps}.swp`);
          writeFileSync(temporary, text);
          renameSync(temporary, target);
        },
      ],
      // The same from a folder elsewhere.
      [
        2,
        () => {
          writeFileSync(join(folder, "new"), text);
          renameSync(join(folder, "new"), target);
        },
      ],
      // A backup first, so that for a moment there is no file: only where there was none.
      [isNew ? 1 : 0, () => writeFileSync(target, text)],
    ]);
  };
  const swap = (files: Files): void => {
    const version = `..${++swaps}`;
    mkdirSync(join(root, version));
    for (const [path, { text }] of files) if (path.startsWith(swapped)) writeFileSync(join(root, version, path), text);
    symlinkSync(version, join(root, "..new"));
    const before = readLink(join(root, "..data"));
    renameSync(join(root, "..new"), join(root, "..data"));
    if (before !== undefined) rmSync(join(root, before), { recursive: true });
  };

  return {
    name: "disk",
    isAdministered: true,
    settings: () => ({ "storage.driver": "disk", "storage.disk.directory": root, "storage.disk.watchForChanges": true }),
    publish: async (now, next, step) => {
      const differs = (path: string): boolean => now.get(path)?.text !== next.get(path)?.text;
      const paths = [...new Set([...now.keys(), ...next.keys()])].filter(differs);
      let files = now;
      const become = (changed: readonly string[]): (() => void) => {
        const after = new Map(files);
        for (const path of changed) {
          const piece = next.get(path);
          if (piece === undefined) after.delete(path);
          else after.set(path, piece);
        }
        files = after;
        return step(files);
      };
      const linked = paths.filter((path) => path.startsWith(swapped));
      if (linked.length > 0) {
        for (const path of linked.filter((each) => !now.has(each) && next.has(each))) link(join(root, path), join("..data", path));
        const done = become(linked);
        swap(next);
        done();
        for (const path of linked.filter((each) => !next.has(each))) rmSync(join(root, path));
      }
      // Removals last: a policy that is moved is there twice for a moment, and never gone.
      const plain = paths.filter((path) => !linked.includes(path)).toSorted((a, b) => Number(next.has(b)) - Number(next.has(a)));
      const moves = new Map(
        plain.flatMap((to) => {
          const from = now.has(to) ? undefined : plain.find((path) => !next.has(path) && now.get(path)?.text === next.get(to)?.text);
          return from === undefined ? [] : [[to, from] as const];
        }),
      );
      for (const path of plain) {
        const from = moves.get(path);
        const piece = next.get(path);
        if ([...moves.values()].includes(path)) continue;
        const done = become(from === undefined ? [path] : [path, from]);
        if (from !== undefined) {
          mkdirSync(dirname(join(root, path)), { recursive: true });
          renameSync(join(root, from), join(root, path));
        } else if (piece === undefined) rmSync(join(root, path));
        else await write(path, piece, !now.has(path));
        done();
      }
    },
    pathOf: (resource, by) =>
      by.weigh([
        [3, () => `${resource}.yaml`],
        [2, () => `deep/${by.whole(3)}/${resource}.yml`],
        [1, () => `new-${by.whole(1000)}/er/${resource}.yaml`],
        [3, () => `${swapped}${resource}.yaml`],
      ]),
    administeredPathOf: (resource) => `resource.${resource}.vdefault.yaml`,
    troubles: [
      {
        name: "the folder is gone",
        isWritable: false,
        begin: async () => {
          renameSync(root, `${root}-away`);
          return async () => renameSync(`${root}-away`, root);
        },
      },
    ],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function link(path: string, target: string): void {
  symlinkSync(target, path);
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // there was none yet
  }
}
