/** Reports line breaks that YAML parsers do not agree on: what one takes for the rest of a comment, another takes for a rule. */
import type { Diagnostic } from "../diagnostic.ts";
import type { Source } from "../source.ts";

/** Reports a carriage return without a line feed; YAML has it for a line break (1.2, 5.4), as editors show it, and its common readers do not. */
export function loneReturn(source: Source): Diagnostic | undefined {
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
