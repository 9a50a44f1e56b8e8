/** The loaded policies: each with all names that its expressions can use, and the rules whose conditions can be evaluated. */
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { linkDerivedRoles } from "../../compiler/link/derived-roles.ts";
import { link, openLinker } from "../../compiler/link/link.ts";
import type { Linker } from "../../compiler/link/linker.ts";
import type { Definitions, DerivedRole, PolicySet, PrincipalRule, ResourcePolicy, RoleRule, Rule } from "../../compiler/link/policy-set.ts";
import { keyOf } from "../../compiler/link/unique.ts";
import { definitionsUsedBy } from "../../compiler/link/used-definitions.ts";
import { buildSymbolTable } from "../../compiler/link/symbol-table.ts";
import { parse } from "../../compiler/cel/parse.ts";
import type {
  DerivedRolesDocument,
  ExpressionNode,
  PolicyDocument,
  PrincipalPolicyDocument,
  ResourcePolicyDocument,
  RolePolicyDocument,
} from "../../compiler/policy/document.ts";
import { readPolicy } from "../../compiler/policy/read.ts";
import type { Source, Span } from "../../compiler/source.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { validate } from "../../compiler/validate/index.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import type { SchemaFiles } from "../schemas/load.ts";

/** One loaded policy. */
export interface LoadedPolicy {
  /** `resource.expense.vdefault`, `role.clerk.vdefault/acme`, `derived_roles.expense_roles`. */
  readonly key: string;
  /** All variables and constants, also unused ones. */
  readonly definitions: Definitions;
  /** In the order of the file, followed by the derived roles that rules refer to. */
  readonly rules: readonly LoadedRule[];
  readonly span: Span;
  /**
   * The derived roles that its conditions see: those of this policy; for role policies, of the resource policy with the same version
   * and scope.
   */
  readonly derivedRolesOf?: ResourcePolicy | { readonly version: string; readonly scope: string };
}

/** A rule or derived role whose condition can be evaluated by itself. */
export interface LoadedRule {
  readonly name: string;
  /** A summary: `allow approve to manager`, `may view leave_request`. */
  readonly summary: string;
  readonly condition?: Condition;
  /** The derived roles through which a rule applies. */
  readonly derivedRoles: readonly string[];
  /** The names that its condition can use: a derived role has its own, a rule those of its policy. */
  readonly definitions: Definitions;
  readonly span: Span;
}

/** All loaded policies. */
export interface LoadedPolicies {
  readonly sources: readonly Source[];
  /** By key, in order. */
  readonly policies: ReadonlyMap<string, LoadedPolicy>;
  readonly set: PolicySet;
  /** The schemas of the folders that were loaded. */
  readonly schemaFiles: SchemaFiles;
  /** Absent: attributes are not validated. */
  readonly schemas?: SchemaEnforcement;
}

/** No policies. */
export const noLoadedPolicies: LoadedPolicies = {
  sources: [],
  policies: new Map(),
  set: { resourcePolicies: [], principalPolicies: [], rolePolicies: [] },
  schemaFiles: new Map(),
};

/** The references of policies to schemas. */
export const referencedSchemas = ({ resourcePolicies }: PolicySet): ReadonlySet<string> =>
  new Set(resourcePolicies.flatMap(({ schemas: { principal, resource } }) => [principal, resource].flatMap((schema) => schema?.ref ?? [])));

/** Links sources; `loaded` is absent if there are errors. */
export function loadPolicies(sources: readonly Source[]): {
  readonly diagnostics: readonly Diagnostic[];
  readonly loaded?: Omit<LoadedPolicies, "schemaFiles" | "schemas">;
} {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const documents = sources.flatMap((source) => readPolicy(source, report) ?? []);
  const set = link(documents, report);
  validate(documents, diagnostics, report);
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics };
  // Linking a part again finds nothing new, because everything was reported above.
  const linker = openLinker(documents, () => undefined);
  const policies = documents
    .flatMap((document) => loadPolicy(document, set, linker) ?? [])
    .toSorted((left, right) => (left.key < right.key ? -1 : 1));
  return { diagnostics, loaded: { sources, policies: new Map(policies.map((policy) => [policy.key, policy])), set } };
}

