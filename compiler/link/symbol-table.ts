/**
 * The constants and variables that the expressions of one policy can use: imported, local and deprecated, each name
 * once.
 */
import type { Diagnostic } from "../diagnostic.ts";
import type { ConstantNode, ConstantsBlock, Located, VariableNode, VariablesBlock } from "../policy/document.ts";
import type { Source } from "../source.ts";
import { resolveImports } from "./imports.ts";
import type { Linker } from "./linker.ts";

/** The available variables and constants by name. */
export interface SymbolTable {
  readonly variables: ReadonlyMap<string, VariableNode>;
  readonly constants: ReadonlyMap<string, ConstantNode>;
  /** Kinds for which an import is missing (reported), so undefined names cannot be determined. */
  readonly incomplete?: ReadonlySet<"variable" | "constant">;
  /** Names whose definitions cannot be read (reported): they are not undefined. */
  readonly unread?: Readonly<Record<"variable" | "constant", ReadonlySet<string>>>;
}

interface Definition<N> {
  readonly node: N;
  /** Where it comes from: completes "defined in ...". */
  readonly origin: string;
}

interface Owner {
  readonly source: Source;
  readonly variables: VariablesBlock;
  readonly constants: ConstantsBlock;
}

/** Merges what a policy imports and defines. Reports duplicate names, and names that are not identifiers. */
export function buildSymbolTable({ source, variables, constants }: Owner, linker: Linker): SymbolTable {
  const importedConstants = resolveImports("exportConstants", constants.import, linker);
  const importedVariables = resolveImports("exportVariables", variables.import, linker);
  const isComplete = importedConstants.length === constants.import.length && importedVariables.length === variables.import.length;
  const unread = {
    constant: unreadOf(constants, importedConstants),
    variable: unreadOf(variables, importedVariables),
  };
  return {
    ...(unread.constant.size + unread.variable.size > 0 && { unread }),
    ...(!isComplete && {
      incomplete: new Set([
        ...(importedConstants.length < constants.import.length ? (["constant"] as const) : []),
        ...(importedVariables.length < variables.import.length ? (["variable"] as const) : []),
      ]),
    }),
    constants: merge(
      "constant",
      source,
      [
        ...importedConstants.flatMap(({ name, document }) => definitions(document.definitions, `import \`${name.value}\``)),
        ...definitions(constants.local, "the policy's local constants"),
      ],
      linker,
    ),
    variables: merge(
      "variable",
      source,
      [
        ...importedVariables.flatMap(({ name, document }) => definitions(document.definitions, `import \`${name.value}\``)),
        ...definitions(variables.local, "the policy's local variables"),
        ...definitions(variables.deprecated, "the policy's top-level variables"),
      ],
      linker,
    ),
  };
}

interface Unread {
  readonly unread: readonly string[];
}

function unreadOf(own: Unread, imported: readonly { readonly document: Unread }[]): ReadonlySet<string> {
  // Shared, because almost every policy can be read.
  if (own.unread.length === 0 && imported.every(({ document }) => document.unread.length === 0)) return none;
  return new Set([own, ...imported.map(({ document }) => document)].flatMap(({ unread }) => unread));
}

const none: ReadonlySet<string> = new Set();

const definitions = <N>(nodes: readonly N[], origin: string): readonly Definition<N>[] => nodes.map((node) => ({ node, origin }));

function merge<N extends { readonly name: Located<string> }>(
  noun: "constant" | "variable",
  source: Source,
  all: readonly Definition<N>[],
  { report }: Linker,
): ReadonlyMap<string, N> {
  // Shared, because most policies have none.
  if (all.length === 0) return nothing;
  const byName = new Map<string, Definition<N>[]>();
  for (const definition of all) {
    const { value, span, path } = definition.node.name;
    const problem = identifierProblem(value);
    if (problem !== undefined)
      report({
        code: `invalid-${noun}-name`,
        severity: "error",
        span,
        path,
        message: `\`${value}\` cannot name a ${noun}: ${problem}`,
        hint: "use letters, digits and `_`, starting with a letter",
      });
    const known = byName.get(value);
    if (known === undefined) byName.set(value, [definition]);
    else known.push(definition);
  }
  for (const [name, definitions] of byName) if (definitions.length > 1) report(redefined(noun, name, definitions, source));
  return new Map([...byName].flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first.node]])));
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>();

function identifierProblem(name: string): string | undefined {
  if (["false", "in", "null", "true"].includes(name)) return "the word is reserved";
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) ? undefined : "it is not an identifier";
}

// Like the reference implementation, report the policy without a position: the definitions may all be in other files.
function redefined<N extends { readonly name: Located<string> }>(
  noun: "constant" | "variable",
  name: string,
  definitions: readonly Definition<N>[],
  source: Source,
): Diagnostic {
  const own = definitions.findLast((definition) => definition.node.name.span.source === source);
  return {
    code: `redefined-${noun}`,
    severity: "error",
    source,
    ...(own && { focus: own.node.name.span }),
    message: `the ${noun} \`${name}\` has ${definitions.length} definitions`,
    hint: "rename or remove all but one: no definition hides another",
    notes: definitions.map(({ node, origin }) => ({ span: node.name.span, message: `defined in ${origin}` })),
  };
}
