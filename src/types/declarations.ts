/** Prints a vocabulary and schemas as a TypeScript declaration file. */
import { invariant } from "../../runtime/cel/error.ts";
import { byUnits } from "../../runtime/order.ts";
import { ModuleDeclarationKind, Project, StructureKind, type TypeAliasDeclarationStructure } from "ts-morph";
import type { SchemaReference } from "../../compiler/link/policy-set.ts";
import { derivedTypes } from "./derived-types.ts";
import { printType } from "./print-type.ts";
import { openReferences, type References } from "./references.ts";
import { openSchemaDocuments } from "./schema-documents.ts";
import { commentText } from "./escape.ts";
import { union, keyword, type Member, type Type } from "./type.ts";
import type { Kind, Vocabulary } from "./vocabulary.ts";

const namespace = "Attributes";
const qualifier = `${namespace}.`;

/**
 * Prints the declarations. The same vocabulary and schemas give the same output. `schemas` are JSON documents by their path below
 * `_schemas`.
 */
export function declarationsOf(vocabulary: Vocabulary, schemas: ReadonlyMap<string, string>): string {
  const references = openReferences(openSchemaDocuments(schemas));
  const kinds = objectOf(vocabulary.kinds.map((kind) => [kind.name, kindType(kind, references)] as const));
  const literals = (texts: readonly string[]): string =>
    printType(union(texts.map((value) => ({ kind: "literal", value }) as const)), qualifier);
  const properties = [
    ["kinds", "Every kind of resource that a policy names.", vocabulary.kinds.length === 0 ? emptyObject : printType(kinds, qualifier)],
    [
      "roles",
      "Roles that a rule, a derived role or a role policy names, and what patterns of roles fit.",
      printType(vocabulary.roles.length === 0 ? keyword("string") : union(vocabulary.roles), qualifier),
    ],
    ["derivedRoles", "Derived roles that a policy uses.", literals(vocabulary.derivedRoles)],
    ["scopes", "Scopes in which there is a policy.", literals(vocabulary.scopes)],
    ["policyVersions", "Versions of policies.", literals(vocabulary.policyVersions)],
  ] as const;

  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const file = project.createSourceFile("policies.d.ts", {
    statements: [
      (writer) => writer.writeLine("// Written by `authz types`: whoever changes it here changes it in vain.").blankLine(),
      {
        kind: StructureKind.Interface,
        name: "Policies",
        isExported: true,
        docs: ["What the policies know: the one thing that everything else here, and a typed library, is made of."],
        properties: properties.map(([name, says, type]) => ({ name, type, isReadonly: true, docs: [says] })),
      },
      {
        kind: StructureKind.Module,
        name: namespace,
        declarationKind: ModuleDeclarationKind.Namespace,
        isExported: true,
        docs: ["Attributes, as the schemas of the policies have them."],
        statements: references.namedTypes().map(({ name, type, description }): TypeAliasDeclarationStructure => ({
          kind: StructureKind.TypeAlias,
          name,
          isExported: true,
          type: printType(type, ""),
          ...(description !== "" && { docs: [commentText(description)] }),
        })),
      },
      (writer) => writer.blankLine().write(derivedTypes),
    ],
  });
  file.formatText({ indentSize: 2 });
  const broken = project.getProgram().getSyntacticDiagnostics(file);
  invariant(broken.length === 0, "whatever authors write, the declarations are TypeScript");
  return file.getFullText();
}

/** An empty object type. */
const emptyObject = "{}";
/** Attributes without a schema. */
const openObject: Type = { kind: "object", members: [], others: keyword("unknown") };

function kindType({ actions, unvalidated, resourceSchemas, principalSchemas }: Kind, references: References): Type {
  const resource = union(
    inOrder(resourceSchemas).map((schema) => (schema === undefined ? openObject : references.typeOfReference(schema.ref))),
  );
  const principal = union(inOrder(principalSchemas).map((schema) => principalType(schema, references)));
  return objectOf([
    ["actions", actions],
    ["unvalidated", unvalidated],
    ["attr", resourceSchemas.length === 0 || isUnknown(resource) ? openObject : resource],
    ["principalAttr", principalSchemas.length === 0 ? keyword("unknown") : principal],
  ]);
}

const isUnknown = (type: Type): boolean => type.kind === "keyword" && type.keyword === "unknown";

/** Returns the type of a principal's attributes. If validation is skipped for some actions, every attribute is optional. */
function principalType(schema: SchemaReference | undefined, references: References): Type {
  if (schema === undefined) return keyword("unknown");
  const type = references.typeOfReference(schema.ref);
  return schema.ignoreWhen.length > 0 && type.kind === "reference" ? { kind: "partial", of: type } : type;
}

const inOrder = (schemas: readonly (SchemaReference | undefined)[]): readonly (SchemaReference | undefined)[] =>
  schemas.toSorted((left, right) => byUnits(left?.ref ?? "", right?.ref ?? ""));

function objectOf(members: readonly (readonly [name: string, type: Type])[]): Type {
  return {
    kind: "object",
    members: members.map(([name, type]): Member => ({ name, type, isOptional: false, description: "" })),
    others: undefined,
  };
}
