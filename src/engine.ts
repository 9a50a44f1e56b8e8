/** A request on its way: the realm that holds the policies, and what it asks of the host, which knows schemas and keys. */
import { writeConstant } from "../compiler/emit/constant.ts";
import { openRealm } from "../runtime/sandbox/realm.ts";
import { realmTexts } from "./artefact.ts";
import { openAuxData, type AuxDataConfig, type SentTokens, type Verified } from "./auxdata/aux-data.ts";
import type { Config } from "./config/settings.ts";
import { fetchText, type FetchText } from "./fetch-text.ts";
import type { Log } from "./observe/log.ts";
import type { SchemaFiles } from "./schemas/load.ts";
import { openSchemas, type AttributeCheck, type Findings } from "./schemas/schemas.ts";
import { prepareValidator } from "./schemas/validator.ts";
import type { Reply } from "./server/reply.ts";

/** What answers checks. */
export interface Engine {
  /** Puts a bundle in force, with its schemas if they are others than before; throws, and keeps what was, when it cannot be loaded. */
  readonly load: (bundle: string, schemas?: SchemaFiles) => void;
  /** The same with a `BundleChange`; throws also when it does not build on the bundle in force. */
  readonly change: (change: string, schemas?: SchemaFiles) => void;
  /** Answers a CheckResources request given as JSON text: at once, unless another machine has to be asked first. */
  readonly checkResources: (body: string, callId: string) => Reply | Promise<Reply>;
  readonly close: () => void;
}

/** The settings that decisions go by. */
export type EngineConfig = AuxDataConfig &
  Pick<
    Config,
    | "engine.defaultPolicyVersion"
    | "engine.defaultScope"
    | "engine.globals"
    | "engine.lenientScopeSearch"
    | "engine.strictEvaluation"
    | "schema.enforcement"
    | "schema.allowRefs"
    | "schema.allowedHosts"
    | "server.requestLimits.maxActionsPerResource"
    | "server.requestLimits.maxResourcesPerRequest"
  >;

/** What an engine is opened with. */
export interface EngineOptions {
  readonly log: Log;
  /** How schemas and keys of other machines are fetched; over HTTP unless said otherwise. */
  readonly fetchText?: FetchText;
}

/** What the realm asks before it can go on, as `Realm.checkResources` says. */
interface Question {
  readonly handle: number;
  readonly tokens: SentTokens | null;
  readonly schemas: readonly AttributeCheck[];
}

/** Opens a realm with nothing loaded. */
export function openEngine(config: EngineConfig, options: EngineOptions): Engine {
  const fetching = { fetchText: options.fetchText ?? fetchText };
  const realm = openRealm(realmTexts());
  realm.configure(
    JSON.stringify({
      defaultPolicyVersion: config["engine.defaultPolicyVersion"],
      defaultScope: config["engine.defaultScope"],
      globals: Object.fromEntries(Object.entries(config["engine.globals"]).map(([name, value]) => [name, writeConstant(value)])),
      lenientScopeSearch: config["engine.lenientScopeSearch"],
      strictEvaluation: config["engine.strictEvaluation"],
      schemaEnforcement: config["schema.enforcement"],
      maxActionsPerResource: config["server.requestLimits.maxActionsPerResource"],
      maxResourcesPerRequest: config["server.requestLimits.maxResourcesPerRequest"],
    }),
  );
  const auxData = openAuxData(config, { log: options.log, ...fetching });
  if (config["schema.enforcement"] !== "none") prepareValidator();
  let schemas = openSchemas(new Map(), {
    allowRefs: config["schema.allowRefs"],
    allowedHosts: config["schema.allowedHosts"],
    ...fetching,
  });
  const takeSchemas = (files: SchemaFiles | undefined): void => {
    if (files !== undefined) schemas = schemas.withFiles(files);
  };

  /** The schemas and the instant are those of the moment at which the check began. */
  const findOut = (question: Question, callId: string, now: number): Reply | Promise<Reply> => {
    const resume = (verified: Verified | undefined, validation: Findings): Reply =>
      replyOf(realm.resume(question.handle, foundText(verified, validation), callId, now));
    const validation = question.schemas.length === 0 ? [] : schemas.validate(question.schemas);
    const verified = question.tokens === null ? undefined : auxData.verify(question.tokens, now);
    if (!(verified instanceof Promise) && !(validation instanceof Promise)) return resume(verified, validation);
    return Promise.all([verified, validation]).then((found) => resume(...found));
  };
  const forgetting = (handle: number) => (error: unknown) => {
    realm.forget(handle);
    throw error;
  };

  return {
    load: (bundle, files) => {
      realm.load(bundle);
      takeSchemas(files);
    },
    change: (change, files) => {
      realm.change(change);
      takeSchemas(files);
    },
    checkResources: (body, callId) => {
      const now = Date.now();
      const answer = realm.checkResources(body, callId, now);
      if (!answer.startsWith("?")) return replyOf(answer);
      const question: Question = JSON.parse(answer.slice(1));
      try {
        const reply = findOut(question, callId, now);
        return reply instanceof Promise ? reply.catch(forgetting(question.handle)) : reply;
      } catch (error) {
        return forgetting(question.handle)(error);
      }
    },
    close: () => auxData.close(),
  };
}

const replyOf = (answer: string): Reply => ({ code: Number.parseInt(answer.charAt(0), 36), text: answer.slice(1) });

function foundText(verified: Verified | undefined, validation: Findings): string {
  const claims = verified?.kind === "claims" ? verified.text : "null";
  const invalid = verified?.kind === "invalid" ? JSON.stringify(verified.reason) : "null";
  return `{"auxData":${claims},"invalid":${invalid},"validation":${validation.length === 0 ? "[]" : JSON.stringify(validation)}}`;
}
