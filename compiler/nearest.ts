/** Makes the hint "did you mean ...?" of a diagnostic about an unknown name. */
import { nearest } from "../runtime/nearest.ts";

export { nearest } from "../runtime/nearest.ts";

/** Returns the hint of a diagnostic about an unknown name; empty if no candidate is similar. */
export function didYouMean(name: string, candidates: Iterable<string>): { readonly hint?: string } {
  const near = nearest(name, candidates);
  return near === undefined ? {} : { hint: `did you mean \`${near}\`?` };
}
