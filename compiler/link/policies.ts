/** Links one resource, principal or role policy with what it imports. */
import { mapEach } from "../map-present.ts";
import type {
  DerivedRolesDocument,
  ExpressionNode,
  PrincipalPolicyDocument,
  ResourcePolicyDocument,
  RolePolicyDocument,
  RuleNode,
  SchemaReferenceNode,
} from "../policy/document.ts";
import { eitherOf } from "../policy/schemas.ts";
import { automaticActionName, automaticRuleName, nameOf, sanitise } from "../policy/names.ts";
import { resolveDerivedRoles, collapseWildcard } from "./derived-roles.ts";
import { resolveImports } from "./imports.ts";
import { expressionsOfRule, linkRuleParts, type Linker } from "./linker.ts";
import type { DerivedRole, PrincipalPolicy, ResourcePolicy, RolePolicy, Rule, SchemaReference, Schemas } from "./policy-set.ts";
import { defaultPermissions } from "./scope-permissions.ts";
import { checkVariables, reportUndefined, definitionsUsedBy } from "./used-definitions.ts";
import { buildSymbolTable } from "./symbol-table.ts";

/** Links a resource policy; `root` is the ancestor whose schemas are in effect. */
export function linkResourcePolicy(
  policy: ResourcePolicyDocument,
  key: string,
  root: ResourcePolicyDocument,
  sets: ReadonlyMap<DerivedRolesDocument, ReadonlyMap<string, DerivedRole>>,
  linker: Linker,
): ResourcePolicy {
  const imports = resolveImports("derivedRoles", policy.importDerivedRoles, linker);
  const derivedRoles = resolveDerivedRoles(policy, imports, sets, linker);
  const expressions = policy.rules.flatMap(expressionsOfRule);
  return {
    ...linkPolicyParts(policy, key, expressions, linker),
    scopePermissions: policy.scopePermissions?.value ?? defaultPermissions,
    derivedRoles,
    rules: policy.rules.map((rule, index) => linkRule(rule, index + 1, linker)),
    schemas: schemasOf(root),
  };
}

function linkRule(rule: RuleNode, number: number, linker: Linker): Rule {
  const { condition, output } = linkRuleParts(rule, linker);
  return {
    name: rule.name?.value ?? automaticRuleName(number),
    actions: mapEach(rule.actions, valueOf),
    roles: collapseWildcard(rule.roles),
    derivedRoles: mapEach(rule.derivedRoles, valueOf),
    effect: rule.effect,
    span: rule.span,
    ...(condition && { condition }),
    ...(output && { output }),
  };
}

const valueOf = ({ value }: { readonly value: string }): string => value;

/** Links a principal policy. */
export function linkPrincipalPolicy(policy: PrincipalPolicyDocument, key: string, linker: Linker): PrincipalPolicy {
  const expressions = policy.rules.flatMap((rule) => rule.actions.flatMap(expressionsOfRule));
  return {
    ...linkPolicyParts(policy, key, expressions, linker),
    scopePermissions: policy.scopePermissions?.value ?? defaultPermissions,
    rules: policy.rules.flatMap(({ resource, actions }) =>
      actions.map((action, index) => ({
        name: action.name?.value ?? automaticActionName(resource.value, index + 1),
        resource: resource.value,
        action: action.action.value,
        effect: action.effect,
        ...linkRuleParts(action, linker),
      })),
    ),
  };
}

/** Links a role policy. */
export function linkRolePolicy(policy: RolePolicyDocument, key: string, linker: Linker): RolePolicy {
  const expressions = policy.rules.flatMap(expressionsOfRule);
  return {
    ...linkPolicyParts(policy, key, expressions, linker),
    parentRoles: policy.parentRoles.map((role) => role.value),
    rules: policy.rules.map((rule) => ({
      name: rule.name?.value ?? "",
      resource: rule.resource.value,
      allowActions: rule.allowActions.map((action) => action.value),
      ...linkRuleParts(rule, linker),
    })),
  };
}

/** What policies of all types have: name, version, scope, place, and the variables and constants that their rules use. */
function linkPolicyParts(
  policy: ResourcePolicyDocument | PrincipalPolicyDocument | RolePolicyDocument,
  key: string,
  expressions: readonly ExpressionNode[],
  linker: Linker,
) {
  const symbols = buildSymbolTable(policy, linker);
  checkVariables(symbols, linker);
  for (const expression of expressions) reportUndefined(expression, symbols, linker);
  const writtenName = nameOf(policy).value;
  const { variables, constants } = definitionsUsedBy(expressions, symbols, linker);
  return {
    name: sanitise(writtenName),
    writtenName,
    version: sanitise(policy.version.value),
    scope: policy.scope.value,
    key,
    span: policy.span,
    sourceAttributes: policy.sourceAttributes,
    variables,
    constants,
  };
}

const schemasOf = ({ schemas: { principal, resource } }: ResourcePolicyDocument): Schemas =>
  eitherOf(principal && referenceOf(principal), resource && referenceOf(resource));

const referenceOf = ({ ref, ignoreWhen }: SchemaReferenceNode): SchemaReference => ({ ref: ref.value, ignoreWhen });
