/** Resolves the name of an imported set to its document. */
import { didYouMean } from "../nearest.ts";
import { sanitise, setKey } from "../policy/names.ts";
import type { Located } from "../policy/document.ts";
import { disabledPolicyWarning } from "./disabled.ts";
import type { Linker } from "./linker.ts";

/** An imported set, and the position of the import. */
export interface Import<D> {
  readonly name: Located<string>;
  readonly document: D;
}

/** The kinds of sets: the linker's field, the prefix of their keys, and what they contain. */
const kinds = {
  derivedRoles: { key: "derived_roles", noun: "derived roles" },
  exportVariables: { key: "export_variables", noun: "variables" },
  exportConstants: { key: "export_constants", noun: "constants" },
} as const;

type Kind = keyof typeof kinds;
type Sets = { readonly [K in Kind]: Linker[K] extends ReadonlyMap<string, infer D> ? D : never };

/** Resolves the imports of one kind; unknown ones are reported and left out. */
export function resolveImports<K extends Kind>(kind: K, names: readonly Located<string>[], linker: Linker): readonly Import<Sets[K]>[];
export function resolveImports(kind: Kind, names: readonly Located<string>[], linker: Linker): readonly Import<Sets[Kind]>[] {
  const sets: ReadonlyMap<string, Sets[Kind]> = linker[kind];
  return names.flatMap((name) => {
    const document = sets.get(sanitise(name.value));
    if (document !== undefined) return [{ name, document }];
    reportUnknown(kind, name, sets, linker);
    return [];
  });
}

function reportUnknown(kind: Kind, name: Located<string>, sets: ReadonlyMap<string, Sets[Kind]>, { report, disabled }: Linker): void {
  const { key, noun } = kinds[kind];
  const absent = disabled.get(setKey(key, name.value));
  const near = didYouMean(
    name.value,
    Array.from(sets.values(), (set) => set.name.value),
  );
  report({
    code: "unknown-import",
    severity: "error",
    span: name.span,
    path: name.path,
    message: `no ${noun} named \`${name.value}\``,
    hint:
      absent === undefined
        ? (near.hint ?? `no file defines a set of ${noun} with this name`)
        : `\`${absent.source.path}\` defines them, but is disabled`,
  });
  if (absent !== undefined) report(disabledPolicyWarning(absent));
}
