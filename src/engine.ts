/**
 * The engine: passes checks to the sandbox that holds the policies, and resolves what the sandbox asks of the host, which has schemas
 * and keys.
 */
import { writeConstant } from "../compiler/emit/constant.ts";
import { invariant } from "../runtime/cel/error.ts";
import { annotationsMark, askAsText } from "../runtime/sandbox/answer.ts";
import { fine } from "../runtime/sandbox/found.ts";
import { openRealm } from "../runtime/sandbox/realm.ts";
import type { RecordRules } from "../runtime/wire/decisions.ts";
import type { Form } from "../runtime/wire/forms.ts";
import { realmTexts } from "./artefact.ts";
import { openAuxData, type AuxDataConfig, type SentTokens, type VerificationResult } from "./auxdata/aux-data.ts";
import type { Config } from "./config/settings.ts";
import { openSetLoader } from "./set-loader.ts";
import { fetchText, type FetchText } from "./outgoing/fetch-text.ts";
import { openConditionErrors } from "./observe/condition-errors.ts";
import { withSpan } from "./observe/with-span.ts";
import type { BeginSpan, CacheState } from "./observe/events.ts";
import type { Log } from "./observe/log.ts";
import type { SchemaFiles } from "./schemas/load.ts";
import { openSchemas, type AttributeCheck, type Findings } from "./schemas/schemas.ts";
import { prepareValidator } from "./schemas/validator.ts";
import type { CheckMethod } from "./server/calls/call.ts";
import { MessageReply } from "./server/calls/message-reply.ts";
import type { Reply } from "./server/calls/reply.ts";

/** Decides checks. */
export interface Engine {
  /**
   * Puts a bundle in force, as a whole or in pieces, with its schemas if they have changed. Bundles are switched atomically, and in the
   * order in which they are given. Rejects when it cannot be loaded, and keeps the previous one.
   */
  readonly load: (bundle: string | readonly string[], schemas?: SchemaFiles) => Promise<void>;
  /** The same with a `BundleChange`; also rejects when it is not based on the bundle in force. */
  readonly change: (change: string | readonly string[], schemas?: SchemaFiles) => Promise<void>;
  /** Decides a check given as JSON: synchronously, unless another machine must be asked first. */
  readonly check: (method: CheckMethod, body: string, callId: string) => Reply | Promise<Reply>;
  /**
   * The same for a CheckResources encoded as protobuf (a binary string, one byte per character); undefined when it must be given as
   * JSON.
   */
  readonly checkMessage: (message: string, callId: string) => Reply | Promise<Reply> | undefined;
  /** Returns the state of the caches. */
  readonly caches: () => readonly CacheState[];
  readonly close: () => void;
}

/** The settings that decisions depend on. */
export type EngineConfig = AuxDataConfig &
  Pick<
    Config,
    | "engine.celErrorLogLevel"
    | "engine.defaultPolicyVersion"
    | "engine.defaultScope"
    | "engine.globals"
    | "engine.lenientScopeSearch"
    | "engine.maxEvaluationSteps"
    | "engine.strictEvaluation"
    | "schema.enforcement"
    | "schema.allowRefs"
    | "schema.allowedHosts"
    | "server.requestLimits.maxActionsPerResource"
    | "server.requestLimits.maxResourcesPerRequest"
    | "server.requestLimits.maxValuesPerRequest"
    | "storage.driver"
  >;

/** Options of the engine. */
export interface EngineOptions {
  readonly log: Log;
  /** Fetches schemas and keys from other machines; by default over HTTP. */
  readonly fetchText?: FetchText;
  /** Which decisions to serialise for the audit log. */
  readonly records?: RecordRules;
  readonly beginSpan?: BeginSpan;
}

/** What the sandbox asks before it can decide, as described at `Realm.checkResources`. */
interface Question {
  readonly handle: number;
  readonly tokens: SentTokens | null;
  readonly schemas: readonly AttributeCheck[];
}

