/** Schemas of random stores: which policies name them, when they are ignored, and what the server does about what violates them. */
import type { Random } from "../agree/random.ts";
import type { File, Json, ResourcePolicy, SchemaReference, Store } from "./store.ts";

/** The files under `_schemas`; the attributes that requests send satisfy each now and then. */
export const schemaFiles: { readonly [name: string]: Json } = {
  "few.json": { properties: { n: { type: "number", maximum: 2 }, s: { enum: ["a", "b"] } } },
  "unsure.json": { required: ["unsure"], properties: { unsure: { type: ["number", "string"] } } },
  "deep/list.json": {
    properties: {
      l: { type: "array", items: { const: "a" }, minItems: 1 },
      o: { required: ["k"], properties: { k: {} }, additionalProperties: false },
      owner: { $ref: "#/$defs/who" },
    },
    $defs: { who: { pattern: "^a" } },
  },
  "principal.json": { required: ["tags"], properties: { level: { maximum: 2 }, dept: { const: "hr" } } },
  "both.json": { allOf: [{ $ref: "few.json" }, { $ref: "deep/list.json" }] },
  "anything.json": {},
  "nothing-else.json": { properties: { level: {}, dept: {}, n: {}, s: {}, l: {}, b: {}, owner: {} }, additionalProperties: false },
};

/** Actions for which a schema is ignored: all are globs, with a star or without. */
const ignoredActions = ["view", "edit", "create", "delete", "*", "**", "view:*", "view:**", "e*", "{view,edit}", "[c-d]*", "v?ew", "x*"];

/** Half of the stores have schemas: policies of any scope name some, though only those of the root count. */
export function withSchemas(random: Random, store: Store): Store {
  if (random.chance(0.5)) return store;
  return {
    ...store,
    schemaEnforcement: random.pick(["warn", "reject", "reject"]),
    files: store.files.map((file): File => {
      const { resourcePolicy } = file.policy;
      // A rule that is merged onto another needs no schema, and its file is written in a way of its own.
      if (resourcePolicy === undefined || file.style === "merge" || random.chance(0.3)) return file;
      return { ...file, policy: { ...file.policy, resourcePolicy: { ...resourcePolicy, schemas: someSchemas(random) } } };
    }),
  };
}

const someSchemas = (random: Random): NonNullable<ResourcePolicy["schemas"]> => ({
  ...(random.chance(0.5) && { principalSchema: reference(random) }),
  ...(random.chance(0.7) && { resourceSchema: reference(random) }),
});

const reference = (random: Random): SchemaReference => ({
  ref: `${random.pick(["authz:///", ""])}${random.chance(0.02) ? "not-there.json" : random.pick(Object.keys(schemaFiles))}`,
  ...(random.chance(0.4) && { ignoreWhen: { actions: random.some(1, 3, ignoredActions) } }),
});
