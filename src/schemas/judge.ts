/** What a compiled schema finds -> findings in words, within the account of a check: on servers and in modules alike. */
import type { ErrorObject } from "ajv";
import { EvalError } from "../../runtime/cel/error.ts";
import { matchesPattern } from "../../runtime/cel/regex.ts";
import { tooMuchWork } from "../../runtime/cel/work.ts";
import { mostErrors, TooManyErrors } from "./account.ts";
import { wordError, type Finding, type KeywordFinding, type SchemaError } from "./finding.ts";
import { forgetItems } from "./items.ts";

type Errors = readonly ErrorObject[] | null | undefined;

/** What is found wrong, in words: the first of a great many errors; undefined where there is none. */
export function findingsOf(isValid: () => boolean, errors: () => Errors): readonly KeywordFinding[] | undefined {
  const findings: KeywordFinding[] = [];
  forgetItems();
  try {
    if (isValid()) return undefined;
    addFindings(findings, errors());
  } catch (thrown) {
    if (!(thrown instanceof TooManyErrors)) throw thrown;
    addFindings(findings, thrown.errors);
  }
  return findings;
}

function addFindings(findings: KeywordFinding[], errors: Errors): void {
  for (const error of errors ?? []) {
    if (findings.length > mostErrors) return;
    findings.push(...wordError(toSchemaError(error)));
  }
}

const toSchemaError = (error: ErrorObject): SchemaError => ({
  keyword: error.keyword,
  at: error.instancePath,
  params: error.params,
  data: error.data,
  ...(error.propertyName !== undefined && { propertyName: error.propertyName }),
});

/** Validates attributes; `partial` forgives what is missing. What takes too long, or cannot be done, is a finding too. */
export function judgeAttributes(
  validate: (value: unknown) => readonly KeywordFinding[],
  { ref, attributes, partial = false }: { readonly ref: string; readonly attributes: unknown; readonly partial?: boolean },
): readonly Finding[] {
  try {
    return validate(attributes)
      .filter(({ keyword }) => !partial || keyword !== "required")
      .map(({ path, message }) => ({ path, message }));
  } catch (error) {
    const why =
      error === tooMuchWork ? "it takes too long: send smaller attributes" : error instanceof Error ? error.message : String(error);
    return [{ path: "/", message: `cannot be checked by the schema \`${ref}\`: ${why}` }];
  }
}

/** RE2 decides, as in conditions: no pattern can be slow. */
export function pattern(text: string): { readonly test: (value: string) => boolean; readonly toString: () => string } {
  const wrong = matchesPattern("", text);
  if (wrong instanceof EvalError) throw new Error(`the pattern \`${text.slice(0, 100)}\` cannot be used: ${wrong.message}`);
  return {
    test: (value) => {
      const found = matchesPattern(value, text);
      if (found instanceof EvalError) throw tooMuchWork; // the text is too long for it
      return found;
    },
    toString: () => text, // by which ajv tells patterns apart
  };
}
