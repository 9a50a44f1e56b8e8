/** One check from the body's text to the answer's: read, decide, write. What goes wrong in between becomes text too. */
import { mostWork, tooMuchWork, withWork } from "../cel/work.ts";
import type { Decision, Evaluator } from "../decide/decision.ts";
import { code, codeCharacter } from "../wire/code.ts";
import { printRefusal, refuse, type Refusal } from "../wire/refusal.ts";
import { writeReply } from "../wire/reply.ts";
import { checkInputs, readCheckRequest } from "../wire/request.ts";
import type { Settings } from "./settings.ts";

/** Answers a check: one character that says the gRPC code in base 36, then the JSON of the reply or of the error. */
export function answerCheck(evaluator: Evaluator | undefined, settings: Settings, body: string, callId: string, now: number): string {
  if (evaluator === undefined) return print(refuse(code.unavailable, "no policies are loaded yet"));
  const request = readCheckRequest(body, settings);
  if (request.kind === "refusal") return print(request);
  if (request.tokens !== undefined) return print(refuse(code.invalidArgument, "invalid auxData: no key sets are configured"));
  const check = (): readonly Decision[] =>
    evaluator.check(checkInputs(request, undefined), {
      now,
      globals: settings.globals,
      defaultPolicyVersion: settings.defaultPolicyVersion,
      defaultScope: settings.defaultScope,
      lenientScopeSearch: settings.lenientScopeSearch,
      strictEvaluation: settings.strictEvaluation,
      evaluationErrors: false,
    });
  try {
    return codeCharacter(code.ok) + writeReply(request, withWork(mostWork, request.longestText, check), settings, callId);
  } catch (thrown) {
    if (thrown !== tooMuchWork) throw thrown;
    return print(
      refuse(code.invalidArgument, "the check costs too much to evaluate: ask about fewer resources, or send smaller attributes"),
    );
  }
}

/** Answers a check that something unforeseen ended. */
export const answerFailure = (reason: string): string => print(refuse(code.internal, `the check failed: ${reason}`));

const print = (refusal: Refusal): string => codeCharacter(refusal.code) + printRefusal(refusal);
