/** Stores and requests on which the reference 0.51.0 was asked, with the answer that is right. */
import type { Entry, Policy, Principal } from "./store.ts";

/** What is right for one action. */
export interface Found {
  readonly sentence: string;
  readonly policies: readonly Policy[];
  readonly principal: Principal;
  readonly entry: Entry;
  /** The last action's effect, policy and scope. */
  readonly answer: readonly [effect: "allow" | "deny", policy: string, scope: string];
}

const allowAll: Policy = {
  resourcePolicy: { resource: "album", version: "default", rules: [{ actions: ["*"], roles: ["user"], effect: "EFFECT_ALLOW" }] },
};
const clerk = (...allowed: readonly (readonly [action: string, condition?: string])[]): Policy => ({
  rolePolicy: {
    role: "clerk",
    version: "default",
    parentRoles: ["user"],
    rules: allowed.map(([action, expr]) => ({
      resource: "*",
      allowActions: [action],
      ...(expr !== undefined && { condition: { match: { expr } } }),
    })),
  },
});
const near: Policy = { derivedRoles: { name: "set", definitions: [{ name: "near", parentRoles: ["user"] }] } };
const asks = (...actions: readonly string[]): Entry => ({ resource: { kind: "album", id: "x1" }, actions });
const ann = (...roles: readonly string[]): Principal => ({ id: "ann", roles });

export const cases: readonly Found[] = [
  {
    sentence: "a role policy's * does not cross a colon",
    policies: [allowAll, clerk(["view:*"])],
    principal: ann("clerk"),
    entry: asks("view:own:x"),
    answer: ["deny", "role.clerk.vdefault", ""],
  },
  {
    sentence: "a role policy's ** does",
    policies: [allowAll, clerk(["view:**"])],
    principal: ann("clerk"),
    entry: asks("view:own:x"),
    answer: ["allow", "resource.album.vdefault", ""],
  },
  {
    sentence: "a role rule whose pattern does not match has no say, though it matches another's pattern (D36)",
    policies: [allowAll, clerk(["view:*", "false"], ["view:**"])],
    principal: ann("clerk"),
    entry: asks("view:own:x"),
    answer: ["allow", "resource.album.vdefault", ""],
  },
  {
    sentence: "of two role rules with the same pattern, both have a say (D36)",
    policies: [allowAll, clerk(["{view,edit}*", "false"], ["{view,edit}*"])],
    principal: ann("clerk"),
    entry: asks("view"),
    answer: ["deny", "role.clerk.vdefault", ""],
  },
  {
    sentence: "a rule that is called as another by itself is another rule (D30)",
    policies: [
      {
        resourcePolicy: {
          resource: "album",
          version: "default",
          rules: [
            { name: "rule-002", actions: ["edit"], roles: ["user"], effect: "EFFECT_ALLOW" },
            { actions: ["view"], roles: ["user"], effect: "EFFECT_ALLOW", condition: { match: { expr: "false" } } },
          ],
        },
      },
    ],
    principal: ann("user"),
    entry: asks("view", "edit"),
    answer: ["allow", "resource.album.vdefault", ""],
  },
  {
    sentence: "a pattern without a star is plain text, whatever else is asked for",
    policies: [
      {
        resourcePolicy: {
          resource: "album",
          version: "default",
          rules: [{ actions: ["{view,edit}"], roles: ["user"], effect: "EFFECT_ALLOW" }],
        },
      },
    ],
    principal: ann("user"),
    entry: asks("{view,edit}", "view"),
    answer: ["deny", "resource.album.vdefault", ""],
  },
  {
    sentence: "runtime.effectiveDerivedRoles is that of the scope where the rule stands, for every role",
    policies: [
      near,
      {
        resourcePolicy: {
          resource: "album",
          version: "default",
          scope: "acme",
          importDerivedRoles: ["set"],
          rules: [
            {
              actions: ["view"],
              derivedRoles: ["near"],
              effect: "EFFECT_DENY",
              condition: { match: { expr: '"near" in runtime.effectiveDerivedRoles' } },
            },
          ],
        },
      },
      allowAll,
    ],
    principal: ann("guest", "user"),
    entry: { resource: { kind: "album", id: "x1", scope: "acme" }, actions: ["view"] },
    answer: ["deny", "resource.album.vdefault/acme", "acme"],
  },
  {
    sentence: "a role policy without a rule for the kind says nothing where the scope has no rule for its roles",
    policies: [
      { rolePolicy: { role: "clerk", version: "default", rules: [{ resource: "album", allowActions: ["view"] }] } },
      {
        principalPolicy: {
          principal: "ann",
          version: "default",
          rules: [{ resource: "ghost", actions: [{ action: "other", effect: "EFFECT_ALLOW" }] }],
        },
      },
    ],
    principal: ann("clerk"),
    entry: { resource: { kind: "ghost", id: "x1" }, actions: ["view"] },
    answer: ["deny", "NO_MATCH", ""],
  },
];
