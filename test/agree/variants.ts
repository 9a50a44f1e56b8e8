/** The generated side in its variants: with every pass and fast form, with none, and with each alone switched off. */
import { createHash } from "node:crypto";
import { compile } from "../../compiler/index.ts";
import { allForms, type FormName } from "../../compiler/emit/forms/index.ts";
import { emit } from "../../compiler/emit/unit.ts";
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { passes, type Pass } from "../../compiler/optimize/index.ts";
import { pack } from "../../compiler/pack.ts";
import type { Source } from "../../compiler/source.ts";
import { lower } from "../../compiler/table/lower.ts";
import type { Evaluator } from "../../runtime/decide/decision.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** One way to generate code. */
export interface Variant {
  readonly name: string;
  readonly passes: readonly Pass[];
  readonly forms: ReadonlySet<FormName>;
}

/** Everything switched on: what users get. */
export const everything: Variant = { name: "everything", passes, forms: allForms };
/** Nothing switched on. */
export const nothing: Variant = { name: "nothing", passes: [], forms: new Set() };
/** All but one pass or one form. */
export const allButOne: readonly Variant[] = [
  ...passes.map((pass) => ({ name: `without ${pass.name}`, passes: passes.filter((each) => each !== pass), forms: allForms })),
  ...[...allForms].map((form) => ({ name: `without "${form}"`, passes, forms: new Set([...allForms].filter((each) => each !== form)) })),
];

/** The variants that one policy set is tried with: in turn, each as often as the others. */
export const variantsFor = (set: number): readonly Variant[] => {
  const turn = set % (allButOne.length + 3);
  return turn < 3 ? [everything, nothing] : [everything, ...allButOne.slice(turn - 3, turn - 2)];
};

/** A policy set, and evaluators of it, one for each variant. */
export interface Generated {
  readonly policySet: PolicySet;
  readonly evaluators: readonly Evaluator[];
}

/** Compiles and loads in several variants; a text that says what is wrong when the sources do not compile. */
export function generate(sources: readonly Source[], variants: readonly Variant[]): Generated | string {
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    return errors.map(({ code, message }) => `${code}: ${message}`).join("; ");
  }
  const { policySet } = compiled;
  const bundleOf = (variant: Variant) => {
    if (variant === everything) return compiled.bundle;
    const table = variant.passes.reduce((before, pass) => pass(before), lower(policySet));
    return pack(
      table.units.map((unit) => emit(unit, { digest, forms: variant.forms })),
      { digest },
    );
  };
  return { policySet, evaluators: variants.map((variant) => load(bundleOf(variant), evaluateInThisRealm)) };
}
