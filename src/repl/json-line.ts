/** Prints answers as JSON lines, for programs. */
import type { Answer } from "./answer.ts";
import { positionOf, type Entry } from "./problem.ts";
import { printResultType, resultToJson } from "./print-result.ts";

/** Returns the JSON line of an answer. */
export function toJsonLine({ text, problems, result }: Answer, entry: Entry): string {
  const written = entry.source.text.trim();
  const subject = written.startsWith(":") ? { command: written } : { expression: written };
  const [first] = problems;
  if (first !== undefined) {
    const issues = problems.map((problem) => ({
      message: problem.message,
      ...positionOf(problem, entry),
      ...(problem.hint !== undefined && { hint: problem.hint }),
    }));
    return JSON.stringify({ ...subject, error: first.message, issues });
  }
  if (result === undefined) return JSON.stringify({ ...subject, text });
  const { value, type } = result;
  return JSON.stringify({
    ...subject,
    value: resultToJson(value),
    type: type.kind === "dyn" ? printResultType(type, value).replace(" (dyn)", "") : printResultType(type, value),
  });
}
