/** What a run covered: classes of decisions and calls, each of which must occur, or the generator has a defect. */
import type { Explained } from "../../compiler/reference/decide.ts";
import type { Reason } from "../../compiler/reference/reason.ts";
import type { ActionDecision } from "../../runtime/decide/decision.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import type { Document } from "./document.ts";
import { rulesOf } from "./reshape.ts";
import type { Settings } from "./requests.ts";

/** One action of one input, as the reference decided it. */
interface Decided {
  readonly action: string;
  readonly decision: ActionDecision;
  readonly reasons: readonly Reason[];
  readonly explained: Explained;
  readonly input: CheckInput;
  readonly settings: Settings;
}

/** Says of a decision whether it is of a class. */
type Class = readonly [name: string, holds: (decided: Decided) => boolean];

const denied = ({ decision }: Decided): boolean => decision.effect === "EFFECT_DENY";
const allowed = ({ decision }: Decided): boolean => decision.effect === "EFFECT_ALLOW";
const by = (type: string, { decision }: Decided): boolean => decision.matchedPolicy.startsWith(`${type}.`);
const decisive = (decided: Decided): Reason | undefined => {
  const last = decided.reasons.at(-1);
  return denied(decided) ? decided.reasons.find(({ says, scope }) => says === "deny" && scope === decided.decision.matchedScope) : last;
};
const depth = (scope: string): number => (scope === "" ? 0 : scope.split(".").length);
const allowsAtDepth = (wanted: number): Class => [
  `allowed at depth ${wanted}`,
  (decided) => allowed(decided) && depth(decided.decision.matchedScope) === wanted,
];
const deniesAtDepth = (wanted: number): Class => [
  `denied by a rule at depth ${wanted}`,
  (decided) => deniedByRule(decided) && depth(decided.decision.matchedScope) === wanted,
];
const some =
  (test: (reason: Reason) => boolean) =>
  ({ reasons }: Decided): boolean =>
    reasons.some(test);
const deniedByRule = (decided: Decided): boolean => denied(decided) && decisive(decided)?.says === "deny";
const matched = ({ decision }: Decided): boolean => decision.matchedPolicy !== "NO_MATCH";
const outputsOf = ({ action, explained }: Decided) => explained.outputs.filter((output) => output.action === action);

/** All of them. */
const classes: readonly Class[] = [
  ["allowed", allowed],
  ["denied by a rule", deniedByRule],
  ["allowed by a principal policy", (decided) => allowed(decided) && by("principal", decided)],
  ["denied by a principal policy", (decided) => deniedByRule(decided) && by("principal", decided)],
  ["left open by a principal policy", (decided) => !by("principal", decided) && some(({ type }) => type === "principal")(decided)],
  ["denied by a role policy", (decided) => by("role", decided)],
  ["... as the kind is not listed", some(({ outcome }) => outcome === "kind not listed")],
  ["... as the action is not listed", some(({ outcome }) => outcome === "action not listed")],
  ["... as a condition does not hold", some(({ type, outcome }) => type === "role" && outcome === "condition not met")],
  ["not limited, as the scope does not know the kind", some(({ outcome }) => outcome === "kind unknown in scope")],
  [
    "allowed within the limits of a role policy",
    (decided) => allowed(decided) && some(({ type, outcome }) => type === "role" && outcome === "satisfied")(decided),
  ],
  ...[0, 1, 2, 3, 4].map(allowsAtDepth),
  ...[0, 1, 2, 3, 4].map(deniesAtDepth),
  [
    "allowed with the consent of a parent",
    (decided) => allowed(decided) && some(({ needsConsent, says }) => needsConsent && says === "allow")(decided),
  ],
  [
    "denied as an ALLOW that needs consent is not met",
    some(({ needsConsent, says, outcome }) => needsConsent && says === "deny" && outcome === "condition not met"),
  ],
  [
    "allowed by no parent",
    (decided) => denied(decided) && !deniedByRule(decided) && some(({ needsConsent, says }) => needsConsent && says === "allow")(decided),
  ],
  ["not decided by any rule", (decided) => denied(decided) && !deniedByRule(decided) && decided.decision.matchedPolicy !== "NO_MATCH"],
  ["NO_MATCH", ({ decision }) => decision.matchedPolicy === "NO_MATCH"],
  ["through a derived role", some(({ derivedRole, outcome }) => derivedRole !== undefined && outcome === "satisfied")],
  ["a derived role inactive", some(({ outcome }) => outcome === "derived role inactive")],
  ["ended by strict evaluation", some(({ outcome }) => outcome === "failed")],
  ["... in a principal policy", some(({ outcome, type }) => outcome === "failed" && type === "principal")],
  ["... in a role policy", some(({ outcome, type }) => outcome === "failed" && type === "role")],
  [
    "denied by the role policy of a parent",
    (decided) => by("role", decided) && !decided.input.principal.roles.some((role) => named(decided, "role", role)),
  ],
  [
    "by a lenient search",
    (decided) => decided.settings.lenientScopeSearch && matched(decided) && !inScope(decided, decided.input.resource.scope ?? ""),
  ],
  [
    "in the default scope",
    (decided) => decided.input.resource.scope === undefined && (decided.settings.defaultScope ?? "").length > 1 && matched(decided),
  ],
  [
    "by a principal policy, in another scope than the resource's",
    (decided) => by("principal", decided) && decided.input.principal.scope !== decided.input.resource.scope,
  ],
  [
    "by a principal policy, of another version than the resource's",
    (decided) => by("principal", decided) && decided.input.principal.policyVersion !== decided.input.resource.policyVersion,
  ],
  [
    "by a policy whose name is written otherwise",
    (decided) => by("resource", decided) && !named(decided, "resource", decided.input.resource.kind),
  ],
  ["for the role `*`", (decided) => matched(decided) && some(({ role, says }) => role === "*" && says !== "none")(decided)],
  ["with outputs", (decided) => outputsOf(decided).length > 0],
  ["with an output that fails", (decided) => outputsOf(decided).some(({ error }) => error !== undefined)],
  ["with equal outputs of one rule", (decided) => new Set(outputsOf(decided).map(({ src }) => src)).size < outputsOf(decided).length],
  ["with evaluation errors", ({ explained }) => explained.evaluationErrors.length > 0],
  ["with derived roles", ({ explained }) => explained.effectiveDerivedRoles.length > 0],
  ["with validation errors", ({ explained }) => explained.validationErrors.length > 0],
  [
    "refused for validation errors",
    ({ explained, reasons, decision }) =>
      explained.validationErrors.length > 0 && reasons.length === 0 && decision.matchedPolicy !== "NO_MATCH",
  ],
];

