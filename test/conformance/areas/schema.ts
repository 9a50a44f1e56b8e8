/** Area schema: attributes against their schemas as policies refer to them, and schemas that load or do not. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compile } from "../../../compiler/index.ts";
import type { ValidationError } from "../../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../../../runtime/load.ts";
import { digest } from "../../../src/texts/digest.ts";
import { openSchemas, type Schemas } from "../../../src/schemas/schemas.ts";
import type { Area } from "../area.ts";
import { expectSame, policyCases } from "../policy-cases.ts";

interface LoadCase {
  readonly schemaDir: string;
  readonly url: string;
  readonly wantError: boolean;
}

interface ValidateCase {
  readonly schemaDir: string;
  readonly schemaRefs: object;
  readonly checkInput?: Input & { readonly actions: readonly string[] };
  readonly planResourcesInput?: Input & { readonly action: string };
  readonly wantValidationErrors: readonly WantedError[];
}

interface Input {
  readonly principal: CheckInput["principal"];
  /** The resource of a plan has no id. */
  readonly resource: Omit<CheckInput["resource"], "id" | "scope"> & { readonly id?: string };
}

interface WantedError {
  readonly path?: string;
  readonly message: string;
  readonly source: ValidationError["source"];
}

export const schema: Area = {
  name: "schema",
  cases: (folder) =>
    policyCases(folder, "schema", (wanted: LoadCase | ValidateCase) =>
      "url" in wanted ? runLoad(folder, wanted) : runValidate(folder, wanted),
    ),
};

async function runLoad(folder: string, { schemaDir, url, wantError }: LoadCase): Promise<void> {
  const written = url.replace("{schemaDir}", resolve(folder, schemaDir));
  const [findings = []] = await storeAt(join(folder, schemaDir)).validate([{ ref: written, attributes: {} }]);
  const [problem] = findings.filter(({ path }) => path === "");
  if (wantError !== (problem !== undefined)) throw new Error(`found: ${problem?.message ?? "no error"}`);
}

async function runValidate(folder: string, wanted: ValidateCase): Promise<void> {
  const { principal, resource } = wanted.checkInput ?? wanted.planResourcesInput ?? { principal: undefined, resource: undefined };
  if (principal === undefined || resource === undefined) throw new Error("a case has an input");
  const actions = wanted.checkInput?.actions ?? [wanted.planResourcesInput?.action ?? ""];
  const input: CheckInput = { requestId: "", actions, principal, resource: { scope: "", id: "any", ...resource } };
  const evaluator = evaluatorOf(input, wanted.schemaRefs);
  const schemas = storeAt(join(folder, wanted.schemaDir));
  const partial = wanted.planResourcesInput !== undefined;

  for (const enforcement of ["none", "warn", "reject"] as const) {
    const checks = enforcement === "none" ? [] : evaluator.schemaChecks([input], options);
    const findings = await schemas.validate(
      checks.map(({ source, ref }) => {
        const isPrincipal = source === "SOURCE_PRINCIPAL";
        return { ref, attributes: (isPrincipal ? principal : resource).attr, partial: partial && !isPrincipal };
      }),
    );
    const validate = (_input: number, source: ValidationError["source"]): readonly ValidationError[] =>
      (findings[checks.findIndex((check) => check.source === source)] ?? []).map((finding) => ({ ...finding, source }));
    const [decision] = evaluator.check([input], { ...options, ...(enforcement !== "none" && { schemas: { enforcement, validate } }) });
    if (decision === undefined) throw new Error("one input, one decision");
    const errors = enforcement === "none" ? [] : wanted.wantValidationErrors.flatMap(oneEach);
    expectSame(enforcement, decision.validationErrors.map(line), errors.map(line));
    const denied = [...decision.actions.values()].every(({ effect }) => effect === "EFFECT_DENY");
    if (denied !== (enforcement === "reject" && errors.length > 0)) throw new Error(`${enforcement}: denied ${denied}`);
  }
}

const options: CheckOptions = {
  now: 0,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: false,
  effectivePolicies: false,
};

/** A policy that allows everything and refers to the schemas of the case. */
function evaluatorOf({ resource }: CheckInput, schemas: object): ReturnType<typeof load> {
  const rules = [{ actions: ["*"], effect: "EFFECT_ALLOW", roles: ["*"] }];
  const policy = {
    apiVersion: "api.authz.dev/v1",
    resourcePolicy: { resource: resource.kind, version: resource.policyVersion, schemas, rules },
  };
  const { compiled, diagnostics } = compile([{ path: "policy.json", text: JSON.stringify(policy) }], { digest });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle, evaluateInThisRealm);
}

/** The store of a folder, with references to other places switched on and every other host answering 404. */
function storeAt(folder: string): Schemas {
  const root = join(folder, "_schemas");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".json"));
  const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  return openSchemas(files, {
    allowRefs: ["store", "file", "http"],
    allowedHosts: ["schemas.invalid"],
    fetchText: async (url) => {
      throw new Error(`${url.host} answers with status 404`);
    },
  });
}

/** Ours are one error for each missing or additional property (D51). */
function oneEach(error: WantedError): readonly WantedError[] {
  const names = /^(?:missing properties:|additionalProperties) ('.*')/.exec(error.message)?.[1]?.split(", ");
  return names === undefined ? [error] : names.map(() => error);
}

const line = ({ source, path = "" }: Pick<WantedError, "source" | "path">): string => `${source} ${path}`;
