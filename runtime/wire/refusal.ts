/** Refusals of requests: a gRPC code, a message, and every constraint that the request breaks; and their JSON. */
import { code, type Code } from "./code.ts";
import type { Violation } from "./violation.ts";

/** The answer to a request that is not decided. */
export interface Refusal {
  readonly kind: "refusal";
  readonly code: Code;
  readonly message: string;
  readonly violations: readonly Violation[];
}

/** Refuses for one reason that is not a constraint of a field. */
export const refuse = (reason: Code, message: string): Refusal => ({ kind: "refusal", code: reason, message, violations: [] });

/** How many violations the message names; the details name them all. */
const named = 10;

/** Refuses for constraints; `unlisted` counts those beyond the ones that are listed. */
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
