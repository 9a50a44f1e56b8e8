/** Collects the schema questions of one check, without duplicates: all its inputs have the same principal. */
import { invariant } from "../cel/error.ts";
import type { SchemaCheck, ValidationError } from "../decide/decision.ts";
import type { SchemaEnforcement } from "../decide/input.ts";
import type { Settings } from "./settings.ts";

/** The schema questions of one check. */
export interface SchemaQuestions {
  readonly questions: readonly SchemaCheck[];
  /** Converts the answers (one for each question, or none if no schema is violated) to the options of a decision. */
  readonly enforce: (answers: readonly SchemaAnswer[]) => SchemaEnforcement | undefined;
}

/** The violations that one schema found. */
export type SchemaAnswer = readonly Pick<ValidationError, "path" | "message">[];

const noQuestions: SchemaQuestions = { questions: [], enforce: () => undefined };

/** Collects the questions; `checksOf` is not called if schemas are not enforced. */
export function openSchemaQuestions(enforcement: Settings["schemaEnforcement"], checksOf: () => readonly SchemaCheck[]): SchemaQuestions {
  if (enforcement === "none") return noQuestions;
  const questions: SchemaCheck[] = [];
  // Index of the question for each schema of the principal, and for each input's resource, which has only one schema.
  const ofPrincipal = new Map<string, number>();
  const ofResource = new Map<number, number>();
  const placeOf = ({ input, source, ref }: SchemaCheck): number | undefined =>
    source === "SOURCE_PRINCIPAL" ? ofPrincipal.get(ref) : ofResource.get(input);
  const checks = checksOf();
  for (let at = 0; at < checks.length; at++) {
    const check = checks[at];
    if (check === undefined || placeOf(check) !== undefined) continue;
    if (check.source === "SOURCE_PRINCIPAL") ofPrincipal.set(check.ref, questions.length);
    else ofResource.set(check.input, questions.length);
    questions.push(check);
  }
  if (questions.length === 0) return noQuestions;
  return {
    questions,
    enforce(answers) {
      // Without violations, schemas change nothing, and the fast paths can be used.
      if (areEmpty(answers)) return undefined;
      return {
        enforcement,
        validate(input, source, ref) {
          const at = placeOf({ input, source, ref }) ?? -1;
          const answer = answers[at];
          invariant(answer !== undefined && questions[at]?.ref === ref, "a decision asks of schemas only what was asked before");
          return answer.map(({ path, message }) => ({ path, message, source }));
        },
      };
    },
  };
}

function areEmpty(answers: readonly SchemaAnswer[]): boolean {
  for (let at = 0; at < answers.length; at++) if (answers[at]?.length !== 0) return false;
  return true;
}
