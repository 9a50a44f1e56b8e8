/** The JavaScript text of one unit, in two prints of the same tree. */
import type { Span } from "../source.ts";
import type { BundledUnit } from "../../runtime/bundle.ts";

/** One emitted unit. */
export interface Module {
  readonly unit: BundledUnit;
  /** The machine print: a factory `(rt, k) => unit` without names, comments or positions; `unit.shape` is its digest. */
  readonly text: string;
  /** The print for readers, commented with the policy's files, lines and words. Printed on demand. */
  readonly readable: () => string;
  /** For each line of the machine print, the rule, derived role or policy it came from. Computed on demand. */
  readonly places: () => readonly (Span | undefined)[];
}
