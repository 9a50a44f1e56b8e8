/** Random variables and constants: what policies bring along, and what they import. */
import type { Json } from "./document.ts";
import type { Names } from "./leaves.ts";
import type { Random } from "./random.ts";
import { numbers, words } from "./vocabulary.ts";

/** Writes an expression that compiles. */
export type Write = (names: Names) => string;

/** What all policies of a store can import, and what each can define. */
export interface Definitions {
  readonly exportVariables: Json;
  readonly exportConstants: Json;
  /** The blocks that bring variables and constants into a policy, and the names they bring. */
  readonly define: (prefix: string) => { readonly blocks: { readonly [part: string]: Json }; readonly names: Names };
}

export function makeDefinitions(random: Random, condition: Write, expression: Write): Definitions {
  const sharedVariables = random.some(0, 2, ["shared_a", "shared_b"]);
  const sharedConstants = random.some(0, 2, ["shared_c", "shared_d"]);

  // Each variable may read those before it; YAML gives no order, so the names are in no useful one either.
  const chain = (
    names: readonly string[],
    constantNames: readonly string[],
    before: readonly string[] = [],
  ): { readonly [name: string]: Json } =>
    Object.fromEntries(
      names.map((name, index) => {
        const known = { variables: [...before, ...names.slice(0, index)], constants: constantNames, locals: [] };
        const text = random.chance(0.5) ? condition(known) : expression(known);
        // One in a few takes all variables before it: without a draw, so that a seed's stores stay what they are.
        return [name, text.length % 12 === 0 ? "V" : text];
      }),
    );

  return {
    exportVariables: { name: "shared_variables", definitions: chain(sharedVariables, []) },
    exportConstants: {
      name: "shared_constants",
      definitions: Object.fromEntries(sharedConstants.map((name) => [name, constant(random)])),
    },
    define(prefix) {
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
      return { blocks, names: { variables: [...imported, ...localVariables], constants: constantNames, locals: [] } };
    },
  };
}

const constant = (random: Random): Json =>
  random.weigh<Json>([
    [3, () => random.pick(numbers)],
    [3, () => random.pick(words)],
    [2, () => random.chance(0.5)],
    [1, () => null],
    [2, () => random.several(0, 3, () => random.pick([...words, 1, 2]))],
    [2, () => ({ state: random.pick(words), count: random.pick(numbers), constructor: "constant" })],
  ]);
