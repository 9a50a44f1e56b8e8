/** The texts of policies, whole and broken. */
import { stringify } from "yaml";
import type { Random } from "../agree/random.ts";
import { schemaFile, type Files, type Form, type Meaning, type Piece, type Policy } from "./policy-set.ts";

const apiVersion = "api.authz.dev/v1";

/** The message of a policy, as YAML and the administration API take it. */
export function policyMessage({ resource, generation, form, isDisabled }: Policy): { readonly [field: string]: unknown } {
  const output = form === "constants" ? `"${resource}@${generation}/" + C.generation` : `"${resource}@${generation}"`;
  const view = {
    actions: ["view"],
    effect: generation % 2 === 0 ? "EFFECT_ALLOW" : "EFFECT_DENY",
    roles: ["user"],
    output: { when: { ruleActivated: output } },
  };
  const edit = {
    actions: ["edit"],
    effect: "EFFECT_ALLOW",
    derivedRoles: ["even"],
    output: { when: { ruleActivated: `"edit@${generation}"` } },
  };
  return {
    apiVersion,
    ...(isDisabled && { disabled: true }),
    resourcePolicy: {
      resource,
      version: "default",
      ...(form === "constants" && { constants: { import: ["chaos"] } }),
      ...(form === "roles" && { importDerivedRoles: ["chaos"] }),
      ...(form === "schema" && { schemas: { resourceSchema: { ref: "authz:///shape.json" } } }),
      rules: [view, ...(form === "roles" ? [edit] : [])],
    },
  };
}

/** The definition of the schema. */
export const schemaDefinition = (generation: number): object => ({ type: "object", required: [generation % 2 === 0 ? "even" : "odd"] });

/** Writes a policy. */
export const policyPiece = (resource: string, generation: number, form: Form): Piece => {
  const meaning: Policy = { kind: "policy", resource, generation, form, isDisabled: false };
  return { text: stringify(policyMessage(meaning)), meaning };
};

/** What the administration API has written: in its own words, which nobody here knows, but of this meaning. */
export const administeredPiece = (meaning: Policy | { readonly kind: "schema"; readonly generation: number }): Piece =>
  meaning.kind === "schema"
    ? { text: `${JSON.stringify(schemaDefinition(meaning.generation))} `, meaning }
    : { text: `${stringify(policyMessage(meaning))}# administered\n`, meaning };

/** Writes what policies lean on. */
export function sharedPiece(kind: "constants" | "roles" | "schema", generation: number): Piece {
  const meaning: Meaning = { kind, generation };
  switch (kind) {
    case "constants":
      return {
        text: stringify({ apiVersion, exportConstants: { name: "chaos", definitions: { generation: String(generation) } } }),
        meaning,
      };
    case "roles": {
      const expr = `R.attr.even && ${generation} % 2 == 0`;
      const definitions = [{ name: "even", parentRoles: ["user"], condition: { match: { expr } } }];
      return { text: stringify({ apiVersion, derivedRoles: { name: "chaos", definitions } }), meaning };
    }
    case "schema":
      return { text: JSON.stringify(schemaDefinition(generation)), meaning };
  }
}

/** Policies that are never asked for, so that a change is a small part of the whole. */
export const ballast: Files = new Map(
  Array.from({ length: 40 }, (_, index) => {
    const { text } = policyPiece(`ballast${index}`, index, "plain");
    return [`ballast/${index}.yaml`, { text, meaning: { kind: "ballast" } }] as const;
  }),
);

/** Ways to break a set: each gives a file that must not be there. */
export function breakage(random: Random, files: Files): readonly [path: string, piece: Piece] {
  const policies = [...files].filter(([path, { meaning }]) => meaning.kind === "policy" && path !== schemaFile);
  const [path, piece] = random.pick(policies);
  const broken = (text: string, at = path): readonly [string, Piece] => [at, { text, meaning: { kind: "broken" } }];
  return random.weigh([
    [1, () => broken("apiVersion: api.authz.dev/v1\nresourcePolicy: [unclosed\n")],
    [1, () => broken(piece.text.replace(/ruleActivated: .*/, 'ruleActivated: "\\"x\\" +"'))],
    [1, () => broken(piece.text.replace("version: default", "version: default\n  importDerivedRoles: [nobody]"), "new/import.yaml")],
    [1, () => broken(piece.text, "new/twice.yaml")],
    [1, () => broken(piece.text.replace(/EFFECT_\w+/, "EFFECT_PERHAPS"))],
    [1, () => broken(halfOf(random, piece))],
  ]);
}

/** The beginning of a file, as JSON: no beginning of it is whole. */
function halfOf(random: Random, { meaning, text }: Piece): string {
  const whole = meaning.kind === "policy" ? JSON.stringify(policyMessage(meaning)) : text;
  return whole.slice(0, 20 + random.whole(whole.length - 25));
}
