/** Inspects one policy from its source and its imports. Whatever cannot be parsed or found is left out. */
import { toJson } from "../../runtime/cel/to-json.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { expressionsOf, expressionsOfRule } from "../link/linker.ts";
import type {
  ConstantNode,
  DerivedRolesDocument,
  ExportConstantsDocument,
  ExportVariablesDocument,
  ExpressionNode,
  PolicyDocument,
  PrincipalPolicyDocument,
  ResourcePolicyDocument,
  RolePolicyDocument,
  VariableNode,
} from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import type { Importable, Imported } from "./importable.ts";
import type { DefinitionKind, InspectedConstant, InspectedDerivedRole, InspectedPolicy, InspectedVariable } from "./inspection.ts";
import { attributesByKind, attributesByName, resultOf } from "./lists.ts";
import { readsOf, type Reads } from "./reads.ts";

/** Inspects a policy. */
export function inspectDocument(document: PolicyDocument, importable: Importable): InspectedPolicy {
  const { path } = document.source;
  switch (document.kind) {
    case "resource":
      return resultOf(path, {
        actions: document.rules.flatMap((rule) => rule.actions.map(valueOf)),
        derivedRoles: namedDerivedRoles(document, importable),
        ...contentsOf(document, document.rules.flatMap(expressionsOfRule), importable),
      });
    case "principal": {
      const rules = document.rules.flatMap((rule) => rule.actions);
      return resultOf(path, {
        actions: rules.map((rule) => rule.action.value),
        ...contentsOf(document, rules.flatMap(expressionsOfRule), importable),
      });
    }
    case "role":
      return resultOf(path, {
        actions: document.rules.flatMap((rule) => rule.allowActions.map(valueOf)),
        ...contentsOf(document, document.rules.flatMap(expressionsOfRule), importable),
      });
    case "derivedRoles": {
      const source = documentKey(document);
      return resultOf(path, {
        derivedRoles: document.definitions.map(({ name }) => ({ name: name.value, kind: "KIND_EXPORTED", source })),
        ...contentsOf(
          document,
          document.definitions.flatMap(({ condition }) => expressionsOf(condition)),
          importable,
        ),
      });
    }
    case "exportVariables":
      return inspectExportedVariables(document);
    case "exportConstants":
      return inspectExportedConstants(document);
  }
}

const valueOf = ({ value }: { readonly value: string }): string => value;

/** Returns the derived roles that rules name and where they come from: one entry for each import that defines the role. */
function namedDerivedRoles(policy: ResourcePolicyDocument, importable: Importable): readonly InspectedDerivedRole[] {
  const names = new Set(policy.rules.flatMap((rule) => rule.derivedRoles.map(valueOf)));
  const imported = importable.derivedRoles(policy.importDerivedRoles);
  return Array.from(names).flatMap((name): readonly InspectedDerivedRole[] => {
    const found = imported.get(name);
    return found === undefined ? [{ name, kind: "KIND_UNDEFINED" }] : found.map(({ source }) => ({ name, kind: "KIND_IMPORTED", source }));
  });
}

type WithBlocks = ResourcePolicyDocument | PrincipalPolicyDocument | RolePolicyDocument | DerivedRolesDocument;

/**
 * Returns what the expressions of a policy read, also through the variables that they use. Of its own variables all
 * are included, used or not.
 */
function contentsOf(policy: WithBlocks, expressions: readonly ExpressionNode[], importable: Importable) {
  const variables = [...policy.variables.local, ...policy.variables.deprecated];
  const importedVariables = importable.variables(policy.variables.import);
  const ownVariables = new Set(variables.map((variable) => variable.name.value));
  const uses = usesOf([...expressions, ...variables.map((variable) => variable.expression)], (name) =>
    ownVariables.has(name) ? undefined : importedVariables.get(name),
  );
  const source = documentKey(policy);
  return {
    attributes: [...uses.variables].every((name) => ownVariables.has(name)) ? attributesByKind(uses.reads) : attributesByName(uses.reads),
    variables: listed(variables, importedVariables, uses.variables, source, variableRow, unknownVariable),
    constants: listed(
      policy.constants.local,
      importable.constants(policy.constants.import),
      uses.constants,
      source,
      constantRow,
      unknownConstant,
    ),
  };
}

