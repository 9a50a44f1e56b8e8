/** Writes policies of every type for tests, in few words. */
import { stringify } from "yaml";

interface Rest {
  readonly scope?: string;
  readonly version?: string;
  readonly [field: string]: unknown;
}

const policy = (body: object): string => stringify({ apiVersion: "api.authz.dev/v1", ...body });

/** `allow view, edit to user, manager if R.attr.open`; further fields of the rule behind it. */
export const rule = (words: string, more: object = {}): object => {
  const [, effect, actions, roles, expr] = /^(allow|deny) (.+?) to (.+?)(?: if (.+))?$/.exec(words) ?? [];
  if (effect === undefined || actions === undefined || roles === undefined) throw new Error(`not a rule: ${words}`);
  const named = roles.split(", ");
  const derived = named.flatMap((role) => (role.startsWith("derived ") ? [role.slice("derived ".length)] : []));
  const plain = named.filter((role) => !role.startsWith("derived "));
  return {
    actions: actions.split(", "),
    effect: `EFFECT_${effect.toUpperCase()}`,
    ...(plain.length > 0 && { roles: plain }),
    ...(derived.length > 0 && { derivedRoles: derived }),
    ...(expr !== undefined && { condition: { match: { expr } } }),
    ...more,
  };
};

/** A resource policy. */
export const resource = (kind: string, rules: readonly (string | object)[], rest: Rest = {}): string =>
  policy({
    resourcePolicy: {
      resource: kind,
      version: "default",
      ...rest,
      rules: rules.map((each) => (typeof each === "string" ? rule(each) : each)),
    },
  });

/** A principal policy: `doc: allow view if R.attr.open`. */
export const principal = (id: string, rules: readonly string[], rest: Rest = {}): string => {
  const byKind = new Map<string, object[]>();
  for (const words of rules) {
    const [, kind, effect, action, expr] = /^(.+?): (allow|deny) (.+?)(?: if (.+))?$/.exec(words) ?? [];
    if (kind === undefined || effect === undefined) throw new Error(`not a rule: ${words}`);
    byKind.set(kind, [
      ...(byKind.get(kind) ?? []),
      { action, effect: `EFFECT_${effect.toUpperCase()}`, ...(expr !== undefined && { condition: { match: { expr } } }) },
    ]);
  }
  return policy({
    principalPolicy: {
      principal: id,
      version: "default",
      ...rest,
      rules: Array.from(byKind, ([kind, actions]) => ({ resource: kind, actions })),
    },
  });
};

/** A role policy: `doc: view, edit if R.attr.open`. */
export const role = (name: string, parentRoles: readonly string[], rules: readonly (string | object)[], rest: Rest = {}): string =>
  policy({
    rolePolicy: {
      role: name,
      version: "default",
      ...rest,
      ...(parentRoles.length > 0 && { parentRoles }),
      rules: rules.map((words) => {
        if (typeof words !== "string") return words;
        const [, kind, actions, expr] = /^(.+?): (.+?)(?: if (.+))?$/.exec(words) ?? [];
        if (actions === undefined) throw new Error(`not a rule: ${words}`);
        return { resource: kind, allowActions: actions.split(", "), ...(expr !== undefined && { condition: { match: { expr } } }) };
      }),
    },
  });

/** Derived roles: `owner of user, guest if R.attr.owner == P.id`. */
export const derivedRoles = (name: string, definitions: readonly string[], rest: object = {}): string =>
  policy({
    derivedRoles: {
      name,
      ...rest,
      definitions: definitions.map((words) => {
        const [, defined, parents, expr] = /^(\S+) of (.+?)(?: if (.+))?$/.exec(words) ?? [];
        if (parents === undefined) throw new Error(`not a derived role: ${words}`);
        return { name: defined, parentRoles: parents.split(", "), ...(expr !== undefined && { condition: { match: { expr } } }) };
      }),
    },
  });
