/** Links sets of derived roles, and resolves the derived roles that rules refer to. */
import { mapEach } from "../map-present.ts";
import { didYouMean } from "../nearest.ts";
import type { DerivedRolesDocument, Located, ResourcePolicyDocument } from "../policy/document.ts";
import { setKey } from "../policy/names.ts";
import type { Import } from "./imports.ts";
import { expressionsOf, linkCondition, type Linker } from "./linker.ts";
import type { DerivedRole } from "./policy-set.ts";
import { checkVariables, reportUndefined, definitionsUsedBy } from "./used-definitions.ts";
import { buildSymbolTable } from "./symbol-table.ts";

/**
 * Links every definition of a set with the set's own variables and constants. The importing policy cannot see these,
 * nor the set the importer's.
 */
export function linkDerivedRoles(set: DerivedRolesDocument, linker: Linker): ReadonlyMap<string, DerivedRole> {
  const symbols = buildSymbolTable(set, linker);
  checkVariables(symbols, linker);
  return new Map(
    set.definitions.map((definition) => {
      const expressions = expressionsOf(definition.condition);
      for (const expression of expressions) reportUndefined(expression, symbols, linker);
      const condition = definition.condition && linkCondition(definition.condition, linker);
      const role: DerivedRole = {
        name: definition.name.value,
        origin: setKey("derived_roles", set.name.value),
        parentRoles: collapseWildcard(definition.parentRoles),
        ...definitionsUsedBy(expressions, symbols, linker),
        ...(condition && { condition }),
        span: definition.span,
      };
      return [role.name, role];
    }),
  );
}

/** `*` includes every role, so it replaces the others. */
export function collapseWildcard(roles: readonly Located<string>[]): readonly string[] {
  const names = mapEach(roles, (role) => role.value);
  return names.includes("*") ? ["*"] : names;
}

/** Resolves the derived roles that a policy's rules refer to, in order of first mention. */
export function resolveDerivedRoles(
  policy: ResourcePolicyDocument,
  imports: readonly Import<DerivedRolesDocument>[],
  sets: ReadonlyMap<DerivedRolesDocument, ReadonlyMap<string, DerivedRole>>,
  linker: Linker,
): readonly DerivedRole[] {
  if (!policy.rules.some(({ derivedRoles }) => derivedRoles.length > 0)) return none;
  const found = new Map<string, DerivedRole>();
  const unknown = new Map<string, readonly Located<string>[]>();
  for (const name of policy.rules.flatMap((rule) => rule.derivedRoles)) {
    const candidates = imports.flatMap((each) => {
      const role = sets.get(each.document)?.get(name.value);
      return role === undefined ? [] : [{ role, import: each }];
    });
    const [only, another] = candidates;
    if (only === undefined) unknown.set(name.value, [...(unknown.get(name.value) ?? []), name]);
    else if (another !== undefined)
      linker.report({
        code: "ambiguous-derived-role",
        severity: "error",
        source: policy.source,
        focus: name.span,
        message: `the derived role \`${name.value}\` is defined in ${candidates.length} imports`,
        hint: "import only one of them, or rename the role in one",
        notes: candidates.map((candidate) => ({
          span: candidate.role.span,
          message: `defined in import \`${candidate.import.name.value}\``,
        })),
      });
    else found.set(name.value, only.role);
  }
  for (const mentions of unknown.values()) reportUnknown(mentions, imports, linker);
  return [...found.values()];
}

const none: readonly never[] = [];

/** Reports an unknown role once for each policy; as the reference implementation does, at its last mention. */
function reportUnknown(
  mentions: readonly Located<string>[],
  imports: readonly Import<DerivedRolesDocument>[],
  { report, derivedRoles }: Linker,
): void {
  const name = mentions.at(-1);
  if (name === undefined) return;
  const defines = (set: DerivedRolesDocument): boolean => set.definitions.some((definition) => definition.name.value === name.value);
  const elsewhere = [...derivedRoles.values()].find(defines);
  const near = didYouMean(
    name.value,
    imports.flatMap(({ document }) => document.definitions.map((definition) => definition.name.value)),
  );
  report({
    code: "unknown-derived-role",
    severity: "error",
    span: name.span,
    path: name.path,
    message: `no import defines a derived role named \`${name.value}\``,
    hint:
      elsewhere !== undefined
        ? `add \`${elsewhere.name.value}\` to \`importDerivedRoles\``
        : (near.hint ?? "define it in a set of derived roles, and import that"),
    ...(mentions.length > 1 && { notes: mentions.slice(0, -1).map(({ span }) => ({ span, message: "also named here" })) }),
  });
}