interface Uses {
  readonly reads: readonly Reads[];
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

/** Returns what expressions read, directly and through variables, transitively. */
function usesOf(
  expressions: readonly ExpressionNode[],
  definitionsOf: (variable: string) => readonly Imported<VariableNode>[] | undefined,
): Uses {
  const reads: Reads[] = [];
  const variables = new Set<string>();
  const constants = new Set<string>();
  const pending = [...expressions];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.tree === undefined) continue;
    const read = readsOf(next.tree);
    reads.push(read);
    for (const name of read.constants) constants.add(name);
    for (const name of read.variables) {
      if (variables.has(name)) continue;
      variables.add(name);
      for (const { node } of definitionsOf(name) ?? []) pending.push(node.expression);
    }
  }
  return { reads, variables, constants };
}

/** Lists a policy's own definitions, the imported ones that it uses, and the undefined names that it uses. */
function listed<N extends { readonly name: { readonly value: string } }, Row>(
  own: readonly N[],
  imported: ReadonlyMap<string, readonly Imported<N>[]>,
  used: ReadonlySet<string>,
  source: string,
  row: (node: N, kind: DefinitionKind, source: string, isUsed: boolean) => Row,
  unknown: (name: string) => Row,
): readonly Row[] {
  const names = new Set(own.map((node) => node.name.value));
  return [
    ...own.map((node) => row(node, "KIND_LOCAL", source, used.has(node.name.value))),
    ...Array.from(used).flatMap((name) => {
      if (names.has(name)) return [];
      return imported.get(name)?.map((found) => row(found.node, "KIND_IMPORTED", found.source, true)) ?? [unknown(name)];
    }),
  ];
}

const variableRow = (node: VariableNode, kind: DefinitionKind, source: string, isUsed: boolean): InspectedVariable => ({
  name: node.name.value,
  value: node.expression.text,
  kind,
  source,
  ...(isUsed && { used: true }),
});

// The reference implementation gives an undefined variable the value `null` (as CEL source), and an undefined
// constant no value.
const unknownVariable = (name: string): InspectedVariable => ({ name, value: "null", kind: "KIND_UNDEFINED", used: true });

function constantRow(node: ConstantNode, kind: DefinitionKind, source: string, isUsed: boolean): InspectedConstant {
  const value = toJson(node.value);
  return { name: node.name.value, ...(!(value instanceof EvalError) && { value }), kind, source, ...(isUsed && { used: true }) };
}

const unknownConstant = (name: string): InspectedConstant => ({ name, kind: "KIND_UNDEFINED", used: true });

// A set of variables does not know what its importers define, so names that it does not define itself are unknown
// here.
function inspectExportedVariables(document: ExportVariablesDocument): InspectedPolicy {
  const { definitions } = document;
  const own = new Set(definitions.map((definition) => definition.name.value));
  const { reads, variables, constants } = usesOf(
    definitions.map((definition) => definition.expression),
    () => undefined,
  );
  const source = documentKey(document);
  return resultOf(document.source.path, {
    attributes: attributesByKind(reads),
    variables: [
      ...definitions.map((node) => variableRow(node, "KIND_EXPORTED", source, variables.has(node.name.value))),
      ...Array.from(variables)
        .filter((name) => !own.has(name))
        .map(unknownVariable),
    ],
    constants: Array.from(constants, unknownConstant),
  });
}

function inspectExportedConstants(document: ExportConstantsDocument): InspectedPolicy {
  const source = documentKey(document);
  return resultOf(document.source.path, {
    constants: document.definitions.map((node) => constantRow(node, "KIND_EXPORTED", source, false)),
  });
}
