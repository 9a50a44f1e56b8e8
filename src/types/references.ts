/** Resolves references between schemas to named types. Each schema is converted once, and reference cycles are handled. */
import type { Dialect } from "../schemas/dialects.ts";
import type { FindSchema } from "./schema-documents.ts";
import { typeOfSchema, descriptionOf } from "./schema-type.ts";
import { openTypeNames } from "./escape.ts";
import { keyword, type Type } from "./type.ts";

/** A named type. */
export interface NamedType {
  readonly name: string;
  readonly type: Type;
  readonly description: string;
}

/** The types that have been referred to. */
export interface References {
  /** Returns the type of a reference: `unknown` when its target is not known. */
  readonly typeOfReference: (reference: string, from?: Dialect) => Type;
  /** Returns all types, in the order of first reference. */
  readonly namedTypes: () => readonly NamedType[];
}

/** Opens the references between documents. */
export function openReferences(find: FindSchema): References {
  const nameFor = openTypeNames();
  const known = new Map<string, Type>();
  const named: NamedType[] = [];
  const waiting: (() => void)[] = [];
  let isWorking = false;
  const typeOfReference: References["typeOfReference"] = (written, from) => {
    const reference = written.replace(/#$/, "");
    const before = known.get(reference);
    if (before !== undefined) return before;
    const place = find(reference, from);
    if (place === undefined) return keyword("unknown");
    const name = nameFor(place.nameHint);
    const type: Type = { kind: "reference", name };
    known.set(reference, type);
    const at = named.push({ name, type: keyword("unknown"), description: descriptionOf(place.schema) }) - 1;
    // Processed iteratively, so that a long chain of references does not overflow the stack.
    const { dialect } = place;
    waiting.push(() => {
      named[at] = {
        name,
        type: typeOfSchema(place.schema, { dialect, typeOfReference: (inner) => typeOfReference(inner, dialect) }),
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
  return { typeOfReference, namedTypes: () => breakCycles(named) };
}

/** Replaces types that consist of themselves without an object or list in between: they are meaningless, and TypeScript refuses them. */
function breakCycles(named: readonly NamedType[]): readonly NamedType[] {
  const direct = new Map(named.map(({ name, type }) => [name, directReferences(type)] as const));
  return named.map((each) => {
    const reached = new Set<string>();
    const pending = [...(direct.get(each.name) ?? [])];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      pending.push(...(direct.get(next) ?? []));
    }
    return reached.has(each.name) ? { ...each, type: keyword("unknown") } : each;
  });
}

function directReferences(type: Type): readonly string[] {
  if (type.kind === "reference") return [type.name];
  return type.kind === "union" || type.kind === "intersection" ? type.of.flatMap(directReferences) : [];
}
