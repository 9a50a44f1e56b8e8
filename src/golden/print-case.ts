/** Prints a golden case, deterministically. */
import type { Json } from "../../runtime/wire/json.ts";
import { policyText } from "../admin/changes/policy-text.ts";
import { isAmbiguousString } from "../testing/ambiguous-values.ts";

/** The parts to print. */
export interface PrintedCase {
  readonly description: string | undefined;
  readonly options: Json | undefined;
  readonly request: Json;
  readonly outcome: readonly Json[];
}

const heading = "# A golden case: `authz golden check` compares, `authz golden accept` rewrites the outcome.\n";

/** Prints a case. */
export function printCase({ description, options, request, outcome }: PrintedCase): string {
  const fields = {
    ...(description !== undefined && description !== "" && { description }),
    ...(options !== undefined && { options }),
    request,
    outcome: [...outcome],
  };
  return heading + policyText(fields, "case.yaml", isAmbiguousString);
}
