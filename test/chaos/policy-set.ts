/** What a store holds during the chaos run: files whose meaning is known, and the one answer that the whole of them must give. */

/** A file of a store: its text, and what it means. */
export interface Piece {
  readonly text: string;
  readonly meaning: Meaning;
}

/** What a file means. Generations count up over a run: no two policies of one kind and generation differ. */
export type Meaning =
  | Policy
  /** Constants that policies import: their generation is in every output of those. */
  | { readonly kind: "constants"; readonly generation: number }
  /** The derived role is active when the generation is even. */
  | { readonly kind: "roles"; readonly generation: number }
  /** Attributes are valid when the generation is even. */
  | { readonly kind: "schema"; readonly generation: number }
  /** Nothing compiles beside it. */
  | { readonly kind: "broken" }
  /** Policies that are never asked for. */
  | { readonly kind: "ballast" };

/** A policy for one kind of resource. */
export interface Policy {
  readonly kind: "policy";
  readonly resource: string;
  readonly generation: number;
  readonly form: Form;
  readonly isDisabled: boolean;
}

/** What a policy leans on. */
export type Form = "plain" | "constants" | "roles" | "schema";

/** All files by their paths; schemas below `_schemas/`. */
export type Files = ReadonlyMap<string, Piece>;

/** The kinds of resources that are asked for, all of them in every request. */
export const resources: readonly string[] = Array.from({ length: 10 }, (_, index) => `kind${index}`);

/** Where the schema lies. */
export const schemaFile = "_schemas/shape.json";

/** The request: whatever is answered must be of one set. */
export const request = {
  principal: { id: "ann", roles: ["user"] },
  resources: resources.map((kind) => ({ actions: ["view", "edit"], resource: { kind, id: kind, attr: { even: true } } })),
};

/** Returns the answer that these files must give: one part for each kind of resource; "broken" when they must not come into force. */
export function answerOf(files: Files): string {
  const meanings = [...files.values()].map(({ meaning }) => meaning).filter((meaning) => meaning.kind !== "policy" || !meaning.isDisabled);
  const only = <K extends Meaning["kind"]>(kind: K): readonly Extract<Meaning, { kind: K }>[] =>
    meanings.filter((meaning): meaning is Extract<Meaning, { kind: K }> => meaning.kind === kind);
  const [constants, ...moreConstants] = only("constants");
  const [roles, ...moreRoles] = only("roles");
  const [schema] = only("schema");
  const policies = only("policy");
  const lacks = (policy: Policy): boolean =>
    (policy.form === "constants" && constants === undefined) || (policy.form === "roles" && roles === undefined);
  const isBroken =
    only("broken").length + moreConstants.length + moreRoles.length > 0 ||
    policies.some(lacks) ||
    new Set(policies.map(({ resource }) => resource)).size < policies.length;
  if (isBroken) return "broken";
  const parts = resources.map((resource) => {
    const policy = policies.find((each) => each.resource === resource);
    return policy === undefined ? absent(resource) : partOf(policy, constants?.generation, roles?.generation, schema?.generation);
  });
  return parts.join(" ");
}

const absent = (resource: string): string => part(resource, ["DENY", "DENY"], [], false);

function partOf(policy: Policy, constants = 0, roles = 0, schema = 1): string {
  const { resource, generation, form } = policy;
  const output = form === "constants" ? `${resource}@${generation}/${constants}` : `${resource}@${generation}`;
  const mayEdit = form === "roles" && isEven(roles);
  return part(
    resource,
    [isEven(generation) ? "ALLOW" : "DENY", mayEdit ? "ALLOW" : "DENY"],
    [output, ...(mayEdit ? [`edit@${generation}`] : [])],
    form === "schema" && !isEven(schema),
  );
}

const isEven = (generation: number): boolean => generation % 2 === 0;

/** One part of an answer. */
function part(resource: string, effects: readonly string[], outputs: readonly string[], isInvalid: boolean): string {
  return `${resource}:${effects.join("+")}:${outputs.toSorted().join("+")}${isInvalid ? ":invalid" : ""}`;
}

/** What is read of a reply. */
interface Reply {
  readonly results?: readonly {
    readonly resource: { readonly kind: string };
    readonly actions: { readonly [action: string]: string };
    readonly outputs?: readonly { readonly val?: unknown }[];
    readonly validationErrors?: readonly unknown[];
  }[];
}

/** Reads a reply as an answer of the same form. */
export function readAnswer(body: unknown): string {
  // Whatever is not a reply gives an answer that no set gives.
  const { results = [] } = (body ?? {}) as Reply;
  return results
    .map(({ resource, actions, outputs = [], validationErrors = [] }) =>
      part(
        resource.kind,
        ["view", "edit"].map((action) => (actions[action] ?? "none").replace("EFFECT_", "")),
        outputs.map(({ val }) => String(val)),
        validationErrors.length > 0,
      ),
    )
    .join(" ");
}
