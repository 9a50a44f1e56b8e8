/** A kind whose policies are those of another kind but for one word: alike enough to be taken for the same. */
import type { Document, Json } from "./document.ts";
import type { Random } from "./random.ts";
import { reshape } from "./reshape.ts";
import { kinds } from "./vocabulary.ts";

type Parts = { readonly [part: string]: Json };

/** Returns the policies with those of such a kind; as they are where every kind has policies already. */
export function addTwins(random: Random, documents: readonly Document[]): readonly Document[] {
  const taken = documents.flatMap((document) => contentOf(document)["resource"] ?? []);
  const free = kinds.filter((kind) => !taken.some((other) => typeof other === "string" && sanitised(other) === sanitised(kind)));
  if (free.length === 0 || taken.length === 0) return documents;
  const [model, twin] = [random.pick(taken), random.pick(free)];
  // Whoever tells something says who tells it, and no other program says that.
  const silent = random.chance(0.8);
  const all = documents.map((document) =>
    silent && contentOf(document)["resource"] === model
      ? rewrite(document, (content) => ({ ...content, rules: listOf(content["rules"]).map(withoutOutput) }))
      : document,
  );
  const copies = all.filter((document) => contentOf(document)["resource"] === model);
  // What an ALLOW and a DENY are made of is most alike where a scope needs its parents' consent.
  const consenting = copies.filter(
    (copy) => contentOf(copy)["scopePermissions"] === "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
  );
  const changed = random.pick(consenting.length > 0 && random.chance(0.8) ? consenting : copies);
  const twins = copies.map((copy) =>
    rewrite(copy, (content) => ({
      ...content,
      resource: twin,
      ...(copy === changed && { rules: changeOne(random, listOf(content["rules"])) }),
    })),
  );
  return [...all, ...twins];
}

const rewrite = (document: Document, change: (content: Parts) => Parts): Document =>
  reshape([document], "resourcePolicy", change)[0] ?? document;

const withoutOutput = (rule: Json): Json =>
  isParts(rule) ? Object.fromEntries(Object.entries(rule).filter(([part]) => part !== "output")) : rule;

/** The same rules, one of them with another effect, another role, or without its condition. */
export function changeOne(random: Random, list: readonly Json[]): readonly Json[] {
  const conditional = list.filter((rule) => isParts(rule) && rule["condition"] !== undefined);
  const chosen = list.length === 0 ? undefined : random.pick(conditional.length > 0 && random.chance(0.8) ? conditional : list);
  return list.map((rule) => {
    if (rule !== chosen || !isParts(rule)) return rule;
    const { condition, ...rest } = rule;
    return random.weigh<Json>([
      [4, () => ({ ...rule, effect: rule["effect"] === "EFFECT_ALLOW" ? "EFFECT_DENY" : "EFFECT_ALLOW" })],
      [1, () => ({ ...rest, roles: ["*"], ...(condition !== undefined && { condition }) })],
      [1, () => rest],
    ]);
  });
}

const contentOf = (document: Document): Parts => {
  const content = document["resourcePolicy"];
  return isParts(content) ? content : {};
};
const listOf = (json: Json | undefined): readonly Json[] => (isList(json) ? json : []);
const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
const isParts = (json: Json | undefined): json is Parts => typeof json === "object" && json !== null && !isList(json);
const sanitised = (name: string): string => name.replace("-", "_");
