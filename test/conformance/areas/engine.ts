/** Area engine: whole requests, decided by the compiled policies of a store. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeConstant } from "../../../compiler/emit/constant.ts";
import { compile } from "../../../compiler/index.ts";
import { readConstant } from "../../../runtime/constant.ts";
import type { Decision, EvaluationError, ValidationError } from "../../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions, SchemaEnforcement } from "../../../runtime/decide/input.ts";
import { evaluateInThisRealm, load, type Loaded } from "../../../runtime/load.ts";
import { defaultRecordRules, writeDecisions } from "../../../runtime/wire/decisions.ts";
import { digest } from "../../../src/texts/digest.ts";
import { openSchemas, type Schemas } from "../../../src/schemas/schemas.ts";
import { openDiskStore } from "../../../src/store/disk.ts";
import type { Area } from "../area.ts";
import { canonical, policyCases } from "../policy-cases.ts";

interface Run {
  readonly globals: { readonly [name: string]: string };
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly strictEvaluation: boolean;
  readonly schemaEnforcement: "none" | "warn" | "reject";
  readonly lenientScopeSearch: boolean;
}

interface WantedOutput {
  readonly requestId?: string;
  readonly resourceId?: string;
  readonly actions?: { readonly [name: string]: { readonly effect: string; readonly policy?: string; readonly scope?: string } };
  readonly effectiveDerivedRoles?: readonly string[];
  readonly outputs?: readonly { readonly src: string; readonly action: string; readonly val?: unknown; readonly error?: string }[];
  readonly validationErrors?: readonly Partial<ValidationError>[];
  readonly evaluationErrors?: readonly { readonly celError: EvaluationError }[];
}

interface DecisionLog {
  readonly checkResources: { readonly inputs: readonly CheckInput[]; readonly outputs: readonly WantedOutput[] };
  readonly auditTrail?: { readonly effectivePolicies?: { readonly [key: string]: { readonly attributes: object } } };
}

interface Case {
  readonly store: string;
  readonly runs: readonly Run[];
  readonly inputs: readonly CheckInput[];
  readonly wantOutputs?: readonly WantedOutput[];
  readonly wantDecisionLogs?: readonly DecisionLog[];
  readonly wantProperty?: { readonly outputsPerInput: number; readonly distinctOutputValuesOverAllInputs: number };
}

/** A store, compiled once for all its cases. */
interface Opened {
  readonly evaluator: Loaded;
  readonly schemas: Schemas;
}

export const engine: Area = {
  name: "engine",
  cases: (folder) => {
    const stores = new Map<string, Promise<Opened>>();
    const storeNamed = (name: string): Promise<Opened> => {
      const opened = stores.get(name) ?? openStore(join(folder, name));
      stores.set(name, opened);
      return opened;
    };
    return policyCases(folder, "engine", async (wanted: Case) => {
      const { evaluator, schemas } = await storeNamed(wanted.store);
      for (const run of wanted.runs) {
        // A condition with errors must be named the same whether or not anybody asks for names.
        const decisions = evaluator.check(wanted.inputs, optionsOf(run, schemas));
        check(wanted, run, decisions);
      }
    });
  },
};

async function openStore(directory: string): Promise<Opened> {
  if (!existsSync(directory)) throw new Error(`there is no store at ${directory}`);
  const store = openDiskStore({ directory });
  const { changed, changedSchemas } = await store.read();
  await store.close();
  const { compiled, diagnostics } = compile(changed, { digest });
  if (compiled === undefined) throw new Error(`the store does not compile: ${diagnostics.map(({ message }) => message).join("; ")}`);
  const files = new Map(changedSchemas.map(({ path, text }) => [path, text]));
  const fetchText = (): Promise<never> => Promise.reject(new Error("this store needs no other host"));
  return {
    evaluator: load(compiled.bundle, evaluateInThisRealm),
    schemas: openSchemas(files, { allowRefs: ["store"], allowedHosts: [], fetchText }),
  };
}

function optionsOf(run: Run, schemas: Schemas): CheckOptions {
  const { schemaEnforcement, globals, ...rest } = run;
  const enforcement: SchemaEnforcement | undefined =
    schemaEnforcement === "none"
      ? undefined
      : {
          enforcement: schemaEnforcement,
          validate: (_input, source, ref, attributes) => {
            const findings = schemas.validate([{ ref, attributes }]);
            if (findings instanceof Promise) throw new Error("a schema of the store is there at once");
            return (findings[0] ?? []).map(({ path, message }) => ({ path, message, source }));
          },
        };
  return {
    ...rest,
    now: Date.now(),
    globals: Object.fromEntries(Object.entries(globals).map(([name, value]) => [name, readConstant(writeConstant(value))])),
    evaluationErrors: true,
    effectivePolicies: true,
    ...(enforcement && { schemas: enforcement }),
  };
}

