/** Determines whether a selection reads an attribute of the request, or a standard field of principal or resource. */
import type { Expression, Select } from "../cel/ast.ts";
import { type Kinds, list, map, text } from "./value-kinds.ts";

/** Whose attribute it is. */
export type Owner = "principal" | "resource";

/** An attribute of the request. */
export interface AttributeRead {
  readonly owner: Owner;
  readonly name: string;
}

/** Variables of macros, which hide the standard names. */
export interface Taken {
  readonly has: (name: string) => boolean;
}

/** The attribute that a selection reads, if it reads one: `P.attr.x`, `has(request.resource.attr.x)`. */
export function attributeRead({ operand, field }: Select, taken?: Taken): AttributeRead | undefined {
  if (operand.kind !== "select" || operand.field !== "attr" || operand.test === true || operand.optional === true) return undefined;
  const owner = recordNamed(operand.operand, taken);
  return owner && { owner, name: field };
}

/** The value kinds of the standard field that a selection reads, if it reads one. */
export function fieldRead({ operand, field }: Select, taken?: Taken): Kinds | undefined {
  const owner = recordNamed(operand, taken);
  return owner && fields[owner].get(field);
}

/** The owner that a tree refers to: `P`, `R`, `request.principal` or `request.resource`. */
function recordNamed(tree: Expression, taken: Taken | undefined): Owner | undefined {
  if (isName(tree, "P", taken)) return "principal";
  if (isName(tree, "R", taken)) return "resource";
  if (tree.kind !== "select" || tree.test === true || tree.optional === true) return undefined;
  const { operand, field } = tree;
  return isName(operand, "request", taken) && (field === "principal" || field === "resource") ? field : undefined;
}

/** Whether a tree is this standard name and not a macro variable of the same name. */
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
