/** An instant as suites, cases and the command line write it -> milliseconds. */
import type { Pattern } from "../../compiler/yaml/scalar.ts";
import { parseTimestamp } from "../../runtime/cel/timestamp-text.ts";
import { Timestamp } from "../../runtime/cel/value.ts";

/** How an instant is written: RFC 3339. Not every text of this form names one. */
export const instant: Pattern = {
  expression: /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/,
  says: "an instant such as `2024-01-16T10:18:27Z`",
};

/** Returns an instant in whole milliseconds since 1970, what is left of them dropped; undefined for what names none, such as day 30 of February. */
export function readInstant(written: string): number | undefined {
  const read = instant.expression.test(written) ? parseTimestamp(written.toUpperCase()) : undefined;
  return read instanceof Timestamp ? read.seconds * 1000 + Math.floor(read.nanos / 1e6) : undefined;
}
