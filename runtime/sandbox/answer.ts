/**
 * Answers one check: reads the body, asks the host for what it needs, decides, writes the reply. Failures become
 * replies too.
 */
import { withStepLimit } from "../cel/step-limit.ts";
import { maxWork, tooMuchWork, withWork } from "../cel/work.ts";
import type { Decision, Evaluator } from "../decide/decision.ts";
import type { CheckInput, CheckOptions, SchemaEnforcement } from "../decide/input.ts";
import { code, codeCharacter } from "../wire/code.ts";
import { printRefusal, refuse, type Refusal } from "../wire/refusal.ts";
import { writeDecisions, writeFailedCheck } from "../wire/decisions.ts";
import { forms, type Form } from "../wire/forms.ts";
import { tooLargeReply } from "../wire/reply-size.ts";
import { checkInputs, type CheckRequest } from "../wire/request.ts";
import { fine, nothingFound, readFound, type Found } from "./found.ts";
import { freezeInputs } from "./freeze.ts";
import type { PendingCheck, PendingChecks } from "./pending.ts";
import { reasonOf } from "./reason.ts";
import { openSchemaQuestions } from "./schema-questions.ts";
import type { Settings } from "./settings.ts";

/**
 * Answers a check: the gRPC code as one base-36 character, then the JSON of the reply or of the error.
 * If tokens or schemas must be checked first: "?" and JSON that says what (see `resumeCheck`).
 * Depending on the settings, a line feed and data for the host follow: the number of resources decided (nothing if
 * the check failed), "+" if the request has annotations and, after a space, the decision record as JSON. If `naming`
 * is set and conditions failed, another line feed, "!" and JSON with a list of `{ expression, message, kind }` follow.
 * A check in protobuf is answered with its code and the result of `writeMessageReply`, or with `askAsText` if it must
 * be sent again as JSON.
 */
export function answerCheck(
  evaluator: Evaluator | undefined,
  settings: Settings,
  pending: PendingChecks,
  body: string,
  callId: string,
  now: number,
  form: Form = "CheckResources",
  naming = false,
): string {
  if (evaluator === undefined) {
    return form === "CheckResources message" ? askAsText : print(refuse(code.unavailable, "no policies are loaded yet"));
  }
  const request = forms[form].read(body, settings);
  if (request === undefined) return askAsText;
  if (request.kind === "refusal") return print(request);
  const inputs = settings.schemaEnforcement === "none" ? undefined : checkInputs(request, undefined);
  const schemas = openSchemaQuestions(settings.schemaEnforcement, () =>
    evaluator.schemaChecks(inputs ?? [], optionsOf(settings, now, false, false, undefined)),
  );
  const check: PendingCheck = { evaluator, settings, request, inputs, schemas, form, naming };
  if (request.tokens === undefined && schemas.questions.length === 0) return decided(check, nothingFound, callId, now);
  const handle = pending.keep(check, body.length);
  const tokens = request.tokens && {
    ...request.tokens,
    ...(request.tokens.jwts && { jwts: Object.fromEntries(request.tokens.jwts) }),
  };
  const questions = schemas.questions.map(({ input, source, ref }) => {
    const attributes = source === "SOURCE_PRINCIPAL" ? request.principal.attr : request.entries[input]?.resource.attr;
    return { input, source, ref, attributes: attributes ?? {} };
  });
  return `?${JSON.stringify({ handle, tokens: tokens ?? null, schemas: questions })}`;
}

/** Completes a waiting check; `foundText` is what the host found out. */
export function resumeCheck(pending: PendingChecks, handle: number, foundText: string, callId: string, now: number): string {
  const check = pending.take(handle);
  if (check === undefined) {
    return print(
      refuse(code.unavailable, "too many checks were waiting for their tokens and schemas, and this one was given up: send it again"),
    );
  }
  const isFine = foundText === fine && check.request.tokens === undefined;
  const found = isFine ? nothingFound : readFound(foundText, check.schemas.questions.length);
  if (found.invalid !== undefined) return print(refuse(code.invalidArgument, `invalid auxData: ${found.invalid}`));
  return decided(check, found, callId, now);
}

