/** Hierarchies: names in levels, `a.b.c`, compared level by level. */
import { toPosition } from "../access.ts";
import { global, method, type FunctionRow } from "../declare.ts";
import { EvalError, evalError, invariant } from "../error.ts";
import { Hierarchy } from "../hierarchy.ts";
import { split } from "../string-operations.ts";
import { bool, int, listOf, opaque, string } from "../type.ts";
import type { Opaque, Value } from "../value.ts";
import { work } from "../work.ts";

const hierarchy = opaque("hierarchy");

type Levels = readonly string[];

function levelsOf(value: Opaque): Levels {
  invariant(value instanceof Hierarchy, "dispatch let only hierarchies through");
  work(1 + value.levels.length);
  return value.levels;
}

function fromText(text: string, delimiter: string): Hierarchy | EvalError {
  const levels = split(text, delimiter);
  return levels instanceof EvalError ? levels : new Hierarchy(levels);
}

function fromList(list: readonly Value[]): Hierarchy | EvalError {
  const levels: string[] = [];
  for (const level of list) {
    if (typeof level !== "string") return evalError("no such overload", "a hierarchy is made of strings");
    levels.push(level);
  }
  return new Hierarchy(levels);
}

const startsWith = (whole: Levels, start: Levels): boolean =>
  start.length <= whole.length && start.every((level, i) => level === whole[i]);
const isAncestor = (of: Levels, ancestor: Levels): boolean => of.length > ancestor.length && startsWith(of, ancestor);
const isParent = (of: Levels, parent: Levels): boolean => of.length === parent.length + 1 && startsWith(of, parent);
const areSiblings = (left: Levels, right: Levels): boolean => left.length === right.length && startsWith(left, right.slice(0, -1));
const overlap = (left: Levels, right: Levels): boolean => startsWith(left, right) || startsWith(right, left);

/**
 * The common leading levels. Of two equally long hierarchies the last level is excluded, because it is nobody's
 * ancestor.
 */
function commonAncestors(left: Levels, right: Levels): Hierarchy {
  const most = left.length === right.length ? left.length - 1 : Math.min(left.length, right.length);
  const different = left.findIndex((level, i) => i >= most || level !== right[i]);
  return new Hierarchy(left.slice(0, different < 0 ? most : different));
}

function levelAt(levels: Levels, position: bigint): string | EvalError {
  const at = toPosition(position) ?? -1;
  return (at < 0 ? undefined : levels[at]) ?? evalError("index out of bounds", String(position));
}

const relation = (name: string, holds: (left: Levels, right: Levels) => boolean, ...examples: FunctionRow["examples"]): FunctionRow =>
  method(name, name, [hierarchy, hierarchy], bool, (x, y) => holds(levelsOf(x), levelsOf(y)), examples);

/** Functions on hierarchies. */
export const hierarchies: readonly FunctionRow[] = [
  global("hierarchy", "hierarchy_string",        [string],         hierarchy, (text) => fromText(text, "."), [['hierarchy("a.b").size()', "2"], ['hierarchy("").size()', "1"]]),
  global("hierarchy", "hierarchy_string_string", [string, string], hierarchy, fromText, [['hierarchy("a:b", ":")', 'hierarchy(["a", "b"])']]),
  global("hierarchy", "hierarchy_stringarray",   [listOf(string)], hierarchy, fromList, [['hierarchy(["a", "b"]) == hierarchy("a.b")', "true"], ['hierarchy(dyn(["a", 1]))', "error: no such overload"]]),
  relation("ancestorOf",        (x, y) => isAncestor(y, x), ['hierarchy("a.b").ancestorOf(hierarchy("a.b.c.d"))', "true"], ['hierarchy("a").ancestorOf(hierarchy("a"))', "false"]),
  relation("descendentOf",      isAncestor,                 ['hierarchy("a.b.c").descendentOf(hierarchy("a"))', "true"]),
  relation("immediateParentOf", (x, y) => isParent(y, x),   ['hierarchy("a.b").immediateParentOf(hierarchy("a.b.c"))', "true"]),
  relation("immediateChildOf",  isParent,                   ['hierarchy("a.b.c").immediateChildOf(hierarchy("a"))', "false"]),
  relation("overlaps",          overlap,                    ['hierarchy("a.b.c").overlaps(hierarchy("a.b"))', "true"], ['hierarchy("a.x").overlaps(hierarchy("a.b"))', "false"]),
  relation("siblingOf",         areSiblings,                ['hierarchy("a.b").siblingOf(hierarchy("a.c"))', "true"], ['hierarchy("a").siblingOf(hierarchy("b"))', "true"]),
  method("commonAncestors", "commonAncestors", [hierarchy, hierarchy], hierarchy, (x, y) => commonAncestors(levelsOf(x), levelsOf(y)),
    [['hierarchy("a.b.c.d").commonAncestors(hierarchy("a.b.x"))', 'hierarchy(["a", "b"])'], ['hierarchy("a.b").commonAncestors(hierarchy("a.b"))', 'hierarchy(["a"])']]),
  method("size", "hierarchy_size",  [hierarchy],      int,    (x) => BigInt(levelsOf(x).length), [['hierarchy("a.b.c").size()', "3"]]),
  global("_[_]", "hierarchy_index", [hierarchy, int], string, (x, position) => levelAt(levelsOf(x), position), [['hierarchy("a.b")[1]', '"b"'], ['hierarchy("a.b")[2]', "error: index out of bounds"]]),
];
