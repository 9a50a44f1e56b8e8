/** What schemas are asked about one check, each thing once: the principal is the same for all its inputs. */
import { invariant } from "../cel/error.ts";
import type { SchemaCheck, ValidationError } from "../decide/decision.ts";
import type { SchemaEnforcement } from "../decide/input.ts";
import type { Settings } from "./settings.ts";

/** The questions of one check. */
export interface SchemaQuestions {
  readonly questions: readonly SchemaCheck[];
  /** With one answer for each question: what a decision needs to know of schemas. */
  readonly enforce: (answers: readonly SchemaAnswer[]) => SchemaEnforcement | undefined;
}

/** What a schema finds wrong with some attributes. */
export type SchemaAnswer = readonly Pick<ValidationError, "path" | "message">[];

const noQuestions: SchemaQuestions = { questions: [], enforce: () => undefined };

/** Opens the questions; `checksOf` is not asked where schemas do not count. */
export function openSchemaQuestions(enforcement: Settings["schemaEnforcement"], checksOf: () => readonly SchemaCheck[]): SchemaQuestions {
  if (enforcement === "none") return noQuestions;
  const asked = new Map<string, number>();
  const questions: SchemaCheck[] = [];
  for (const check of checksOf()) {
    const key = keyOf(check);
    if (asked.has(key)) continue;
    asked.set(key, questions.length);
    questions.push(check);
  }
  if (questions.length === 0) return noQuestions;
  return {
    questions,
    enforce: (answers) => ({
      enforcement,
      validate(input, source, ref) {
        const answer = answers[asked.get(keyOf({ input, source, ref })) ?? -1];
        invariant(answer !== undefined, "a decision asks of schemas only what was asked before");
        return answer.map(({ path, message }) => ({ path, message, source }));
      },
    }),
  };
}

const keyOf = ({ input, source, ref }: SchemaCheck): string => JSON.stringify([source === "SOURCE_PRINCIPAL" ? -1 : input, ref]);
