/** Inspects the policies of a store: actions, derived roles, attributes, variables, constants. */
import { byUnits } from "../../runtime/order.ts";
import { uniqueDocuments } from "../link/unique.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { documentKey } from "../policy/names.ts";
import { inspectDocument } from "./document.ts";
import { importableOf, importsOf } from "./importable.ts";
import type { Inspection } from "./inspection.ts";

export { inspectPolicySet, inspectTable } from "./compiled.ts";
export { importsOf } from "./importable.ts";
export type { Inspection } from "./inspection.ts";

/** Options of an inspection. */
export interface InspectOptions {
  /** Which documents to inspect; the others only serve as imports. All by default. */
  readonly of?: (document: PolicyDocument) => boolean;
}

/** Inspects policies from their sources alone, so also those that do not compile. Keys are sorted. */
export function inspectPolicies(documents: readonly PolicyDocument[], { of = () => true }: InspectOptions = {}): Inspection {
  const importable = importableOf(onePerKey(documents).values());
  const asked = [...onePerKey(documents.filter(of))].sort(([left], [right]) => byUnits(left, right));
  return Object.fromEntries(asked.map(([key, document]) => [key, inspectDocument(document, importable)]));
}

/** Returns the keys of missing sets that policies import, sorted. */
export function missingImports(documents: readonly PolicyDocument[]): readonly string[] {
  const there = new Set(documents.map(documentKey));
  return [...new Set(documents.flatMap((document) => [...importsOf(document)]))].filter((key) => !there.has(key)).sort(byUnits);
}

/** Of several documents for the same policy, keeps the first by path; a disabled one only if there is no other. */
const onePerKey = (documents: readonly PolicyDocument[]): ReadonlyMap<string, PolicyDocument> =>
  new Map(
    [true, false].flatMap((isDisabled) => [
      ...uniqueDocuments(
        documents.filter((each) => each.isDisabled === isDisabled),
        () => {},
      ),
    ]),
  );
