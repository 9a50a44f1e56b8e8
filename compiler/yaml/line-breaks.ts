/** Reports line breaks on which YAML parsers disagree: what one reads as the rest of a comment, another reads as a rule. */
import type { Diagnostic } from "../diagnostic.ts";
import type { Source } from "../source.ts";

/**
 * Reports a carriage return without a line feed. The YAML specification (1.2, 5.4) and editors treat it as a line
 * break, but common YAML parsers do not.
 */
export function loneCarriageReturn(source: Source): Diagnostic | undefined {
  const at = source.text.search(/\r(?!\n)/);
  if (at === -1) return undefined;
  return {
    code: "yaml-syntax",
    severity: "error",
    span: { source, start: at, end: at + 1 },
    message: "a carriage return stands here without a line feed: for some programs a line ends there, for others it does not",
    hint: "end lines with a line feed (LF, or CRLF)",
  };
}
