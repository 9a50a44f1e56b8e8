/** Converts the errors of a compiled schema to findings, within the account of a check; used by servers and modules. */
import type { ErrorObject } from "ajv";
import { EvalError } from "../../runtime/cel/error.ts";
import { matchesPattern } from "../../runtime/cel/regex.ts";
import { tooMuchWork } from "../../runtime/cel/work.ts";
import { maxErrors, TooManyErrors } from "./cost.ts";
import { describeError, type Finding, type KeywordFinding, type ValidatorError } from "./finding.ts";
import { resetItems } from "./items.ts";

type Errors = readonly ErrorObject[] | null | undefined;

/** Returns the findings, the first ones if there are very many; undefined when the value is valid. */
export function collectFindings(isValid: () => boolean, errors: () => Errors): readonly KeywordFinding[] | undefined {
  const findings: KeywordFinding[] = [];
  resetItems();
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
    if (findings.length > maxErrors) return;
    findings.push(...describeError(toSchemaError(error)));
  }
}

const toSchemaError = (error: ErrorObject): ValidatorError => ({
  keyword: error.keyword,
  at: error.instancePath,
  params: error.params,
  data: error.data,
  ...(error.propertyName !== undefined && { propertyName: error.propertyName }),
});

/** Validates attributes; `partial` ignores missing ones. Exceeding a limit, or a validation that is impossible, is a finding too. */
export function validateAttributes(
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

/** Compiles a pattern with RE2, as in conditions, so that no pattern can be slow. */
export function compilePattern(text: string): { readonly test: (value: string) => boolean; readonly toString: () => string } {
  const wrong = matchesPattern("", text);
  if (wrong instanceof EvalError) throw new Error(`the pattern \`${text.slice(0, 100)}\` cannot be used: ${wrong.message}`);
  return {
    test: (value) => {
      const found = matchesPattern(value, text);
      if (found instanceof EvalError) throw tooMuchWork; // the string is too long for it
      return found;
    },
    toString: () => text, // ajv identifies patterns by this
  };
}