function loadPolicy(document: PolicyDocument, set: PolicySet, linker: Linker): LoadedPolicy | undefined {
  if (document.isDisabled) return undefined;
  switch (document.kind) {
    case "resource": {
      const key = keyOf(document);
      const policy = set.resourcePolicies.find((candidate) => candidate.key === key);
      if (policy === undefined) return undefined;
      const definitions = definitionsOf(document, linker);
      const rules = [...policy.rules.map((rule) => loadRule(rule, definitions)), ...policy.derivedRoles.map(loadDerivedRole)];
      return { key, definitions, rules, span: document.span, derivedRolesOf: policy };
    }
    case "principal": {
      const key = keyOf(document);
      const policy = set.principalPolicies.find((candidate) => candidate.key === key);
      if (policy === undefined) return undefined;
      const definitions = definitionsOf(document, linker);
      return { key, definitions, rules: policy.rules.map((rule) => loadPrincipalRule(rule, definitions)), span: document.span };
    }
    case "role": {
      const key = keyOf(document);
      const policy = set.rolePolicies.find((candidate) => candidate.key === key);
      if (policy === undefined) return undefined;
      const definitions = definitionsOf(document, linker);
      const rules = policy.rules.map((rule, index) => loadRoleRule(rule, index, definitions));
      return { key, definitions, rules, span: document.span, derivedRolesOf: policy };
    }
    case "derivedRoles": {
      const rules = Array.from(linkDerivedRoles(document, linker).values(), loadDerivedRole);
      return { key: keyOf(document), definitions: definitionsOf(document, linker), rules, span: document.span };
    }
    case "exportVariables":
    case "exportConstants":
      return undefined;
  }
}

/** Returns the sources that export names or derived roles to others; unreadable ones are left out. */
export const exportingSources = (sources: readonly Source[]): readonly Source[] =>
  sources.filter((source) => {
    let isValid = true;
    const document = readPolicy(source, ({ severity }) => void (isValid &&= severity !== "error"));
    return isValid && document !== undefined && !["resource", "principal", "role"].includes(document.kind);
  });

/** Returns all names that a policy's expressions could use. Linking itself keeps only those that are used. */
function definitionsOf(
  document: ResourcePolicyDocument | PrincipalPolicyDocument | RolePolicyDocument | DerivedRolesDocument,
  linker: Linker,
): Definitions {
  const { variables, constants } = buildSymbolTable(document, linker);
  const names = [...Array.from(variables.keys(), (name) => `V.${name}`), ...Array.from(constants.keys(), (name) => `C.${name}`)];
  const expressions = names.map((text): ExpressionNode => {
    const { tree } = parse(text);
    const { span } = document;
    const scalar = { kind: "scalar", type: "string", text, style: "plain", span, token: span } as const;
    return { text, span, path: "", scalar, ...(tree && { tree }) };
  });
  return definitionsUsedBy(expressions, { variables, constants }, linker);
}

const loadRule = ({ name, actions, roles, derivedRoles, effect, condition, span }: Rule, definitions: Definitions): LoadedRule => ({
  name,
  summary: `${effect} ${actions.join(", ")} to ${[...roles, ...derivedRoles].join(", ")}`,
  ...(condition && { condition }),
  derivedRoles,
  definitions,
  span,
});

const loadPrincipalRule = ({ name, action, resource, effect, condition, span }: PrincipalRule, definitions: Definitions): LoadedRule => ({
  name,
  summary: `${effect} ${action} on ${resource}`,
  ...(condition && { condition }),
  derivedRoles: [],
  definitions,
  span,
});

const loadRoleRule = (
  { name, resource, allowActions, condition, span }: RoleRule,
  index: number,
  definitions: Definitions,
): LoadedRule => ({
  // Rules of role policies are unnamed by default.
  name: name === "" ? `#${index + 1}` : name,
  summary: `may ${allowActions.join(", ")} on ${resource}`,
  ...(condition && { condition }),
  derivedRoles: [],
  definitions,
  span,
});

const loadDerivedRole = ({ name, parentRoles, condition, span, variables, constants }: DerivedRole): LoadedRule => ({
  name,
  summary: `derived role of ${parentRoles.join(", ")}`,
  ...(condition && { condition }),
  derivedRoles: [],
  definitions: { variables, constants },
  span,
});
