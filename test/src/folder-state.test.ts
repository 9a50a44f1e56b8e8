/** What becomes of a folder's state when files change or go between a listing and the reading, or without another stamp. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FolderState, isAsRead, readDifferent, withFound } from "../../src/store/folder-state.ts";
import { listTree, type Tree } from "../../src/store/tree.ts";
import { temporaryFolder } from "../server/harness.ts";

const schema = "_schemas/memo.json";
const files = { "memo.yaml": "a", "doc.yaml": "b", [schema]: "{}" };
/** As after a reading: nothing is known to have changed since. */
const stateOf = (root: string, more: Partial<FolderState>): FolderState => ({
  tree: { ...listTree(root), doubtful: new Set<string>() },
  unreadable: new Map(),
  young: new Map(),
  ...more,
});
type Step = ReturnType<typeof withFound>;
const read = (root: string, before: FolderState, now: Tree): Step => withFound(before, now, readDifferent(root, before, now));
const readNext = (root: string, { state }: Step): Step => read(root, state, listTree(root, undefined, state.tree));
const gone = ({ changes }: Step): readonly string[] => [...changes.removed, ...changes.removedSchemas];
const pipe = new Map([["memo.yaml", { path: "memo.yaml", message: "it is a pipe" }]]);

test.each<[sentence: string, path: string, more: Partial<FolderState>]>([
  ["a policy that was read soon after it was written", "memo.yaml", { young: new Map([["memo.yaml", "a"]]) }],
  ["a schema that was", schema, { young: new Map([[schema, "{}"]]) }],
  ["a policy that could not be read", "memo.yaml", { unreadable: pipe }],
])("what was looked at and not found is told to be gone once a listing lacks it: %s", (_sentence, path, more) => {
  const root = temporaryFolder(files);
  const state = stateOf(root, more);
  rmSync(join(root, path));
  const inBetween = read(root, state, state.tree);
  const then = readNext(root, inBetween);
  expect([gone(inBetween), inBetween.state.tree.entries.has(path)]).toEqual([[], true]);
  expect([gone(then), then.state.tree.entries.has(path)]).toEqual([[path.replace("_schemas/", "")], false]);
  expect([then.changes.changed, then.changes.unreadable, then.state.young.size]).toEqual([[], [], 0]);
});

test.each<[sentence: string, path: string, more: Partial<FolderState>]>([
  ["a policy", "memo.yaml", {}],
  ["a policy that was read soon after it was written", "memo.yaml", { young: new Map([["memo.yaml", "a"]]) }],
  ["a policy that could not be read", "memo.yaml", { unreadable: pipe }],
  ["a schema", schema, {}],
])("what was listed as changed and removed before it was read is told to be gone, once: %s", (_sentence, path, more) => {
  const root = temporaryFolder(files);
  const state = stateOf(root, more);
  writeFileSync(join(root, path), "changed");
  const listed = listTree(root, undefined, state.tree);
  rmSync(join(root, path));
  const then = read(root, state, listed);
  const later = readNext(root, then);
  expect([gone(then), gone(later)]).toEqual([[path.replace("_schemas/", "")], []]);
  expect([then.changes.changed, then.changes.unreadable, then.state.young.size]).toEqual([[], [], 0]);
});

test.each<[sentence: string, more: Partial<FolderState>, changed: readonly string[]]>([
  ["a policy that held something else when it had just been written is told", { young: new Map([["memo.yaml", "before"]]) }, ["memo.yaml"]],
  ["a schema that did, too", { young: new Map([[schema, "[]"]]) }, ["memo.json"]],
  ["a policy that holds what it held then is not", { young: new Map([["memo.yaml", "a"]]) }, []],
  ["a policy that could not be read is told", { unreadable: pipe }, ["memo.yaml"]],
  ["what was read long after it was written is not read again", {}, []],
])("under the stamp of before, %s", (_sentence, more, wanted) => {
  const root = temporaryFolder(files);
  const state = stateOf(root, more);
  const { changes } = read(root, state, state.tree);
  expect([...changes.changed, ...changes.changedSchemas].map(({ path }) => path)).toEqual(wanted);
  expect([changes.removed, changes.unreadable]).toEqual([[], []]);
});

test.each<[sentence: string, path: string, more: Partial<FolderState>, edit: (file: string) => void, isSo: boolean]>([
  ["one that nobody touched", "memo.yaml", {}, () => undefined, true],
  ["one that nobody touched though it is young", "memo.yaml", { young: new Map([["memo.yaml", "a"]]) }, () => undefined, true],
  ["not one that holds something else under the same stamp", "memo.yaml", { young: new Map([["memo.yaml", "x"]]) }, () => undefined, false],
  ["not one that was changed", "memo.yaml", {}, (file) => writeFileSync(file, "changed"), false],
  ["not one that is gone", "memo.yaml", {}, (file) => rmSync(file), false],
  ["not one that is new", "new.yaml", {}, (file) => writeFileSync(file, ""), false],
  ["one that is not there, as before", "new.yaml", {}, () => undefined, true],
])("as it was read last is %s", (_sentence, path, more, edit, isSo) => {
  const root = temporaryFolder(files);
  const state = stateOf(root, more);
  edit(join(root, path));
  expect(isAsRead(root, state, path)).toBe(isSo);
});