/** Opens an engine with a new sandbox; nothing is loaded. */
export function openEngine(config: EngineConfig, options: EngineOptions): Engine {
  const fetching = { fetchText: options.fetchText ?? fetchText };
  const { beginSpan } = options;
  const realm = openRealm(realmTexts());
  realm.configure(
    JSON.stringify({
      defaultPolicyVersion: config["engine.defaultPolicyVersion"],
      defaultScope: config["engine.defaultScope"],
      globals: Object.fromEntries(Object.entries(config["engine.globals"]).map(([name, value]) => [name, writeConstant(value)])),
      lenientScopeSearch: config["engine.lenientScopeSearch"],
      strictEvaluation: config["engine.strictEvaluation"],
      maxEvaluationSteps: config["engine.maxEvaluationSteps"],
      nowOffset: "local",
      schemaEnforcement: config["schema.enforcement"],
      maxActionsPerResource: config["server.requestLimits.maxActionsPerResource"],
      maxResourcesPerRequest: config["server.requestLimits.maxResourcesPerRequest"],
      maxValuesPerRequest: config["server.requestLimits.maxValuesPerRequest"],
      freezesRequests: config["storage.driver"] === "bundle",
      tells: options.records === undefined ? "resources" : "decisions",
      ...(options.records !== undefined && { records: options.records }),
    }),
  );
  const loader = openSetLoader(realm);
  const errors = openConditionErrors(config["engine.celErrorLogLevel"], options.log);
  const auxData = openAuxData(config, {
    log: options.log,
    ...fetching,
    maxValues: config["server.requestLimits.maxValuesPerRequest"],
  });
  if (config["schema.enforcement"] !== "none") prepareValidator();
  let schemas = openSchemas(new Map(), {
    allowRefs: config["schema.allowRefs"],
    allowedHosts: config["schema.allowedHosts"],
    ...fetching,
  });
  const takeSchemas = (files: SchemaFiles | undefined): void => {
    if (files !== undefined) schemas = schemas.withFiles(files);
  };

  /** Removes the named errors from an answer, if they were requested. */
  const replyFrom = (answer: string, callId: string, naming: boolean): Reply => {
    if (!naming) return replyOf(answer);
    const end = answer.lastIndexOf("\n");
    const named = end !== -1 && answer.charAt(end + 1) === "!";
    const reply = replyOf(named ? answer.slice(0, end) : answer);
    errors.logSample(named ? answer.slice(end + 2) : undefined, callId, reply.resources ?? 0);
    return reply;
  };

  /** Uses the schemas and the instant of the beginning of the check. */
  const resolveQuestion = (question: Question, callId: string, now: number, naming: boolean): Reply | Promise<Reply> => {
    const { tokens } = question;
    const resume = (verified: VerificationResult | undefined, validation: Findings): Reply => {
      const end = beginSpan?.("decide", callId);
      const answer = realm.resume(question.handle, resumeText(verified, validation), callId, now);
      end?.();
      return replyFrom(answer, callId, naming);
    };
    const validation =
      question.schemas.length === 0
        ? []
        : withSpan<Findings>({ beginSpan, name: "schemas", callId }, () => schemas.validate(question.schemas));
    const verified =
      tokens === null ? undefined : withSpan({ beginSpan, name: "auxData", callId }, () => auxData.verify(tokens, now), reasonOf);
    if (!(verified instanceof Promise) && !(validation instanceof Promise)) return resume(verified, validation);
    return Promise.all([verified, validation]).then((found) => resume(...found));
  };
  const forgetting = (handle: number) => (error: unknown) => {
    realm.forget(handle);
    throw error;
  };

  const decide = (form: Form, body: string, callId: string): Reply | Promise<Reply> | undefined => {
    const now = Date.now();
    const end = beginSpan?.("decide", callId);
    const naming = errors.shouldSample();
    const answer = realm.checkResources(body, callId, now, form, naming);
    // An answer that is no decision has no span: it is not ended, and so not recorded.
    if (answer === askAsText) return undefined;
    if (!answer.startsWith("?")) {
      end?.();
      return replyFrom(answer, callId, naming);
    }
    const question: Question = JSON.parse(answer.slice(1));
    try {
      const reply = resolveQuestion(question, callId, now, naming);
      return reply instanceof Promise ? reply.catch(forgetting(question.handle)) : reply;
    } catch (error) {
      return forgetting(question.handle)(error);
    }
  };

  return {
    load: (bundle, files) => loader.load("load", bundle, () => takeSchemas(files)),
    change: (change, files) => loader.load("change", change, () => takeSchemas(files)),
    caches: () => [
      { kind: "jwt", ...auxData.cacheState() },
      { kind: "schema", ...schemas.cacheState(), max: Infinity },
    ],
    check: (method, body, callId) => {
      const reply = decide(method, body, callId);
      invariant(reply !== undefined, "a text is not asked for twice");
      return reply;
    },
    checkMessage: (message, callId) => decide("CheckResources message", message, callId),
    close: () => {
      loader.close();
      auxData.close();
    },
  };
}

/** Parses an answer of the sandbox: code, reply, and additional data. */
function replyOf(answer: string): Reply {
  const code = Number.parseInt(answer.charAt(0), 36);
  if (answer.charAt(1) !== "{") {
    const start = answer.indexOf(":") + 1;
    const end = start + Number.parseInt(answer.slice(1, start), 36);
    // A request with annotations is asked for as JSON.
    const { resources, decisions } = additionalDataIn(answer, end);
    return new MessageReply(answer.slice(start, end), resources, decisions);
  }
  const end = answer.indexOf("\n"); // JSON from the sandbox contains no line feed
  if (end === -1) return { code, text: answer.slice(1) };
  return { code, text: answer.slice(1, end), ...additionalDataIn(answer, end) };
}

/**
 * Parses the additional data after the line feed: the number of resources, a mark if the request has annotations, and after a space the
 * decisions.
 */
function additionalDataIn(answer: string, end: number): AdditionalData {
  const data = answer.slice(end + 1);
  const space = data.indexOf(" ");
  const decisions = space === -1 ? undefined : data.slice(space + 1);
  const count = space === -1 ? data : data.slice(0, space);
  if (!count.endsWith(annotationsMark)) return additionalData(count, decisions);
  return { ...additionalData(count.slice(0, -annotationsMark.length), decisions), hasAnnotations: true };
}

type AdditionalData = Pick<Reply, "resources" | "hasAnnotations" | "decisions">;

function additionalData(count: string, decisions: string | undefined): AdditionalData {
  if (count === "") return decisions === undefined ? {} : { decisions };
  const resources = Number(count);
  return decisions === undefined ? { resources } : { resources, decisions };
}

const reasonOf = (verified: VerificationResult): string | undefined => (verified.kind === "invalid" ? verified.reason : undefined);

function resumeText(verified: VerificationResult | undefined, validation: Findings): string {
  const isFine = validation.every(({ length }) => length === 0);
  if (isFine && verified?.kind !== "invalid") return verified === undefined ? fine : verified.text;
  const claims = verified?.kind === "claims" ? verified.text : "null";
  const invalid = verified?.kind === "invalid" ? JSON.stringify(verified.reason) : "null";
  return `{"auxData":${claims},"invalid":${invalid},"validation":${validation.length === 0 ? "[]" : JSON.stringify(validation)}}`;
}