/** Decides a check. Returns the reply and, after it, the data for the host (see `settings.tells`). */
function decided(check: PendingCheck, found: Found, callId: string, now: number): string {
  const { evaluator, settings, request, schemas, form, naming } = check;
  const options = optionsOf(settings, now, naming, request.includeMeta, schemas.enforce(found.validation));
  const inputs = (found.auxData === undefined ? check.inputs : undefined) ?? checkInputs(request, found.auxData);
  if (settings.freezesRequests) freezeInputs(inputs);
  const longestText = Math.max(request.longestText, found.longestText);
  try {
    const decisions = withWork(maxWork, longestText, (): readonly Decision[] =>
      withStepLimit(settings.maxEvaluationSteps, () => evaluator.check(inputs, options)),
    );
    const answer = ok + forms[form].write(request, decisions, settings, callId);
    if (settings.tells === "nothing") return answer;
    const record = settings.tells === "decisions" ? writeDecisions(request, inputs, decisions, settings.records) : "";
    const data = `${inputs.length}${markOf(request)}${record === "" ? "" : ` ${record}`}`;
    return `${answer}\n${data}${naming ? nameErrors(inputs, decisions) : ""}`;
  } catch (thrown) {
    const refusal = refusalOf(thrown);
    if (settings.tells === "nothing") return print(refusal);
    const record = settings.tells === "decisions" ? ` ${writeFailedCheck(request, inputs, refusal.message, settings.records)}` : "";
    return `${print(refusal)}\n${markOf(request)}${record}`;
  }
}

const markOf = ({ annotations }: CheckRequest): string => (annotations === undefined ? "" : annotationsMark);

function refusalOf(thrown: unknown): Refusal {
  if (thrown === tooMuchWork)
    return refuse(
      code.invalidArgument,
      "the check costs too much to evaluate: ask about fewer resources, or send smaller attributes; no setting allows more",
    );
  if (thrown === tooLargeReply)
    return refuse(
      code.invalidArgument,
      "the answer would be too large: ask about fewer resources, or by shorter names; no setting allows more",
    );
  return failed(reasonOf(thrown));
}

/** Most errors reported for one check; the first ones suffice to start with. */
const maxErrors = 20;

/** Returns the first error of each expression, with the kind of the resource that met it, as data for the log of the host. */
function nameErrors(inputs: readonly CheckInput[], decisions: readonly Decision[]): string {
  const errors = new Map<string, { readonly expression: string; readonly message: string; readonly kind: string | undefined }>();
  for (const [at, { evaluationErrors }] of decisions.entries()) {
    for (const { expression, message } of evaluationErrors) {
      if (errors.size === maxErrors) break;
      if (!errors.has(expression)) errors.set(expression, { expression, message, kind: inputs[at]?.resource.kind });
    }
  }
  return errors.size === 0 ? "" : `\n!${JSON.stringify([...errors.values()])}`;
}

function optionsOf(
  settings: Settings,
  now: number,
  naming: boolean,
  showingRoles: boolean,
  schemas: SchemaEnforcement | undefined,
): CheckOptions {
  const recording = settings.tells === "decisions";
  const options: CheckOptions = {
    now,
    nowOffset: settings.nowOffset,
    globals: settings.globals,
    defaultPolicyVersion: settings.defaultPolicyVersion,
    defaultScope: settings.defaultScope,
    lenientScopeSearch: settings.lenientScopeSearch,
    strictEvaluation: settings.strictEvaluation,
    evaluationErrors: recording || naming,
    effectivePolicies: recording,
    effectiveDerivedRoles: recording || showingRoles,
  };
  return schemas === undefined ? options : { ...options, schemas };
}

/** The answer to a check in protobuf that must be sent again as JSON. */
export const askAsText = "~";

/** Stands after the number of resources if the request has annotations. */
export const annotationsMark = "+";

const ok = codeCharacter(code.ok);

/** The answer to a check that an unexpected failure ended. */
export const answerFailure = (reason: string): string => print(failed(reason));

const failed = (reason: string): Refusal => refuse(code.internal, `the check failed: ${reason}`);

const print = (refusal: Refusal): string => codeCharacter(refusal.code) + printRefusal(refusal);
