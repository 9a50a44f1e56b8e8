/** Policy documents: the shapes that the document shows. */
import { expect } from "vitest";
import { row, type Section } from "./section.ts";

export const documents: Section = {
  heading: "Policy documents",
  rows: [
    row("Resource policy: apiVersion (api.authz.dev/v1), resourcePolicy with importDerivedRoles", async ({ result }) => {
      expect(
        (await result({ entry: { actions: ["edit", "view:all", "publish"] }, resource: { attr: { owner: "ann", public: true } } })).actions,
      ).toEqual({ edit: "EFFECT_ALLOW", "view:all": "EFFECT_ALLOW", publish: "EFFECT_ALLOW" });
      expect((await result({ entry: { actions: ["publish"] } })).actions).toEqual({ publish: "EFFECT_DENY" });
    }),
    row("Derived roles: apiVersion, derivedRoles with name and definitions.", async ({ result }) => {
      const rolesOf = async (changes: object): Promise<unknown> =>
        (await result({ request: { includeMeta: true }, ...changes })).meta.effectiveDerivedRoles;
      expect(await rolesOf({})).toEqual(["owner"]);
      expect(await rolesOf({ resource: { attr: { owner: "bob" } } })).toBeUndefined();
      expect(await rolesOf({ principal: { roles: ["guest"] } })).toBeUndefined();
    }),
  ],
};