function check({ inputs, wantOutputs, wantDecisionLogs, wantProperty }: Case, run: Run, decisions: readonly Decision[]): void {
  const under = JSON.stringify(run);
  if (wantOutputs !== undefined) expectEqual(`outputs under ${under}`, decisions.map(told), wantOutputs.map(wantedTold));
  for (const { checkResources, auditTrail } of wantDecisionLogs ?? []) {
    const entries = inputs.map((input, index) => recorded(input, decisions.slice(index, index + 1)));
    const [asked, answered] = [
      entries.flatMap((entry) => entry.checkResources.inputs),
      entries.flatMap((entry) => entry.checkResources.outputs),
    ];
    expectEqual(`inputs of the decision log under ${under}`, asked.map(askedTold), checkResources.inputs.map(askedTold));
    expectEqual(`outputs of the decision log under ${under}`, answered.map(wantedTold), checkResources.outputs.map(wantedTold));
    const found = Object.assign({}, ...entries.map((entry) => entry.auditTrail?.effectivePolicies));
    expectEqual(`effective policies under ${under}`, found, auditTrail?.effectivePolicies ?? {});
  }
  if (wantProperty !== undefined) {
    const values = decisions.map(({ outputs }) => outputs.map(({ val }) => JSON.stringify(val)));
    expectEqual(
      "outputs of each input",
      values.map((each) => each.length),
      values.map(() => wantProperty.outputsPerInput),
    );
    expectEqual("distinct values", new Set(values.flat()).size, wantProperty.distinctOutputValuesOverAllInputs);
  }
}

/** What the record keeps of one input and its decision, as our own writer says it. */
function recorded(input: CheckInput, decisions: readonly Decision[]): DecisionLog {
  const { requestId = "", principal, resource, actions } = input;
  const asked = { requestId, includeMeta: false, principal, entries: [{ resource, actions }], tokens: undefined, annotations: undefined };
  const request = { kind: "request", ...asked, plain: false, longestText: 0, source: undefined } as const;
  return JSON.parse(writeDecisions(request, [input], decisions, defaultRecordRules));
}

/** Roles are a set. */
const askedTold = (input: CheckInput): unknown => ({
  ...input,
  principal: { ...input.principal, roles: input.principal.roles.toSorted() },
});

/** A decision in the form that the cases want. */
const told = (decision: Decision): unknown => ({
  requestId: decision.requestId,
  resourceId: decision.resourceId,
  actions: Object.fromEntries(
    Array.from(decision.actions, ([action, { effect, matchedPolicy, matchedScope }]) => [
      action,
      { effect, policy: matchedPolicy, scope: matchedScope },
    ]),
  ),
  effectiveDerivedRoles: decision.effectiveDerivedRoles.toSorted(),
  outputs: bySource(decision.outputs).map(outputTold),
  validationErrors: decision.validationErrors.map(({ source, path }) => `${source} ${path}`).toSorted(),
  evaluationErrors: decision.evaluationErrors.map(errorTold),
});

const wantedTold = (wanted: WantedOutput): unknown => ({
  requestId: wanted.requestId ?? "",
  resourceId: wanted.resourceId ?? "",
  actions: Object.fromEntries(
    Object.entries(wanted.actions ?? {}).map(([action, { effect, policy = "", scope = "" }]) => [action, { effect, policy, scope }]),
  ),
  effectiveDerivedRoles: (wanted.effectiveDerivedRoles ?? []).toSorted(),
  outputs: bySource(wanted.outputs ?? []).map(outputTold),
  validationErrors: (wanted.validationErrors ?? []).flatMap(oneByOne).toSorted(),
  evaluationErrors: (wanted.evaluationErrors ?? []).map(({ celError }) => errorTold(celError)),
});

/** Values are free JSON, in which a zero is not nothing: they are compared as texts. */
const outputTold = ({ src, action, val, error }: NonNullable<WantedOutput["outputs"]>[number]): unknown => ({
  src,
  action,
  val: JSON.stringify(val === undefined ? ["absent"] : [sorted(val)]),
  error: error === undefined ? "" : kindOf(error),
});

const bySource = <T extends { readonly src: string }>(outputs: readonly T[]): readonly T[] =>
  outputs.toSorted((left, right) => (left.src < right.src ? -1 : left.src > right.src ? 1 : 0));

const errorTold = ({ expression, message }: EvaluationError): string => `${kindOf(message)}: ${expression}`;

/** Sentences are ours, kinds are not (rule 4 of "Normalising"). */
const kindOf = (message: string): string =>
  ["no such key", "undefined field", "no such overload", "division by zero", "index out of bounds"].find((kind) =>
    message.includes(kind),
  ) ?? "other";

/** One error per property (D51). */
function oneByOne({ source, path = "", message = "" }: Partial<ValidationError>): readonly string[] {
  const names = /^(?:missing properties: |additionalProperties )(.*?)(?: not allowed)?$/.exec(message)?.[1]?.split(", ") ?? [""];
  return names.map(() => `${source} ${path}`);
}

function expectEqual(what: string, found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(canonical(found), null, 1), JSON.stringify(canonical(wanted), null, 1)];
  if (left !== right) throw new Error(`${what}\nfound:\n${left}\nwanted:\n${right}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
