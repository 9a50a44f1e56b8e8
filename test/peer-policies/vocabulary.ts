/** The names and texts that random stores and requests are made of. */

/** Kinds of resources; some change when they are sanitised, some look as if they would and do not. */
export const kinds = ["album", "doc", "leave-request", "report:draft", "a b", "ns/photo@v1", "doc:9x", "constructor"];
/** Kinds that only requests name: other spellings of those above, and one that has no policy. */
export const otherKinds = ["leave_request", "report_draft", "ns_photo_v1", "ghost"];

export const roles = ["user", "admin", "team_a", "team_b", "my-role", "clerk", "boss", "__proto__", "é", "user:x"];
/** Role patterns of ordinary rules: 0.51 knows no other wildcard. */
export const rolePatterns = [...roles.filter((role) => role !== "__proto__"), "user", "user", "admin", "*"];

export const principals = ["ann", "bob", "pat-1"];
export const otherPrincipals = ["pat_1", "zoe"];

/** Some begin as others do, without being within them. */
export const scopes = ["acme", "acme.hr", "acme.hr.uk", "acme.hr.uk.x.y", "acme.h", "acme-hr", "acmehr", "beta", "beta.x-1"];
export const versions = ["default", "default", "default", "v2"];

export const actions = ["view", "edit", "create", "delete", "view:own", "view:own:x", "edit:own", "x1", "x:"];
/** Actions that are spelled as patterns of some rules are. */
export const patternActions = ["view?", "{view,edit}", "{view", "*", "e*"];
export const actionPatterns = [
  "view",
  "view",
  "edit",
  "edit",
  "create",
  "delete",
  "view:own",
  "*",
  "*",
  "view:*",
  "view:**",
  "*:own",
  "**:x",
  "e*",
  "{view,edit}*",
  "[c-e]*",
  "[!v]*",
  "view?",
  "{view,edit}",
  "*:*",
  "x?*",
  "{view",
  "[z-",
  "*w",
  "v*w",
  "**",
  "view:own:*",
  "\\view*",
];
/** Actions of role policies: what looks like a glob has a `*`, since 0.51 reads others as plain text. */
export const allowedActions = ["view", "view", "edit", "create", "delete", "*", "view*", "view:*", "view:**", "e*", "{view,edit}*", "x1"];
/** What role policies of one kind of store allow: globs without `*`. */
export const starlessGlobs = ["x?", "{view,edit}", "[c-e]reate", "view:???", "{create,delete}"];

/** Attributes of resources and the values that they take; `absent` is an attribute that is not there. */
export const resourceValues = {
  n: [1, 2, 3, 5, 2.5],
  s: ["a", "b", "apple"],
  l: [["a"], ["a", "b"], []],
  b: [true, false],
  owner: ["ann", "bob", "pat-1"],
  o: [{ k: 1 }, { k: 2, deep: { x: "y" } }, {}],
} as const;
export const principalValues = {
  level: [1, 2, 3],
  dept: ["hr", "it"],
  tags: [["a"], ["b", "c"], []],
} as const;
/** What the attribute `unsure` may be when it is there at all. */
export const unsureValues = [1, 4, "text", null, [1], true];
