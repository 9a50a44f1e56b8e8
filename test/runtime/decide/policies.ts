/** Compiles policies that a test writes, and asks them. */
import { createHash } from "node:crypto";
import { compile } from "../../../compiler/index.ts";
import type { Bundle } from "../../../runtime/bundle.ts";
import type { Decision } from "../../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../../runtime/decide/input.ts";
import { evaluateInThisRealm, load, type Loaded } from "../../../runtime/load.ts";

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A policy file; what stands before the rules is the same for all. */
export const resourcePolicy = (kind: string, rules: string, head = ""): string =>
  `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${JSON.stringify(kind)}\n  version: default\n${head}  rules:\n${rules.replace(/^/gm, "    ")}\n`;

/** Compiles files, named by their place in the list. */
export function bundleOf(...texts: readonly string[]): Bundle {
  const { compiled, diagnostics } = compile(
    texts.map((text, at) => ({ path: `policy_${at}.yaml`, text })),
    { digest },
  );
  if (compiled === undefined) throw new Error(diagnostics.map((diagnostic) => diagnostic.message).join("; "));
  // As a file would hold it.
  return JSON.parse(JSON.stringify(compiled.bundle));
}

export const evaluatorOf = (...texts: readonly string[]): Loaded => load(bundleOf(...texts), evaluateInThisRealm);

export const options: CheckOptions = {
  now: 1_700_000_000_000,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: false,
  effectivePolicies: false,
};

/** One input: who, on what, doing what. */
export function ask(
  evaluator: Loaded,
  roles: readonly string[],
  kind: string,
  actions: readonly string[],
  rest: { readonly R?: object; readonly P?: object; readonly input?: Partial<CheckInput>; readonly options?: Partial<CheckOptions> } = {},
): Decision {
  const input = {
    principal: { id: "ann", roles, attr: { ...rest.P } },
    resource: { kind, id: "r1", attr: { ...rest.R } },
    actions,
    ...rest.input,
  };
  const [decision] = evaluator.check([input], { ...options, ...rest.options });
  if (decision === undefined) throw new Error("one input, one decision");
  return decision;
}

/** `view: ALLOW by resource.doc.vdefault`, for each action. */
export const told = (decision: Decision): readonly string[] =>
  Array.from(
    decision.actions,
    ([action, { effect, matchedPolicy, matchedScope }]) =>
      `${action}: ${effect.slice("EFFECT_".length)} by ${matchedPolicy}${matchedScope === "" ? "" : ` in ${matchedScope}`}`,
  );
