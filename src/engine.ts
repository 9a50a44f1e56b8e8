/** A request on its way: the realm that holds the policies, and the settings that every decision goes by. */
import { writeConstant } from "../compiler/emit/constant.ts";
import { openRealm } from "../runtime/sandbox/realm.ts";
import { realmTexts } from "./artefact.ts";
import type { Config } from "./config/settings.ts";
import type { Reply } from "./server/reply.ts";

/** What answers checks. */
export interface Engine {
  /** Puts a bundle in force; throws, and keeps the one before, when it cannot be loaded. */
  readonly load: (bundle: string) => void;
  /** Answers a CheckResources request given as JSON text. */
  readonly checkResources: (body: string, callId: string) => Reply;
}

/** The settings that decisions go by. */
export type EngineConfig = Pick<
  Config,
  | "engine.defaultPolicyVersion"
  | "engine.defaultScope"
  | "engine.globals"
  | "engine.lenientScopeSearch"
  | "engine.strictEvaluation"
  | "server.requestLimits.maxActionsPerResource"
  | "server.requestLimits.maxResourcesPerRequest"
>;

/** Opens a realm with nothing loaded. */
export function openEngine(config: EngineConfig): Engine {
  const realm = openRealm(realmTexts());
  realm.configure(
    JSON.stringify({
      defaultPolicyVersion: config["engine.defaultPolicyVersion"],
      defaultScope: config["engine.defaultScope"],
      globals: Object.fromEntries(Object.entries(config["engine.globals"]).map(([name, value]) => [name, writeConstant(value)])),
      lenientScopeSearch: config["engine.lenientScopeSearch"],
      strictEvaluation: config["engine.strictEvaluation"],
      maxActionsPerResource: config["server.requestLimits.maxActionsPerResource"],
      maxResourcesPerRequest: config["server.requestLimits.maxResourcesPerRequest"],
    }),
  );
  return {
    load: (bundle) => realm.load(bundle),
    checkResources: (body, callId) => {
      const answer = realm.checkResources(body, callId, Date.now());
      return { code: Number.parseInt(answer.charAt(0), 36), text: answer.slice(1) };
    },
  };
}
