/** Explains why nothing allows an action: what the request names that no policy, or none of its rules, is about. */
import type { ValidationError } from "../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import { inBackticks } from "../../runtime/wire/position.ts";
import type { PolicySet, ResourcePolicy, Rule } from "../link/policy-set.ts";
import { didYouMean } from "../nearest.ts";
import { sanitise } from "../policy/names.ts";
import type { Explained } from "./decide.ts";
import { matchesPattern } from "./names.ts";
import { withParents } from "./parents.ts";
import { resourcePass, resourceScopes, type Pass } from "./pass.ts";
import { waysTo } from "./resource-rows.ts";
import { scopeOf, versionOf, withAncestors } from "./scopes.ts";

/**
 * Returns sentences about an action of an explained decision, for its readers; none if it is allowed, if a rule denies it, or if it
 * depends only on the conditions of rules that would allow it: the reasons show these.
 */
export function whyNotAllowed(
  set: PolicySet,
  input: CheckInput,
  options: CheckOptions,
  action: string,
  { actions, reasons, validationErrors }: Explained,
): readonly string[] {
  if (actions.get(action)?.effect !== "EFFECT_DENY") return [];
  const about = reasons.filter((reason) => reason.action === action);
  if (about.some(({ says }) => says === "deny")) return [];
  if (validationErrors.length > 0 && options.schemas?.enforcement === "reject") return validationErrors.map(aboutSchema);
  if (about.some(({ says }) => says === "allow"))
    return ["a rule allows it in a scope that requires the consent of its parents, and no scope above allows it"];
  const pass = resourcePass(set, input, options);
  if (pass.chain.length === 0) return [aboutScope(set, scopeOf(input.resource, options))];
  return pass.exists ? aboutRules(set, pass, input, action, options) : [aboutKind(set, input, options)];
}

/** Says why schema validation rejects attributes: they do not match, or the schema cannot be used. */
export function aboutSchema({ source, path, message }: ValidationError): string {
  const side = source === "SOURCE_PRINCIPAL" ? "principal" : "resource";
  return `schema validation rejects the attributes of the ${side}${path === "" ? "" : ` at ${inBackticks(path)}`}: ${message}`;
}

function aboutScope(set: PolicySet, scope: string): string {
  const existing = resourceScopes(set);
  if (existing.size === 0) return "there is no policy about any resource";
  const above = withAncestors(scope).find((each) => existing.has(each));
  const { hint } = didYouMean(scope, existing);
  const lenient = above === undefined ? undefined : `\`engine.lenientScopeSearch\` would search ${nameOfScope(above)}, the nearest above`;
  return [`no policy is in ${nameOfScope(scope)}`, hint ?? lenient ?? `there are policies in ${list([...existing].map(nameOfScope))}`].join(
    "; ",
  );
}

const nameOfScope = (scope: string): string => (scope === "" ? "the root scope" : `scope ${inBackticks(scope)}`);

function aboutKind({ resourcePolicies }: PolicySet, { resource }: CheckInput, options: CheckOptions): string {
  const kind = inBackticks(resource.kind);
  const ofKind = resourcePolicies.filter(({ name }) => name === sanitise(resource.kind));
  if (ofKind.length === 0) {
    const kinds = new Set(resourcePolicies.map(({ writtenName }) => writtenName));
    const others = kinds.size === 0 ? "there is none about any other" : `there are policies about ${list([...kinds].map(inBackticks))}`;
    return `no policy is about the kind ${kind}; ${didYouMean(resource.kind, kinds).hint ?? others}`;
  }
  // A policy of the version would be in the chain: every policy has one at the root (semantics 3.1).
  const versions = new Set(ofKind.map((policy) => policy.version));
  const version = inBackticks(versionOf(resource, options));
  return `no policy about ${kind} has the version ${version}; there is ${list([...versions].map(inBackticks))}`;
}

/** A rule that allows something, and its policy. */
interface AllowingRule {
  readonly policy: ResourcePolicy;
  readonly rule: Rule;
}

function aboutRules(
  set: PolicySet,
  pass: Pass,
  { principal, resource }: CheckInput,
  action: string,
  options: CheckOptions,
): readonly string[] {
  const policies = pass.chain.flatMap((scope) => pass.policyAt(scope) ?? []);
  if (policies.length === 0) return [`only role policies are about the kind ${inBackticks(resource.kind)}, and these never allow anything`];
  const allowing = policies.flatMap((policy) => policy.rules.filter(({ effect }) => effect === "allow").map((rule) => ({ policy, rule })));
  const forAction = allowing.filter(({ rule }) => rule.actions.some((pattern) => matchesPattern(pattern, action)));
  if (forAction.length === 0) {
    const { hint } = didYouMean(action, new Set(allowing.flatMap(({ rule }) => rule.actions)));
    const keys = list(policies.map(({ key }) => key));
    return [`no rule of ${keys} allows ${inBackticks(action)}${hint === undefined ? "" : `; ${hint}`}`];
  }
  const scope = scopeOf(resource, options);
  const held = principal.roles.flatMap((role) => withParents(set, role, scope));
  if (forAction.some(({ policy, rule }) => waysTo(policy, rule, held).length > 0)) return [];
  const wanted = new Map(forAction.flatMap(rolesOf));
  const similar = principal.roles.flatMap((role) => didYouMean(role, wanted.keys()).hint ?? [])[0];
  const roles = `the role${wanted.size === 1 ? "" : "s"} ${list([...wanted.values()])}`;
  const sentence = `the rules that allow ${inBackticks(action)} are for ${roles}; the principal has ${list(principal.roles.map(inBackticks))}`;
  return [similar === undefined ? sentence : `${sentence}; ${similar}`];
}

/** The roles that a principal needs for a rule, each with how it is named in a sentence. */
const rolesOf = ({ policy, rule }: AllowingRule): readonly (readonly [role: string, named: string])[] => [
  ...rule.roles.map((role) => [role, inBackticks(role)] as const),
  ...policy.derivedRoles
    .filter(({ name }) => rule.derivedRoles.includes(name))
    .flatMap(({ name, parentRoles }) =>
      parentRoles.map((role) => [role, `${inBackticks(role)} (from which ${inBackticks(name)} derives)`] as const),
    ),
];

/** The most names that are listed. */
const most = 5;

function list(names: readonly string[]): string {
  return `${names.slice(0, most).join(", ")}${names.length > most ? ` and ${names.length - most} more` : ""}`;
}
