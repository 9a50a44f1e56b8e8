/** Deduplicates equal declarations of a unit: its policies are often alike from scope to scope, and an engine compiles each function separately. */
import { invariant } from "../../runtime/cel/error.ts";
import type { Code, Name } from "./code.ts";
import { writeConstant } from "./constant.ts";
import type { Constant } from "./escape.ts";
import { printFlat } from "./print-code.ts";

/** What a unit declares, each thing once. */
export interface WithoutTwins {
  readonly body: readonly Code[];
  /** By which name that is there already a name goes whose declaration was left out. */
  readonly twins: ReadonlyMap<Name, Name>;
}

/**
 * Leaves out of a body each declaration that says what one before it says, whatever it is called. Constants and the indexes
 * of questions are part of what is said; the number of a variable is not: it is that of its function. What stands at the head
 * is kept: it may be a value that equals itself alone. So is what stands `apart`.
 */
export function withoutTwins(head: readonly Code[], body: readonly Code[], apart: ReadonlySet<Name>): WithoutTwins {
  const outer = new Map<Name, string>();
  const first = new Map<string, Name>();
  const twins = new Map<Name, Name>();
  for (const part of head) outer.set(declaredBy(part), `outer${outer.size}`);
  const kept = body.filter((part) => {
    if (part.kind === "comment") return true;
    const name = declaredBy(part);
    const said = textOf(part, name, (used) => outer.get(twins.get(used) ?? used));
    const isApart = apart.has(name);
    const known = isApart ? undefined : first.get(said);
    if (known === undefined) {
      if (!isApart) first.set(said, name);
      outer.set(name, `outer${outer.size}`);
    } else {
      twins.set(name, known);
    }
    return known === undefined;
  });
  return { body: kept, twins };
}

/** The name in `const name = ...`. */
function declaredBy(part: Code): Name {
  const start = part.kind === "block" ? part.open : part;
  const [keyword, name] = start.kind === "sequence" ? start.parts : [];
  invariant(keyword?.kind === "text" && keyword.text === "const " && name?.kind === "name", "a unit declares one name after the other");
  return name.name;
}

/** Prints a declaration: names from outside by what they stand for, its own by their order, constants as they are stored. */
function textOf(part: Code, name: Name, outerName: (used: Name) => string | undefined): string {
  const own = new Map<Name, string>([[name, "own0"]]);
  const nameOf = (used: Name): string => {
    const known = outerName(used) ?? own.get(used) ?? `own${own.size}`;
    if (known.startsWith("own")) own.set(used, known);
    return known;
  };
  // No text holds this character: what stands between two of them is data.
  const constant = (value: Constant): string => `\0${JSON.stringify(writeConstant(value))}\0`;
  return printFlat(part, { nameOf, numberOf: () => "", constant });
}
