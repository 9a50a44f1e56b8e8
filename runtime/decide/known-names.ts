/**
 * What is certain about the variables and constants of a policy or role, computed once for all conditions that read
 * them.
 */
import { attributeRead } from "./attribute-read.ts";
import { NeedsCollector } from "./needs-collector.ts";
import { type KnownNames, type KnownVariable, sureKinds } from "./sure-kinds.ts";
import type { Names } from "./trees.ts";
import { any, kindsOf } from "./value-kinds.ts";

/** A cache of that, for the duration of one analysis. */
export type KnownOf = Map<Names, KnownNames>;

/** Returns what is certain about the names of a policy or role. */
export function knownNames(names: Names, known: KnownOf): KnownNames {
  const before = known.get(names);
  if (before !== undefined) return before;
  const found = readNames(names);
  known.set(names, found);
  return found;
}

function readNames({ variables, constants }: Names): KnownNames {
  const known = new Map<string, KnownVariable>();
  const names: KnownNames = {
    variable: (name) => known.get(name),
    constant: (name) => {
      const value = constants.get(name);
      return value === undefined ? 0 : kindsOf(value);
    },
  };
  // In dependency order: each variable may read those before it.
  for (const { name, expression } of variables) {
    const { tree } = expression;
    const needed = new NeedsCollector();
    const kinds = sureKinds(tree, any, { needed, names, present: undefined, iteration: undefined });
    // A bundle may define a name twice; the last definition counts.
    known.delete(name);
    if (kinds === 0 || needed.isTooMuch) continue;
    const isRead = tree.kind === "select" && tree.test !== true && tree.optional !== true;
    known.set(name, { kinds, needed, read: isRead ? attributeRead(tree) : undefined });
  }
  return names;
}
