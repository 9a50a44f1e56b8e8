/** CheckResources: the fields of its request and of its response. */
import { expect } from "vitest";
import { row, type Section } from "./section.ts";

const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export const request: Section = {
  heading: "CheckResources request (JSON body)",
  rows: [
    row("requestId", async ({ check }) => expect((await check()).json.requestId).toBe("r1")),
    row("includeMeta", async ({ result }) => {
      expect((await result({ request: { includeMeta: true } })).meta).toBeDefined();
      expect((await result({ request: { includeMeta: false } })).meta).toBeUndefined();
    }),
    row("principal", async ({ check }) => expect(await violation(check({ request: { principal: null } }))).toBe("principal required")),
    row("principal.id", async ({ check }) => expect(await violation(check({ principal: { id: "" } }))).toBe("principal.id required")),
    row("principal.roles", async ({ check }) =>
      expect(await violation(check({ principal: { roles: [] } }))).toBe("principal.roles required"),
    ),
    row("principal attributes", async ({ result }) => {
      const asked = { entry: { actions: ["lead"] } };
      expect((await result({ ...asked, principal: { attr: { lead: true } } })).actions).toEqual({ lead: "EFFECT_ALLOW" });
      expect((await result(asked)).actions).toEqual({ lead: "EFFECT_DENY" });
    }),
    row("principal policy version", async ({ result }) => {
      const asked = { entry: { actions: ["archive"] }, resource: { scope: "acme" } };
      const cleo = { id: "cleo", scope: "acme" };
      expect((await result({ ...asked, principal: { ...cleo, policyVersion: "v2" } })).actions).toEqual({ archive: "EFFECT_ALLOW" });
      expect((await result({ ...asked, principal: cleo })).actions).toEqual({ archive: "EFFECT_DENY" });
    }),
    row("principal scope", async ({ result }) => {
      const asked = { entry: { actions: ["archive"] }, resource: { scope: "acme" } };
      const cleo = { id: "cleo", policyVersion: "v2" };
      expect((await result({ ...asked, principal: { ...cleo, scope: "acme" } })).actions).toEqual({ archive: "EFFECT_ALLOW" });
      expect((await result({ ...asked, principal: cleo })).actions).toEqual({ archive: "EFFECT_DENY" });
    }),
    row("resources", async ({ check }) => expect(await violation(check({ request: { resources: [] } }))).toBe("resources required")),
    row("resources[].actions", async ({ check }) => {
      expect(await violation(check({ entry: { actions: [] } }))).toBe("resources[0].actions required");
      expect(await violation(check({ entry: { actions: ["edit", "edit"] } }))).toBe("resources[0].actions repeated.unique");
    }),
    row("resources[].resource", async ({ check }) =>
      expect(await violation(check({ entry: { resource: null } }))).toBe("resources[0].resource required"),
    ),
    row("resources[].resource.kind", async ({ check }) =>
      expect(await violation(check({ resource: { kind: "" } }))).toBe("resources[0].resource.kind required"),
    ),
    row("resources[].resource.id", async ({ check }) =>
      expect(await violation(check({ resource: { id: "" } }))).toBe("resources[0].resource.id required"),
    ),
    row("resources[].resource.attr", async ({ result }) => {
      expect((await result({ resource: { attr: { owner: "ann" } } })).actions).toEqual({ edit: "EFFECT_ALLOW" });
      expect((await result({ resource: { attr: { owner: "bob" } } })).actions).toEqual({ edit: "EFFECT_DENY" });
    }),
    row("resource policy version", async ({ result }) => {
      const attr = { owner: "bob" };
      expect((await result({ resource: { attr, policyVersion: "v2" } })).actions).toEqual({ edit: "EFFECT_ALLOW" });
      expect((await result({ resource: { attr } })).actions).toEqual({ edit: "EFFECT_DENY" });
    }),
    row("resource scope", async ({ result }) => {
      expect((await result({ entry: { actions: ["share"] } })).actions).toEqual({ share: "EFFECT_DENY" });
      expect((await result({ entry: { actions: ["share"], resource: scoped } })).actions).toEqual({ share: "EFFECT_ALLOW" });
    }),
    row("auxiliary data", async ({ result, token, check }) => {
      const entry = { actions: ["claim"] };
      const jwt = { token: await token({ team: "red" }), keySetId: "k" };
      expect((await result({ entry: { ...entry, resource: { kind: "album", id: "a1" } }, request: { auxData: { jwt } } })).actions).toEqual(
        {
          claim: "EFFECT_ALLOW",
        },
      );
      expect((await check({ request: { auxData: { jwt: { ...jwt, keySetId: "other" } } } })).status).toBe(400);
    }),
  ],
};

