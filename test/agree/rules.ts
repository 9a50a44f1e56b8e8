/** Random rules of the three types of policy that decide, with conditions and outputs. */
import type { Write } from "./definitions.ts";
import type { Json } from "./document.ts";
import type { Names } from "./leaves.ts";
import type { Random } from "./random.ts";
import { actionPatterns, kindPatterns, listedActions, manyRoles, rolePatterns } from "./vocabulary.ts";

type Parts = { readonly [part: string]: Json };

/** Writes rules. */
export interface Rules {
  readonly resourceRules: (least: number, most: number, derivedRoles: readonly string[], names: Names) => readonly Parts[];
  readonly principalRules: (kind: string, names: Names) => readonly Parts[];
  readonly roleRules: (kind: string, names: Names) => readonly Parts[];
  /** A condition, with this probability. */
  readonly conditioned: (probability: number, names: Names) => Parts;
}

export function makeRules(random: Random, condition: Write, telling: Write): Rules {
  const match = (names: Names, depth: number): Json =>
    random.weigh<Json>([
      [7, () => ({ expr: condition(names) })],
      ...(["all", "any", "none"] as const).map(
        (kind) => [depth > 0 ? 1.2 : 0, () => ({ [kind]: { of: random.several(1, 3, () => match(names, depth - 1)) } })] as const,
      ),
    ]);
  const conditioned = (probability: number, names: Names): Parts =>
    random.chance(probability) ? { condition: { match: match(names, 2) } } : {};

  /** What a rule tells besides: in either case, in both, or in the deprecated form. */
  const told = (names: Names): Parts => {
    if (!random.chance(0.3)) return {};
    const ruleActivated = telling(names);
    const conditionNotMet = telling(names);
    return random.weigh<Parts>([
      [3, () => ({ output: { when: { ruleActivated, conditionNotMet } } })],
      [2, () => ({ output: { when: { ruleActivated } } })],
      [2, () => ({ output: { when: { conditionNotMet } } })],
      [1, () => ({ output: { expr: ruleActivated } })],
      [1, () => ({ output: { expr: ruleActivated, when: { conditionNotMet } } })],
    ]);
  };
  const effect = (): string => (random.chance(0.62) ? "EFFECT_ALLOW" : "EFFECT_DENY");

  return {
    conditioned,

    resourceRules: (least, most, derivedRoles, names) =>
      random.several(least, most, (index) => {
        const referred = random.chance(0.4) ? random.some(1, 2, derivedRoles) : [];
        const many = random.chance(0.012);
        return {
          // A name that another rule has by its place (D30).
          ...(random.chance(0.1) && { name: `rule-00${9 - index}` }),
          actions: random.some(1, 3, actionPatterns),
          effect: effect(),
          ...(referred.length > 0 && { derivedRoles: referred }),
          ...((referred.length === 0 || many || random.chance(0.3)) && {
            roles: many ? random.some(33, 45, manyRoles) : random.some(1, 3, rolePatterns),
          }),
          ...conditioned(0.65, names),
          ...told(names),
        };
      }),

    principalRules: (kind, names) => {
      const patterns = random.chance(0.03)
        ? [...random.some(1, 3, kindPatterns), ...manyKinds]
        : random.some(0, 4, [...kindPatterns, kind, kind]);
      return [...new Set(patterns)].map((resource) => ({
        resource,
        actions: random.several(1, 3, (index) => ({
          ...(random.chance(0.1) && { name: `named-${index}` }),
          action: random.pick(actionPatterns),
          effect: effect(),
          ...conditioned(0.75, names),
          ...told(names),
        })),
      }));
    },

    roleRules: (kind, names) => {
      const patterns = random.weigh<readonly string[]>([
        [3, () => [...manyKinds, ...random.some(1, 3, kindPatterns)]],
        // It only names parents.
        [12, () => []],
        [85, () => random.several(1, 4, () => random.pick([...kindPatterns, kind, kind, kind, "*"]))],
      ]);
      return patterns.map((resource) => ({
        ...(random.chance(0.4) && { name: random.pick(["limit", "other"]) }),
        resource,
        allowActions: random.some(1, 5, listedActions),
        ...(random.chance(0.15) ? { condition: { match: { expr: random.pick(aboutDerivedRoles) } } } : conditioned(0.5, names)),
        ...told(names),
      }));
    },
  };
}

/** What a role may do can depend on the derived roles of the resource's policy at its scope. */
const aboutDerivedRoles = [
  '"near" in runtime.effectiveDerivedRoles',
  '!("far" in runtime.effectiveDerivedRoles)',
  "size(runtime.effective_derived_roles) > 0",
];

/** So many kinds that one word of bits cannot count them. */
const manyKinds = Array.from({ length: 40 }, (_, index) => `kind_${index}`);
