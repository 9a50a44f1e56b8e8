/** What schemas are asked about one check, each thing once: the principal is the same for all its inputs. */
import { invariant } from "../cel/error.ts";
import type { SchemaCheck, ValidationError } from "../decide/decision.ts";
import type { SchemaEnforcement } from "../decide/input.ts";
import type { Settings } from "./settings.ts";

/** The questions of one check. */
export interface SchemaQuestions {
  readonly questions: readonly SchemaCheck[];
  /** With one answer for each question, or none where no schema finds anything wrong: what a decision needs to know of schemas. */
  readonly enforce: (answers: readonly SchemaAnswer[]) => SchemaEnforcement | undefined;
}

/** What a schema finds wrong with some attributes. */
export type SchemaAnswer = readonly Pick<ValidationError, "path" | "message">[];

const noQuestions: SchemaQuestions = { questions: [], enforce: () => undefined };

/** Opens the questions; `checksOf` is not asked where schemas do not count. */
export function openSchemaQuestions(enforcement: Settings["schemaEnforcement"], checksOf: () => readonly SchemaCheck[]): SchemaQuestions {
  if (enforcement === "none") return noQuestions;
  const questions: SchemaCheck[] = [];
  // Which question asks by a schema of the principal, and which about the resource of an input, which has one schema.
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
      // Where nothing is wrong, schemas change nothing: decisions go their shortest way.
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
