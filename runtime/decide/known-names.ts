/** What the variables and constants of a policy or role come to for certain, found out once for all conditions that read them. */
import { attributeRead } from "./attribute-read.ts";
import { Needed } from "./needed.ts";
import { type KnownNames, type KnownVariable, sureKinds } from "./sure-kinds.ts";
import type { Names } from "./trees.ts";
import { any, kindsOf } from "./value-kinds.ts";

/** What is known of the names of several policies and roles: for as long as their conditions are read. */
export type KnownOf = Map<Names, KnownNames>;

/** What is known of the names of a policy or role. */
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
  // In dependency order: each reads those before it.
  for (const { name, expression } of variables) {
    const { tree } = expression;
    const needed = new Needed();
    const kinds = sureKinds(tree, any, { needed, names, present: undefined, turn: undefined });
    // The trees of a bundle may give a name twice, of which the last counts.
    known.delete(name);
    if (kinds === 0 || needed.isTooMuch) continue;
    const isRead = tree.kind === "select" && tree.test !== true && tree.optional !== true;
    known.set(name, { kinds, needed, read: isRead ? attributeRead(tree) : undefined });
  }
  return names;
}