export const response: Section = {
  heading: "CheckResources response (JSON body)",
  rows: [
    row("requestId", async ({ check }) => expect((await check({ request: { requestId: "mine" } })).json.requestId).toBe("mine")),
    row("results", async ({ check }) => {
      const entry = (id: string): object => ({ actions: ["edit"], resource: { kind: "album", id } });
      const { json } = await check({ request: { resources: [entry("a"), entry("b"), entry("a")] } });
      expect(json.results.map(({ resource }) => resource.id)).toEqual(["a", "b", "a"]);
    }),
    row("results[].resource.id", async ({ result }) => expect((await result()).resource.id).toBe("a1")),
    row("results[].resource.kind", async ({ result }) => expect((await result()).resource.kind).toBe("album")),
    row("results[].resource.policyVersion", async ({ result }) => {
      expect((await result()).resource.policyVersion).toBe("default");
      expect((await result({ resource: { policyVersion: "v2" } })).resource.policyVersion).toBe("v2");
    }),
    row("results[].resource scope", async ({ result }) =>
      expect((await result({ entry: { resource: { kind: "album", id: "a1", scope: "acme" } } })).resource.scope).toBe("acme"),
    ),
    row("results[].actions", async ({ result }) =>
      expect((await result({ entry: { actions: ["edit", "view:all", "burn"] } })).actions).toEqual({
        edit: "EFFECT_ALLOW",
        "view:all": "EFFECT_ALLOW",
        burn: "EFFECT_DENY",
      }),
    ),
    row("results[].validation errors", async ({ result }) => {
      expect((await result({ resource: { attr: { owner: 7 } } })).validationErrors).toMatchObject([
        { path: "/owner", source: "SOURCE_RESOURCE" },
      ]);
      expect((await result()).validationErrors).toBeUndefined();
    }),
    row("results[].meta", async ({ result }) => {
      expect((await result({ request: { includeMeta: true } })).meta).toBeDefined();
      expect((await result()).meta).toBeUndefined();
    }),
    row("results[].meta.actions", async ({ result }) => {
      const { meta } = await result({ request: { includeMeta: true }, entry: { actions: ["edit"], resource: scoped } });
      expect(meta.actions).toEqual({ edit: { matchedPolicy: "resource.album.vdefault/acme" } });
      const shared = await result({ request: { includeMeta: true }, entry: { actions: ["share"], resource: scoped } });
      expect(shared.meta.actions).toEqual({ share: { matchedPolicy: "resource.album.vdefault/acme", matchedScope: "acme" } });
    }),
    row("results[].meta.effectiveDerivedRoles", async ({ result }) =>
      expect((await result({ request: { includeMeta: true } })).meta.effectiveDerivedRoles).toEqual(["owner"]),
    ),
    row("results[].outputs", async ({ result }) =>
      expect((await result()).outputs).toEqual([{ src: "resource.album.vdefault#owners-edit", action: "edit", val: "edited by ann" }]),
    ),
    row("audit call ID", async ({ check, audited }) => {
      const { authzCallId } = (await check()).json;
      expect(authzCallId).toMatch(ulid);
      expect(await audited(authzCallId, "decision")).toMatchObject({ callId: authzCallId });
    }),
  ],
};

const scoped = { kind: "album", id: "a1", attr: { owner: "ann" }, scope: "acme" };

/** Returns the path and the rule of the first violation of a refused request. */
async function violation(
  answer: Promise<{ readonly status: number; readonly json: { readonly details: readonly unknown[] } }>,
): Promise<string> {
  const { status, json } = await answer;
  expect(status).toBe(400);
  const { violations } = json.details[0] as { readonly violations: readonly { readonly fieldPath: string; readonly ruleId: string }[] };
  return violations.map(({ fieldPath, ruleId }) => `${fieldPath} ${ruleId}`)[0] ?? "";
}
