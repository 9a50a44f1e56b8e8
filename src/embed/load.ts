/** Loads policies into this process, with `check` and `isAllowed`: the implementation of `import { load } from "authz"`. */
import { maxStepLimit, isStepLimit, minStepLimit, defaultStepLimit, withStepLimit } from "../../runtime/cel/step-limit.ts";
import { type Decider, type DoorEnvironment, openDoor, decideWith } from "../../runtime/door/open-door.ts";
import { serverDefaults, resolveOptions } from "../../runtime/door/options.ts";
import type { AnyPolicies, Door, PolicyTypes } from "../../runtime/door/types.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { evaluateInThisRealm, load as loadBundle } from "../../runtime/load.ts";
import type { BundleContent } from "../bundle/file.ts";
import { refusal } from "../refusal.ts";
import { enforceSchemas, schemaReferences } from "../schemas/enforce.ts";
import type { Loaded, LoadOptions, PolicySource } from "./door.ts";
import { explainNothing, openExplain } from "./explain.ts";
import { decideInRealm } from "./realm.ts";
import { readSource } from "./source.ts";

const ownOptions = ["publicKey", "sandbox", "schemas", "maxEvaluationSteps", "onDecision", "onDecisionFailed"];

/**
 * Loads a directory of policies, a bundle file, or the default export of one. Rejects with an error that says what is wrong with them.
 *
 *     const { isAllowed } = await load("policies");
 *     isAllowed({ id: "ann", roles: ["employee"] }, { kind: "expense", id: "1" }, "view");
 */
export async function load<P extends PolicyTypes = AnyPolicies>(source: PolicySource, options: LoadOptions = {}): Promise<Loaded<P>> {
  const resolved = resolveOptions(options, serverDefaults, ownOptions);
  const { publicKey, sandbox = false, schemas: wanted = "none", maxEvaluationSteps = defaultStepLimit, ...settings } = options;
  if (wanted !== "none" && wanted !== "warn" && wanted !== "reject") throw refusal("`schemas` must be none, warn or reject");
  if (typeof sandbox !== "boolean") throw refusal("`sandbox` must be true or false");
  if (!isStepLimit(maxEvaluationSteps))
    throw refusal(`\`maxEvaluationSteps\` must be a whole number from ${minStepLimit} to ${maxStepLimit}`);
  if (!isPublicKey(publicKey)) throw refusal("`publicKey` must be the path of a file with public keys, or a list of such paths");
  const content = await readSource(source, publicKey);
  const schemas = wanted === "none" ? undefined : await enforcementOf(content, wanted);
  const { digest: policySet, compilerVersion } = content.bundle.manifest;
  const doorSettings = { ...settings, ...(schemas !== undefined && !sandbox && { schemas }) };
  const environment: DoorEnvironment = {
    clock: () => Date.now(),
    report: (error) => process.emitWarning(error instanceof Error ? error : String(error), "AuthzHookWarning"),
    policySet,
    ...(sandbox && sandboxLimitations),
  };
  const door = openDoor(
    sandbox
      ? decideInRealm(content.bundle, { ...resolved, maxEvaluationSteps }, schemas)
      : withinSteps(maxEvaluationSteps, decideWith(loadBundle(content.bundle, evaluateInThisRealm))),
    doorSettings,
    environment,
  );
  const explain = sandbox
    ? explainNothing("policies in a sandbox are not explained: load their folder without `sandbox`")
    : content.linkPolicies === undefined
      ? explainNothing("a bundle holds only compiled policies, which are not explained: load the folder that it was built from")
      : openExplain(content.linkPolicies, doorSettings, environment, (decider) => withinSteps(maxEvaluationSteps, decider));
  const policies = content.bundle.units.flatMap(({ scopes }) => scopes.map(({ key }) => key));
  // This cast trusts the caller's type argument, which `authz types` generated.
  return {
    ...({ ...door, explain } as never as Door<P> & Pick<Loaded<P>, "explain">),
    manifest: Object.freeze({ policySet, compilerVersion, policies: Object.freeze(policies) }),
  };
}

/** An empty list would trust nobody, so it is a mistake. */
const isPublicKey = (said: unknown): boolean =>
  said === undefined ||
  typeof said === "string" ||
  (Array.isArray(said) && said.length > 0 && said.every((path) => typeof path === "string"));

/** Limits the steps of conditions; the default limit is in force anyway. */
const withinSteps = (steps: number, { decide, allows }: Decider): Decider =>
  steps === defaultStepLimit
    ? { decide, allows }
    : {
        decide: (...asked) => withStepLimit(steps, () => decide(...asked)),
        allows: (...asked) => withStepLimit(steps, () => allows(...asked)),
      };

/** The options that a sandbox does not support, and those that are fixed when it is opened. */
const sandboxLimitations = {
  lacks: { names: ["evaluationErrors", "effectivePolicies", "schemas"], why: "policies in a sandbox do not report it" },
  fixed: {
    names: ["globals", "defaultPolicyVersion", "defaultScope", "lenientScopeSearch", "strictEvaluation"],
    why: "set it in `load`: a sandbox has one set of options",
  },
} as const;

async function enforcementOf({ bundle, schemas }: BundleContent, enforcement: "warn" | "reject"): Promise<SchemaEnforcement> {
  const opened = await enforceSchemas(schemaReferences(bundle), { files: schemas, places: { allowRefs: ["store"], allowedHosts: [] } });
  return { ...opened, enforcement };
}
