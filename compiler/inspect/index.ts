/** What the policies of a store contain: actions, derived roles, attributes, variables, constants. */
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

/** Which of the documents are told of; the others are there to be imported. */
export interface InspectOptions {
  /** All of them, unless said otherwise. */
  readonly of?: (document: PolicyDocument) => boolean;
}

/** Tells what policies contain, from their sources alone: one that does not compile is told of too. Keys are in order. */
export function inspectPolicies(documents: readonly PolicyDocument[], { of = () => true }: InspectOptions = {}): Inspection {
  const importable = importableOf(onePerKey(documents).values());
  const asked = [...onePerKey(documents.filter(of))].sort(([left], [right]) => byUnits(left, right));
  return Object.fromEntries(asked.map(([key, document]) => [key, inspectDocument(document, importable)]));
}

/** Returns the keys of the sets that policies import and that are not there, in order. */
export function missingImports(documents: readonly PolicyDocument[]): readonly string[] {
  const there = new Set(documents.map(documentKey));
  return [...new Set(documents.flatMap((document) => [...importsOf(document)]))].filter((key) => !there.has(key)).sort(byUnits);
}

/** Of several that define the same policy the first counts, by path; one that is disabled only where no other is. */
const onePerKey = (documents: readonly PolicyDocument[]): ReadonlyMap<string, PolicyDocument> =>
  new Map(
    [true, false].flatMap((isDisabled) => [
      ...uniqueDocuments(
        documents.filter((each) => each.isDisabled === isDisabled),
        () => {},
      ),
    ]),
  );
