/** Parses instants, as suites, cases and the command line write them, to milliseconds. */
import type { Pattern } from "../../compiler/yaml/scalar.ts";
import { parseTimestamp } from "../../runtime/cel/timestamp-text.ts";
import { Timestamp } from "../../runtime/cel/value.ts";

/** The format of an instant: RFC 3339. It does not exclude impossible dates. */
export const instant: Pattern = {
  expression: /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/,
  description: "an instant such as `2024-01-16T10:18:27Z`",
};

/** Returns an instant in whole milliseconds since 1970, rounded down; undefined for an impossible one, such as February 30. */
export function readInstant(written: string): number | undefined {
  const read = instant.expression.test(written) ? parseTimestamp(written.toUpperCase()) : undefined;
  return read instanceof Timestamp ? read.seconds * 1000 + Math.floor(read.nanos / 1e6) : undefined;
}
