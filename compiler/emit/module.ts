/** JavaScript text of one unit, in two prints of the same tree. */
import type { Span } from "../source.ts";
import type { BundledUnit } from "../../runtime/bundle.ts";

/** One unit, emitted. */
export interface Module {
  readonly unit: BundledUnit;
  /** The machine's print: a factory `(rt, k) => unit` without names, comments or positions; `unit.shape` is its digest. */
  readonly text: string;
  /** The people's print, commented with the policy's own files, lines and words. Printed only when asked for. */
  readonly readable: () => string;
  /** For each line of the machine's print, the rule, derived role or policy that it was made of. Found out only when asked for. */
  readonly places: () => readonly (Span | undefined)[];
}
