/** Copies results that share parts with the constants of a program, so that a caller may keep and change them. */
import { childrenOf } from "../../compiler/cel/children.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { CelMap, type Value } from "../../runtime/cel/value.ts";

/** Returns a copying function for an expression whose result may be or contain a constant of the program; undefined if it cannot. */
export const detacherFor = (tree: Expression): ((value: Value) => Value) | undefined =>
  holdsConstants(tree) ? (value) => copy(value, new Map()) : undefined;

/** Lists, maps and bytes of an expression become constants, and so may the results of calls on them. */
function holdsConstants(tree: Expression): boolean {
  if (tree.kind === "list" || tree.kind === "map" || tree.kind === "call") return true;
  if (tree.kind === "literal") return tree.value instanceof Uint8Array;
  return childrenOf(tree).some(holdsConstants);
}

/**
 * Copies lists, maps and bytes. Immutable values, and objects that came from JSON (which belong to the caller), are returned as they
 * are. A shared part is copied once, because there can be exponentially many paths to it.
 */
function copy(value: Value, copies: Map<object, Value>): Value {
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const made = copyParts(value, (part) => copy(part, copies));
  copies.set(value, made);
  return made;
}

function copyParts(value: Value & object, part: (value: Value) => Value): Value {
  if (isList(value)) return value.map(part);
  if (value instanceof Uint8Array) return value.slice();
  if (value instanceof CelMap) return new CelMap(new Map(Array.from(value.entries, ([key, [written, of]]) => [key, [written, part(of)]])));
  return value;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
