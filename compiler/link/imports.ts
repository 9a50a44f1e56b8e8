/** From the name of an imported set to its document. */
import { didYouMean } from "../nearest.ts";
import { sanitise } from "../policy/names.ts";
import type { Located } from "../policy/document.ts";
import type { Linker } from "./linker.ts";

/** A set that a policy imports, and where it says so. */
export interface Import<D> {
  readonly name: Located<string>;
  readonly document: D;
}

interface Named {
  readonly name: Located<string>;
}

/** Finds the sets of one kind that a policy imports; `noun` is what such a set holds. */
export function resolveImports<D extends Named>(
  names: readonly Located<string>[],
  sets: ReadonlyMap<string, D>,
  noun: string,
  { report }: Linker,
): readonly Import<D>[] {
  return names.flatMap((name) => {
    const document = sets.get(sanitise(name.value));
    if (document !== undefined) return [{ name, document }];
    const near = didYouMean(
      name.value,
      [...sets.values()].map((set) => set.name.value),
    );
    report({
      code: "unknown-import",
      severity: "error",
      span: name.span,
      path: name.path,
      message: `no ${noun} named \`${name.value}\``,
      hint: near.hint ?? `no file defines a set of ${noun} with this name`,
    });
    return [];
  });
}
