/** Runs embedded policies in the sandbox of servers: for bundles of untrusted authors. */
import { writeConstant } from "../../compiler/emit/constant.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { Offset } from "../../runtime/cel/value.ts";
import type { Decision } from "../../runtime/decide/decision.ts";
import type { CheckInput, SchemaEnforcement } from "../../runtime/decide/input.ts";
import type { Decider } from "../../runtime/door/open-door.ts";
import type { ResolvedOptions } from "../../runtime/door/options.ts";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { realmTexts } from "../artefact.ts";

/** What the sandbox asks the host to do before it can decide: validate attributes. */
interface SchemaQuestion {
  readonly handle: number;
  readonly schemas: readonly {
    readonly source: "SOURCE_PRINCIPAL" | "SOURCE_RESOURCE";
    readonly ref: string;
    readonly attributes: CheckInput["resource"]["attr"];
  }[];
}

/** The parts of the sandbox's reply that are used here. */
interface Reply {
  readonly message?: string;
  readonly results?: readonly {
    readonly actions?: {
      readonly [action: string]: Decision["actions"] extends ReadonlyMap<string, infer A>
        ? A extends { readonly effect: infer E }
          ? E
          : never
        : never;
    };
    readonly validationErrors?: Decision["validationErrors"];
    readonly outputs?: Decision["outputs"];
    readonly meta?: {
      readonly actions?: { readonly [action: string]: { readonly matchedPolicy?: string; readonly matchedScope?: string } };
      readonly effectiveDerivedRoles?: readonly string[];
    };
  }[];
}

/** Opens a sandbox with these policies; its settings cannot be changed afterwards. */
export function decideInRealm(
  bundle: Bundle,
  resolved: ResolvedOptions & { readonly maxEvaluationSteps: number },
  schemas: SchemaEnforcement | undefined,
): Decider {
  const realm = openRealm(realmTexts());
  const globals = Object.fromEntries(Object.entries(resolved.globals).map(([name, value]) => [name, writeConstant(value)]));
  let configured: Offset | undefined;
  /**
   * How instants are printed is a setting of the sandbox. Here one check may take its instant from the clock and the next from the
   * caller, so it is updated before each check.
   */
  const configure = (nowOffset: Offset): void => {
    if (nowOffset === configured) return;
    realm.configure(
      JSON.stringify({
        defaultPolicyVersion: resolved.defaultPolicyVersion,
        defaultScope: resolved.defaultScope,
        globals,
        lenientScopeSearch: resolved.lenientScopeSearch,
        strictEvaluation: resolved.strictEvaluation,
        maxEvaluationSteps: resolved.maxEvaluationSteps,
        nowOffset,
        schemaEnforcement: schemas?.enforcement ?? "none",
        maxActionsPerResource: Number.MAX_SAFE_INTEGER,
        maxValuesPerRequest: Number.MAX_SAFE_INTEGER,
      }),
    );
    configured = nowOffset;
  };
  configure("local");
  realm.load(JSON.stringify(bundle));
  const decide: Decider["decide"] = (input, { now, nowOffset = 0 }) => {
    configure(nowOffset);
    const { requestId, principal, resource, actions, auxData } = input;
    // The sandbox takes tokens and asks the host to verify them. Here the caller has verified them already, so placeholders are passed.
    const tokens =
      auxData === undefined ? undefined : auxData.jwts === undefined ? { jwt: { token: "-" } } : { jwts: tokensOf(auxData.jwts) };
    const body = JSON.stringify({ requestId, includeMeta: true, principal, resources: [{ resource, actions }], auxData: tokens });
    let answer = realm.checkResources(body, "", now);
    if (answer.startsWith("?")) {
      const question: SchemaQuestion = JSON.parse(answer.slice(1));
      const validation = question.schemas.map(({ source, ref, attributes }) => schemas?.validate(0, source, ref, attributes ?? {}) ?? []);
      answer = realm.resume(question.handle, JSON.stringify({ auxData: claimsOf(auxData), invalid: null, validation }), "", now);
    }
    const [text = ""] = answer.slice(1).split("\n", 1);
    const reply: Reply = JSON.parse(text);
    if (!answer.startsWith("0")) throw new Error(`the sandbox cannot decide this: ${reply.message ?? "it does not say why"}`);
    return decisionOf(input, reply);
  };
  return {
    decide,
    allows: (input, ...others) => decide(input, ...others).actions.get(input.actions[0] ?? "")?.effect === "EFFECT_ALLOW",
  };
}

const tokensOf = (jwts: object): object => Object.fromEntries(Object.keys(jwts).map((name) => [name, { token: "-" }]));

const claimsOf = (auxData: CheckInput["auxData"]): object | null =>
  auxData === undefined ? null : auxData.jwts === undefined ? { jwt: auxData.jwt ?? {} } : { jwts: auxData.jwts };

function decisionOf({ requestId = "", resource, actions }: CheckInput, { results }: Reply): Decision {
  const [result] = results ?? [];
  return {
    requestId,
    resourceId: resource.id,
    actions: new Map(
      actions.map((action) => {
        const effect = result?.actions !== undefined && Object.hasOwn(result.actions, action) ? result.actions[action] : undefined;
        const meta =
          result?.meta?.actions !== undefined && Object.hasOwn(result.meta.actions, action) ? result.meta.actions[action] : undefined;
        return [
          action,
          { effect: effect ?? "EFFECT_DENY", matchedPolicy: meta?.matchedPolicy ?? "", matchedScope: meta?.matchedScope ?? "" },
        ];
      }),
    ),
    effectiveDerivedRoles: result?.meta?.effectiveDerivedRoles ?? [],
    outputs: result?.outputs ?? [],
    validationErrors: result?.validationErrors ?? [],
    evaluationErrors: [],
    effectivePolicies: new Map(),
  };
}
