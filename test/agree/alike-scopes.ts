/** Stores in which scopes of one policy say the same, as those of tenants do, or the same but for one word. */
import type { Document, Json } from "./document.ts";
import type { Random } from "./random.ts";
import { reshape } from "./reshape.ts";
import { changeOne } from "./twins.ts";

type Parts = { readonly [part: string]: Json };

/** What makes policies scopes of one, by type. */
const named = { resourcePolicy: "resource", principalPolicy: "principal", rolePolicy: "role" } as const;

/** Gives most scopes of a policy the rules of one of them, and takes from all what makes functions stand apart: derived roles, variables, outputs. */
export function alikeScopes(random: Random, documents: readonly Document[]): readonly Document[] {
  const models = new Map<string, Parts>();
  return Object.entries(named).reduce(
    (before, [part, name]) =>
      reshape(before, part, (content) => {
        if (random.chance(0.2)) return content;
        const own = simple(content);
        const key = JSON.stringify([part, content[name]]);
        const model = models.get(key) ?? own;
        models.set(key, model);
        const change = part === "resourcePolicy" ? random.pick([asIs, asIs, changeOne, otherConditions]) : asIs;
        return {
          ...own,
          constants: random.chance(0.3) ? otherConstants(model["constants"]) : (model["constants"] ?? {}),
          rules: change(random, listOf(model["rules"])),
        };
      }),
    documents,
  );
}

const asIs = (_: Random, rules: readonly Json[]): readonly Json[] => rules;

/** Without what a policy brings along but its constants, and without rules that need the rest. */
function simple(content: Parts): Parts {
  const left = Object.entries(content).filter(([part]) => !["importDerivedRoles", "variables", "schemas"].includes(part));
  const rules = listOf(content["rules"]).map(withoutOutput).filter(needsNothing);
  return { ...Object.fromEntries(left), rules };
}

/** Constants by the same names, of the same kinds. */
function otherConstants(constants: Json | undefined): Json {
  if (!isParts(constants) || !isParts(constants["local"])) return constants ?? {};
  return {
    ...constants,
    local: Object.fromEntries(Object.entries(constants["local"]).map(([name, value]) => [name, otherConstant(value)])),
  };
}

const otherConstant = (value: Json): Json =>
  typeof value === "number" ? value + 1 : typeof value === "string" ? `${value}x` : typeof value === "boolean" ? !value : value;

/** The same rules, each with the condition of another. */
function otherConditions(random: Random, rules: readonly Json[]): readonly Json[] {
  const from = random.whole(rules.length + 1);
  return rules.map((rule, at) => {
    const other = rules[(at + from) % rules.length];
    if (!isParts(rule) || !isParts(other)) return rule;
    const { condition: _, ...rest } = rule;
    return other["condition"] === undefined ? rest : { ...rest, condition: other["condition"] };
  });
}

const withoutOutput = (json: Json): Json => {
  if (isList(json)) return json.map(withoutOutput);
  if (!isParts(json)) return json;
  return Object.fromEntries(Object.entries(json).flatMap(([part, value]) => (part === "output" ? [] : [[part, withoutOutput(value)]])));
};

const needsNothing = (rule: Json): boolean => !/"derivedRoles"|\bV\.|\bvariables\b|\bV\b/.test(JSON.stringify(rule));

const listOf = (json: Json | undefined): readonly Json[] => (isList(json) ? json : []);
const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
const isParts = (json: Json | undefined): json is Parts => typeof json === "object" && json !== null && !isList(json);
