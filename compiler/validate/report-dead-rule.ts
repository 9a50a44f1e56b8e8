/** Warns of a rule that can never have an effect: its condition is always false, or an unconditional DENY covers it. */
import { openGlob } from "../../runtime/decide/glob.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { DerivedRolesDocument, Located, PolicyDocument, PrincipalPolicyDocument, ResourcePolicyDocument } from "../policy/document.ts";
import { outcomeOf } from "./outcome.ts";
import type { NamedRule, Rule, Subject } from "./rule.ts";

/**
 * Checks the rules of resource and principal policies. Role policies are skipped: their rules restrict, so even one
 * whose condition is always false has an effect.
 */
export const reportDeadRules: Rule = (subject, report) => {
  const { document, rules } = subject;
  if (document.kind !== "resource" && document.kind !== "principal") return;
  const never = new Set(rules.filter((rule) => neverHolds(rule, document)));
  for (const rule of never)
    report(
      dead(rule, `the condition of \`${rule.name}\` never holds, so the rule never applies`, "remove the rule, or mend its condition"),
    );
  if (!rules.some(denies)) return;
  const covered = document.kind === "resource" ? coveredRules(document, subject) : coveredActions(document, rules);
  const found = covered.filter(({ rule }) => !never.has(rule));
  // One mistake, told once: many take such a rule at the end for what happens when no other rule applies.
  const denial = document.kind === "resource" && found.length > 1 ? denialOfAll(document, rules) : undefined;
  if (denial !== undefined)
    return report(
      dead(
        denial,
        `\`${denial.name}\` denies every action to every role, so no other rule of this policy ever allows anything`,
        "remove it: what no rule allows is denied anyway",
      ),
    );
  for (const { rule, by } of found) {
    report({
      ...dead(
        rule,
        `\`${rule.name}\` never allows anything: \`${by.name}\` denies the same without a condition`,
        "for one role, a DENY beats every ALLOW; remove one of the two, or give the DENY a condition",
      ),
      notes: [{ span: by.span, message: "the rule that denies" }],
    });
  }
};

const dead = ({ span, path }: NamedRule, message: string, hint: string): Diagnostic => ({
  code: "dead-rule",
  severity: "warning",
  span,
  path,
  message,
  hint,
});

/**
 * Whether a rule's condition never holds and this leaves it without effect. An output for the case that it does not
 * hold is an effect; and where parental consent is required, a conditional ALLOW denies while its condition does not
 * hold.
 */
function neverHolds({ condition, output, effect }: NamedRule, document: PolicyDocument): boolean {
  if (condition === undefined || output?.conditionNotMet !== undefined) return false;
  const isTurned = "scopePermissions" in document && document.scopePermissions?.value === "require parental consent" && effect === "allow";
  return !isTurned && outcomeOf(condition) === false;
}

interface Covered {
  readonly rule: NamedRule;
  readonly by: NamedRule;
}

const denies = ({ effect, condition }: Pick<NamedRule, "effect" | "condition">): boolean => effect === "deny" && condition === undefined;
/** A rule with an output has an effect even if it allows nothing. */
const onlyAllows = ({ effect, output }: Pick<NamedRule, "effect" | "output">): boolean => effect === "allow" && output === undefined;

const denialOfAll = (document: ResourcePolicyDocument, named: readonly NamedRule[]): NamedRule | undefined =>
  named.find(
    (rule, index) =>
      denies(rule) && [document.rules[index]?.actions, document.rules[index]?.roles].every((list) => texts(list ?? []).includes("*")),
  );

function coveredRules(document: ResourcePolicyDocument, { rules: named, derivedRoles: imported }: Subject): readonly Covered[] {
  const rules = document.rules.flatMap((rule, index) => {
    const known = named[index];
    return known === undefined ? [] : [{ rule, named: known }];
  });
  const denials = rules
    .filter(({ named: each, rule }) => denies(each) && rule.roles.length > 0)
    .map(({ rule, named: each }) => ({ rule: each, actions: covering(rule.actions), roles: covering(rule.roles) }));
  return rules
    .filter(({ named: each }) => onlyAllows(each))
    .flatMap(({ rule, named: each }) => {
      const parents = rule.derivedRoles.map(({ value }) => parentsOf(value, imported));
      if (parents.includes(undefined)) return [];
      const roles = [...texts(rule.roles), ...parents.flatMap((names) => names ?? [])];
      const by = coveringAll(texts(rule.actions), roles, denials);
      return by === undefined ? [] : [{ rule: each, by }];
    });
}

interface Denial {
  readonly rule: NamedRule;
  readonly actions: Covers;
  readonly roles: Covers;
}

/** The first of the denials that between them cover each action for each role; undefined if one pair is left. */
function coveringAll(actions: readonly string[], roles: readonly string[], denials: readonly Denial[]): NamedRule | undefined {
  let first: Denial | undefined;
  const ofAllRoles = denials.filter((denial) => roles.every(denial.roles));
  // Thousands of actions for thousands of roles are millions of pairs: few are looked at, and none is kept.
  for (const action of actions) {
    if (first !== undefined && ofAllRoles.some((denial) => denial.actions(action))) continue;
    const ofAction = denials.filter((denial) => denial.actions(action));
    for (const role of roles) {
      const by = ofAction.find((denial) => denial.roles(role));
      if (by === undefined) return undefined;
      first ??= by;
    }
  }
  return first?.rule;
}

function parentsOf(role: string, imported: readonly DerivedRolesDocument[]): readonly string[] | undefined {
  const definitions = imported.flatMap((set) => set.definitions.filter(({ name }) => name.value === role));
  const [only, another] = definitions;
  return only === undefined || another !== undefined ? undefined : texts(only.parentRoles);
}

function coveredActions(document: PrincipalPolicyDocument, named: readonly NamedRule[]): readonly Covered[] {
  const resources = document.rules.flatMap(({ resource, actions }) => actions.map(() => resource.value));
  const rules = named.map((rule, index) => ({ rule, resource: resources[index] ?? "" }));
  const denials = rules.filter(({ rule }) => denies(rule)).map((denial) => ({ ...denial, actions: covering(denial.rule.actions) }));
  return rules
    .filter(({ rule }) => onlyAllows(rule))
    .flatMap(({ rule, resource }) => {
      const by = denials.find(
        (denial) =>
          // Kinds are compared both as written and sanitised (D34), so only what is certain in both counts.
          (denial.resource === "*" || denial.resource === resource) && texts(rule.actions).every(denial.actions),
      );
      return by === undefined ? [] : [{ rule, by: by.rule }];
    });
}

const texts = (located: readonly Located<string>[]): readonly string[] => located.map(({ value }) => value);

/** Whether everything that a pattern matches is certainly matched by one of the others. */
type Covers = (pattern: string) => boolean;

function covering(others: readonly Located<string>[]): Covers {
  const names = new Set(texts(others));
  if (names.has("*")) return () => true;
  const globs = Array.from(names).flatMap((other) => (other.includes("*") ? [openGlob(other)] : []));
  return (pattern) => names.has(pattern) || (!pattern.includes("*") && globs.some((matches) => matches(pattern)));
}
