/**
 * Removes duplicate declarations of a unit: its policies often repeat from scope to scope, and JavaScript engines
 * compile each function separately.
 */
import { invariant } from "../../runtime/cel/error.ts";
import type { Code, Name } from "./code.ts";
import { writeConstant } from "./constant.ts";
import type { Constant } from "./escape.ts";
import { printFlat } from "./print-code.ts";

/** A unit's declarations without duplicates. */
export interface UniqueDeclarations {
  readonly body: readonly Code[];
  /** For each removed name, the name that replaces it. */
  readonly originals: ReadonlyMap<Name, Name>;
}

/**
 * Removes each declaration in `body` that equals an earlier one except for its name. Constants and question indexes
 * are compared; numbers of cached variables are not, because they belong to the function. Declarations in `head` are
 * kept, because their values may be compared by identity; so are those in `unmerged`.
 */
export function dropDuplicates(head: readonly Code[], body: readonly Code[], unmerged: ReadonlySet<Name>): UniqueDeclarations {
  const outer = new Map<Name, string>();
  const first = new Map<string, Name>();
  const originals = new Map<Name, Name>();
  for (const part of head) outer.set(declaredBy(part), `outer${outer.size}`);
  const kept = body.filter((part) => {
    if (part.kind === "comment") return true;
    const name = declaredBy(part);
    const said = textOf(part, name, (used) => outer.get(originals.get(used) ?? used));
    const isUnmerged = unmerged.has(name);
    const known = isUnmerged ? undefined : first.get(said);
    if (known === undefined) {
      if (!isUnmerged) first.set(said, name);
      outer.set(name, `outer${outer.size}`);
    } else {
      originals.set(name, known);
    }
    return known === undefined;
  });
  return { body: kept, originals };
}

/** The name in `const name = ...`. */
function declaredBy(part: Code): Name {
  const start = part.kind === "block" ? part.open : part;
  const [keyword, name] = start.kind === "sequence" ? start.parts : [];
  invariant(keyword?.kind === "text" && keyword.text === "const " && name?.kind === "name", "a unit declares one name after the other");
  return name.name;
}

/**
 * Prints a declaration for comparison: outer names by what they stand for, its own names by order, constants as they
 * are stored.
 */
function textOf(part: Code, name: Name, outerName: (used: Name) => string | undefined): string {
  const own = new Map<Name, string>([[name, "own0"]]);
  const nameOf = (used: Name): string => {
    const known = outerName(used) ?? own.get(used) ?? `own${own.size}`;
    if (known.startsWith("own")) own.set(used, known);
    return known;
  };
  // The text contains this character nowhere else, so it delimits data unambiguously.
  const constant = (value: Constant): string => `\0${JSON.stringify(writeConstant(value))}\0`;
  return printFlat(part, { nameOf, numberOf: () => "", constant });
}
