/** A file that is gone is told to be gone once a listing lacks it, also when it was looked at in between and not found. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FolderState, readDifferent, withFound } from "../../src/store/folder-state.ts";
import { listTree, type Tree } from "../../src/store/tree.ts";
import { temporaryFolder } from "../server/harness.ts";

const schema = "_schemas/memo.json";

test.each<[sentence: string, path: string, more: Partial<FolderState>]>([
  ["a policy that was read soon after it was written", "memo.yaml", { young: new Map([["memo.yaml", "a"]]) }],
  ["a schema that was", schema, { young: new Map([[schema, "{}"]]) }],
  [
    "a policy that could not be read",
    "memo.yaml",
    { unreadable: new Map([["memo.yaml", { path: "memo.yaml", message: "it is a pipe" }]]) },
  ],
])("%s", (_sentence, path, more) => {
  const root = temporaryFolder({ "memo.yaml": "a", "doc.yaml": "b", [schema]: "{}" });
  // As after a reading: nothing is known to have changed since.
  const tree = { ...listTree(root), doubtful: new Set<string>() };
  const state: FolderState = { tree, unreadable: new Map(), young: new Map(), ...more };
  rmSync(join(root, path));
  const read = (before: FolderState, now: Tree): ReturnType<typeof withFound> => withFound(before, now, readDifferent(root, before, now));
  const inBetween = read(state, tree);
  const then = read(inBetween.state, listTree(root, undefined, inBetween.state.tree));
  const gone = ({ changes }: typeof then): readonly string[] => [...changes.removed, ...changes.removedSchemas];
  expect([gone(inBetween), inBetween.state.tree.entries.has(path)]).toEqual([[], true]);
  expect([gone(then), then.state.tree.entries.has(path)]).toEqual([[path.replace("_schemas/", "")], false]);
  expect([then.changes.changed, then.changes.unreadable, then.state.young.size]).toEqual([[], [], 0]);
});
