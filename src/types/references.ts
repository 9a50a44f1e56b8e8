/** Resolves references between schemas to named types. Each schema is converted once, and reference cycles are handled. */
import type { Dialect } from "../schemas/dialects.ts";
import type { Find } from "./schema-documents.ts";
import { typeOfSchema, descriptionOf } from "./schema-type.ts";
import { openNames } from "./text.ts";
import { word, type Type } from "./type.ts";

/** A named type. */
export interface Named {
  readonly name: string;
  readonly type: Type;
  readonly description: string;
}

/** The types that have been referred to. */
export interface References {
  /** Returns the type of a reference: `unknown` when its target is not known. */
  readonly refer: (reference: string, from?: Dialect) => Type;
  /** Returns all types, in the order of first reference. */
  readonly all: () => readonly Named[];
}

/** Opens the references between documents. */
export function openReferences(find: Find): References {
  const nameFor = openNames();
  const known = new Map<string, Type>();
  const named: Named[] = [];
  const waiting: (() => void)[] = [];
  let isWorking = false;
  const refer: References["refer"] = (written, from) => {
    const reference = written.replace(/#$/, "");
    const before = known.get(reference);
    if (before !== undefined) return before;
    const place = find(reference, from);
    if (place === undefined) return word("unknown");
    const name = nameFor(place.hint);
    const type: Type = { kind: "reference", name };
    known.set(reference, type);
    const at = named.push({ name, type: word("unknown"), description: descriptionOf(place.schema) }) - 1;
    // Processed iteratively, so that a long chain of references does not overflow the stack.
    const { dialect } = place;
    waiting.push(() => {
      named[at] = {
        name,
        type: typeOfSchema(place.schema, { dialect, refer: (inner) => refer(inner, dialect) }),
        description: descriptionOf(place.schema),
      };
    });
    if (!isWorking) {
      isWorking = true;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
      isWorking = false;
    }
    return type;
  };
  return { refer, all: () => withoutCircles(named) };
}

/** Replaces types that consist of themselves without an object or list in between: they are meaningless, and TypeScript refuses them. */
function withoutCircles(named: readonly Named[]): readonly Named[] {
  const direct = new Map(named.map(({ name, type }) => [name, directly(type)] as const));
  return named.map((each) => {
    const reached = new Set<string>();
    const pending = [...(direct.get(each.name) ?? [])];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      pending.push(...(direct.get(next) ?? []));
    }
    return reached.has(each.name) ? { ...each, type: word("unknown") } : each;
  });
}

function directly(type: Type): readonly string[] {
  if (type.kind === "reference") return [type.name];
  return type.kind === "union" || type.kind === "intersection" ? type.of.flatMap(directly) : [];
}
