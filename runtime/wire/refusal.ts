/** Refusals of requests: gRPC code, message, and the violated constraints; and their JSON form. */
import { code, type Code } from "./code.ts";
import type { Violation } from "./violation.ts";

/** The error reply to a request that is not decided. */
export interface Refusal {
  readonly kind: "refusal";
  readonly code: Code;
  readonly message: string;
  readonly violations: readonly Violation[];
}

/** Builds a refusal whose reason is not a field constraint. */
export const refuse = (reason: Code, message: string): Refusal => ({ kind: "refusal", code: reason, message, violations: [] });

/** How many violations the message lists; `details` holds all that were recorded. */
const named = 10;

/** Builds the refusal for violated constraints; `unlisted` counts those not recorded. */
export function refuseViolations(violations: readonly Violation[], unlisted: number): Refusal {
  const all = violations.length + unlisted;
  const lines = violations.slice(0, named).map(({ fieldPath, message }) => `${fieldPath}: ${message}`);
  const more = all - lines.length;
  return {
    kind: "refusal",
    code: code.invalidArgument,
    message: `invalid request: ${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
    violations,
  };
}

/** Prints a refusal as the JSON body of an error (D6). */
export const printRefusal = ({ code: reason, message, violations }: Refusal): string =>
  JSON.stringify({
    code: reason,
    message,
    ...(violations.length > 0 && { details: [{ "@type": "type.googleapis.com/buf.validate.Violations", violations }] }),
  });
