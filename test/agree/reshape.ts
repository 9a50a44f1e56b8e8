/** Other stores made of a store: in another order, with a rule more or a rule less. */
import type { Document, Json } from "./document.ts";
import type { Random } from "./random.ts";

type Parts = { readonly [part: string]: Json };

/** The policies of a store that decide, and the derived roles, each as its kind and content. */
const parts = ["resourcePolicy", "principalPolicy", "rolePolicy", "derivedRoles"] as const;

/** Changes the content of every policy of one kind. */
export const reshape = (documents: readonly Document[], part: string, change: (content: Parts) => Parts): readonly Document[] =>
  documents.map((document) => {
    const content = document[part];
    return isParts(content) ? { ...document, [part]: change(content) } : document;
  });

/** The same rules, in another order; the same files, by other names. */
export const shuffle = (random: Random, documents: readonly Document[]): readonly Document[] => {
  const shuffled = parts.reduce(
    (before, part) =>
      reshape(before, part, (content) => ({
        ...content,
        ...shuffleList(random, content, "definitions"),
        ...shuffleList(random, content, "rules", (rule) => ({ ...rule, ...shuffleList(random, rule, "actions") })),
      })),
    documents,
  );
  return anyOrder(random, shuffled);
};

function shuffleList(random: Random, content: Parts, name: string, change = (item: Parts): Parts => item): Parts {
  const list = content[name];
  return isList(list) ? { [name]: anyOrder(random, list).map((item) => (isParts(item) ? change(item) : item)) } : {};
}

/** All of them, in an order that chance has chosen. */
function anyOrder<T>(random: Random, items: readonly T[]): readonly T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.whole(left.length), 1));
}

/** The rules of resource and principal policies that `keep` keeps; the others are gone. */
export function keepRules(documents: readonly Document[], keep: (rule: Parts) => boolean): readonly Document[] {
  const kept = (list: Json | undefined): readonly Parts[] => (isList(list) ? list.filter(isParts).filter(keep) : []);
  const resources = reshape(documents, "resourcePolicy", (content) => ({ ...content, rules: kept(content["rules"]) }));
  return reshape(resources, "principalPolicy", (content) => {
    const rules = isList(content["rules"]) ? content["rules"].filter(isParts) : [];
    return {
      ...content,
      rules: rules.map((rule) => ({ ...rule, actions: kept(rule["actions"]) })).filter(({ actions }) => actions.length > 0),
    };
  });
}

/** The rules of resource and principal policies. */
export function rulesOf(documents: readonly Document[]): readonly Parts[] {
  const found: Parts[] = [];
  keepRules(documents, (rule) => {
    found.push(rule);
    return true;
  });
  return found;
}

/** Without role policies, and with scopes that all may decide alone. */
export function plain(documents: readonly Document[]): readonly Document[] {
  const free = (content: Parts): Parts => Object.fromEntries(Object.entries(content).filter(([name]) => name !== "scopePermissions"));
  const withoutLimits = documents.filter((document) => document["rolePolicy"] === undefined);
  return reshape(reshape(withoutLimits, "resourcePolicy", free), "principalPolicy", free);
}

/** With one more rule in some resource policy, somewhere among the others. */
export function addRule(random: Random, documents: readonly Document[], rule: Parts): readonly Document[] {
  const policies = documents.filter((document) => document["resourcePolicy"] !== undefined && document["disabled"] !== true);
  const chosen = random.pick(policies);
  return documents.flatMap((document) =>
    document === chosen
      ? reshape([document], "resourcePolicy", (content) => {
          const rules = isList(content["rules"]) ? content["rules"] : [];
          return { ...content, rules: rules.toSpliced(random.whole(rules.length + 1), 0, rule) };
        })
      : [document],
  );
}

const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
const isParts = (json: Json | undefined): json is Parts => typeof json === "object" && json !== null && !isList(json);
