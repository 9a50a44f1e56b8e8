/** What the reference 0.51 has no words for, said in the words that it has. */
import type { Condition, Json, Match, Policy, RolePolicy, Store } from "./store.ts";

/** Role policies have no variables, constants, rule names or outputs there: the former are written out, the latter left out. */
export const forPeer = (store: Store): Store => ({
  ...store,
  files: store.files.map((file) => {
    const { rolePolicy } = file.policy;
    return rolePolicy === undefined ? file : { ...file, policy: { ...file.policy, rolePolicy: plainRolePolicy(store, rolePolicy) } };
  }),
});

function plainRolePolicy(store: Store, { variables, constants, rules, ...rest }: RolePolicy): RolePolicy {
  const imported = <T>(
    names: readonly string[],
    from: (policy: Policy) => { readonly name: string; readonly definitions: T } | undefined,
  ): readonly T[] =>
    store.files.flatMap(({ policy }) => {
      const set = from(policy);
      return set !== undefined && names.includes(set.name) ? [set.definitions] : [];
    });
  // Each may name those before it, so the last is written out first.
  const texts = [...imported(variables?.import ?? [], (policy) => policy.exportVariables), variables?.local ?? {}].flatMap(
    Object.entries<string>,
  );
  const values = [...imported(constants?.import ?? [], (policy) => policy.exportConstants), constants?.local ?? {}].flatMap(
    Object.entries<Json>,
  );
  const inline = (text: string): string =>
    [
      ...values.map(([name, value]) => ["C|constants", name, literal(value)] as const),
      ...texts.map(([name, expression]) => ["V|variables", name, `(${expression})`] as const),
    ]
      .toReversed()
      .reduce(
        (whole, [prefix, name, replacement]) =>
          whole
            .replaceAll(new RegExp(`\\bhas\\((?:${prefix})\\.${name}\\)`, "g"), "true")
            .replaceAll(new RegExp(`\\b(?:${prefix})\\.${name}\\b`, "g"), () => replacement),
        text,
      );
  return {
    ...rest,
    rules: rules.map(({ resource, allowActions, condition }) => ({
      resource,
      allowActions,
      ...(condition !== undefined && { condition: mapCondition(condition, inline) }),
    })),
  };
}

/** Constants are JSON, so their numbers are doubles. */
const literal = (value: Json): string =>
  typeof value === "number" ? `double(${value})` : Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value);

const mapCondition = ({ match }: Condition, change: (text: string) => string): Condition => ({ match: mapMatch(match, change) });

function mapMatch(match: Match, change: (text: string) => string): Match {
  if ("expr" in match) return { expr: change(match.expr) };
  if ("all" in match) return { all: { of: match.all.of.map((each) => mapMatch(each, change)) } };
  if ("any" in match) return { any: { of: match.any.of.map((each) => mapMatch(each, change)) } };
  return { none: { of: match.none.of.map((each) => mapMatch(each, change)) } };
}
