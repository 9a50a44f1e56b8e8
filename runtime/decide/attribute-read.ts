/** What a selection reads of a request: an attribute, or a field that each principal and each resource has. */
import type { Expression, Select } from "../cel/ast.ts";
import { type Kinds, list, map, text } from "./value-kinds.ts";

/** Whose attributes there are. */
export type Owner = "principal" | "resource";

/** An attribute. */
export interface AttributeRead {
  readonly owner: Owner;
  readonly name: string;
}

/** Names that a macro gives something of its own: they stand for nothing of the request. */
export interface Taken {
  readonly has: (name: string) => boolean;
}

/** Whose attribute a selection reads, and which, if it reads one: `P.attr.x`, `has(request.resource.attr.x)`. */
export function attributeRead({ operand, field }: Select, taken?: Taken): AttributeRead | undefined {
  if (operand.kind !== "select" || operand.field !== "attr" || operand.test === true || operand.optional === true) return undefined;
  const owner = recordNamed(operand.operand, taken);
  return owner && { owner, name: field };
}

/** What kind of value the field is that a selection reads, if it is one that each record has. */
export function fieldRead({ operand, field }: Select, taken?: Taken): Kinds | undefined {
  const owner = recordNamed(operand, taken);
  return owner && fields[owner].get(field);
}

/** The record that `P`, `R`, `request.principal` and `request.resource` stand for. */
function recordNamed(tree: Expression, taken: Taken | undefined): Owner | undefined {
  if (isName(tree, "P", taken)) return "principal";
  if (isName(tree, "R", taken)) return "resource";
  if (tree.kind !== "select" || tree.test === true || tree.optional === true) return undefined;
  const { operand, field } = tree;
  return isName(operand, "request", taken) && (field === "principal" || field === "resource") ? field : undefined;
}

/** Says whether a tree is one of the names that stand for something of the request or the policy. */
export const isName = (tree: Expression, name: string, taken: Taken | undefined): boolean =>
  tree.kind === "identifier" && tree.name === name && tree.absolute === undefined && taken?.has(name) !== true;

const ofBoth: readonly (readonly [field: string, kinds: Kinds])[] = [
  ["id", text],
  ["attr", map],
  ["policyVersion", text],
  ["policy_version", text],
  ["scope", text],
];

const fields: { readonly [owner in Owner]: ReadonlyMap<string, Kinds> } = {
  principal: new Map([["roles", list], ...ofBoth]),
  resource: new Map([["kind", text], ...ofBoth]),
};