const named = ({ decision }: Decided, type: string, name: string): boolean => decision.matchedPolicy.startsWith(`${type}.${name}.v`);
const inScope = ({ decision }: Decided, scope: string): boolean => decision.matchedPolicy.endsWith(`/${scope}`) || scope === "";

/** What a store can have. */
const storeClasses: readonly (readonly [name: string, holds: (documents: readonly Document[]) => boolean])[] = [
  ["with scopes", (documents) => JSON.stringify(documents).includes('"scope":"')],
  ["with principal policies", (documents) => documents.some((document) => document["principalPolicy"] !== undefined)],
  ["with role policies", (documents) => documents.some((document) => document["rolePolicy"] !== undefined)],
  ["with scopes that need consent", (documents) => JSON.stringify(documents).includes("REQUIRE_PARENTAL_CONSENT")],
  ["with a gap among ancestors", (documents) => JSON.stringify(documents).includes('"role":"stopgap"')],
  [
    "with more roles in a rule than one word of bits counts",
    (documents) => rulesOf(documents).some(({ roles }) => Array.isArray(roles) && roles.length > 31),
  ],
  ["with more kinds in a policy than one word of bits counts", (documents) => JSON.stringify(documents).includes('"kind_39"')],
  ["with a policy that is disabled", (documents) => documents.some((document) => document["disabled"] === true)],
  ["with schemas", (documents) => JSON.stringify(documents).includes('"schemas":')],
];

/** How many decisions, or stores, are of each class. */
export type Coverage = ReadonlyMap<string, number>;

/** Adds a store. */
export function coverStore(coverage: Map<string, number>, documents: readonly Document[]): void {
  for (const [name, holds] of storeClasses) add(coverage, name, holds(documents));
}

/** Adds what one input was answered. */
export function cover(coverage: Map<string, number>, input: CheckInput, settings: Settings, explained: Explained): void {
  for (const [action, decision] of explained.actions) {
    const reasons = explained.reasons.filter((reason) => reason.action === action);
    for (const [name, holds] of classes) add(coverage, name, holds({ action, decision, explained, reasons, input, settings }));
  }
}

const add = (coverage: Map<string, number>, name: string, holds: boolean): void =>
  void coverage.set(name, (coverage.get(name) ?? 0) + (holds ? 1 : 0));

/** The classes that did not occur. */
export const missing = (coverage: Coverage): readonly string[] =>
  [...classes, ...storeClasses].map(([name]) => name).filter((name) => (coverage.get(name) ?? 0) === 0);

/** Says the shares, a line for each class. */
export function printCoverage(coverage: Coverage, decisions: number, stores: number): string {
  const line =
    (of: number) =>
    ([name]: readonly [string, ...unknown[]]): string =>
      `${((100 * (coverage.get(name) ?? 0)) / Math.max(1, of)).toFixed(2).padStart(7)} %  ${name}`;
  return ["of decisions", ...classes.map(line(decisions)), "of stores", ...storeClasses.map(line(stores))].join("\n");
}
