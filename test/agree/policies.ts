/** Random policy sets as documents that the real front end reads. */
import type { Random } from "./random.ts";
import { conditionText, expressionText } from "./expressions.ts";
import type { Names } from "./leaves.ts";
import { actionPatterns, kinds, numbers, rolePatterns, versions, words } from "./vocabulary.ts";

/** A policy file's content, as JSON. */
export interface Document {
  readonly apiVersion: string;
  readonly [part: string]: Json;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Says whether an expression compiles on its own; the names it may use are declared elsewhere. */
export type Accepts = (expression: string) => boolean;

/** Makes a policy set: a few resource policies and what they import. */
export function makePolicies(random: Random, accepts: Accepts): readonly Document[] {
  const until =
    (write: (random: Random, names: Names) => string) =>
    (names: Names): string => {
      for (let attempt = 0; attempt < 50; attempt++) {
        const text = write(random, names);
        if (text.length < 2000 && accepts(text)) return text;
      }
      return "true";
    };
  const condition = until(conditionText);
  const expression = until(expressionText);

  const sharedVariables = random.some(0, 2, ["shared_a", "shared_b"]);
  const sharedConstants = random.some(0, 2, ["shared_c", "shared_d"]);
  const variables: Document = document("exportVariables", { name: "shared_variables", definitions: chain(sharedVariables, []) });
  const constants: Document = document("exportConstants", {
    name: "shared_constants",
    definitions: Object.fromEntries(sharedConstants.map((name) => [name, constant(random)])),
  });

  // Each variable may read those before it; YAML gives no order, so the names are in no useful one either.
  function chain(
    names: readonly string[],
    constantNames: readonly string[],
    before: readonly string[] = [],
  ): { readonly [name: string]: Json } {
    return Object.fromEntries(
      names.map((name, index) => {
        const known = { variables: [...before, ...names.slice(0, index)], constants: constantNames, locals: [], complete: false };
        return [name, random.chance(0.5) ? condition(known) : expression(known)];
      }),
    );
  }

  /** The blocks that bring variables and constants into a policy, and the names they bring. */
  function definitions(prefix: string): { readonly blocks: { readonly [part: string]: Json }; readonly names: Names } {
    const importsVariables = random.chance(0.4);
    const importsConstants = random.chance(0.4);
    const localConstants = random.some(0, 2, [`${prefix}_one`, "constructor", "two"]);
    const constantNames = [...localConstants, ...(importsConstants ? sharedConstants : [])];
    const imported = importsVariables ? sharedVariables : [];
    const localVariables = random.some(0, 3, [`${prefix}_z`, "toString", "b", "a"]);
    const blocks = {
      variables: { ...(importsVariables && { import: ["shared_variables"] }), local: chain(localVariables, constantNames, imported) },
      constants: {
        ...(importsConstants && { import: ["shared_constants"] }),
        local: Object.fromEntries(localConstants.map((name) => [name, constant(random)])),
      },
    };
    return { blocks, names: { variables: [...imported, ...localVariables], constants: constantNames, locals: [], complete: true } };
  }

  function match(names: Names, depth: number): Json {
    return random.weigh<Json>([
      [7, () => ({ expr: condition(names) })],
      ...(["all", "any", "none"] as const).map(
        (kind) => [depth > 0 ? 1.2 : 0, () => ({ [kind]: { of: random.several(1, 3, () => match(names, depth - 1)) } })] as const,
      ),
    ]);
  }

  const conditioned = (probability: number, names: Names): { readonly condition?: Json } =>
    random.chance(probability) ? { condition: { match: match(names, 2) } } : {};

  function derivedRoleSet(name: string, roles: readonly string[]): Document {
    const { blocks, names } = definitions(name);
    return document("derivedRoles", {
      name,
      ...blocks,
      definitions: roles.map((role) => ({
        name: role,
        parentRoles: random.some(1, 3, rolePatterns),
        ...conditioned(0.8, names),
      })),
    });
  }

  const sets = random.some(0, 2, [
    { name: "set_one", roles: ["near", "far"] },
    { name: "set_two", roles: ["constructor", "deep"] },
  ]);

  function resourcePolicy(resource: string, version: string): Document {
    const { blocks, names } = definitions("own");
    const imported = sets.filter(() => random.chance(0.8));
    const roles = imported.flatMap((set) => set.roles);
    return document("resourcePolicy", {
      resource,
      version,
      ...(imported.length > 0 && { importDerivedRoles: imported.map((set) => set.name) }),
      ...blocks,
      rules: random.several(random.chance(0.03) ? 0 : 3, 9, (index) => {
        const derivedRoles = random.chance(0.4) ? random.some(1, 2, roles) : [];
        return {
          ...(random.chance(0.1) && { name: `rule-00${9 - index}` }),
          actions: random.some(1, 3, actionPatterns),
          effect: random.chance(0.55) ? "EFFECT_ALLOW" : "EFFECT_DENY",
          ...(derivedRoles.length > 0 && { derivedRoles }),
          ...((derivedRoles.length === 0 || random.chance(0.3)) && { roles: random.some(1, 2, rolePatterns) }),
          ...conditioned(0.65, names),
        };
      }),
    });
  }

  const places = new Map(
    random.several(2, 4, () => [random.pick(kinds), random.pick(versions)] as const).map((place) => [place.join("@"), place]),
  );
  return [
    ...[...places.values()].map(([kind, version]) => resourcePolicy(kind, version)),
    ...sets.map(({ name, roles }) => derivedRoleSet(name, roles)),
    variables,
    constants,
  ];
}

const document = (kind: string, content: Json): Document => ({ apiVersion: "api.authz.dev/v1", [kind]: content });

const constant = (random: Random): Json =>
  random.weigh<Json>([
    [3, () => random.pick(numbers)],
    [3, () => random.pick(words)],
    [2, () => random.chance(0.5)],
    [1, () => null],
    [2, () => random.several(0, 3, () => random.pick([...words, 1, 2]))],
    [2, () => ({ state: random.pick(words), count: random.pick(numbers), constructor: "constant" })],
  ]);
