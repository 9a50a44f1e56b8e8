/** Lets generated code and the reference answer the same calls, and compares the answers. */
import { check } from "../../compiler/cel/check.ts";
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { parse } from "../../compiler/cel/parse.ts";
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { explain } from "../../compiler/reference/decide.ts";
import type { Explained } from "../../compiler/reference/decide.ts";
import type { Source } from "../../compiler/source.ts";
import type { Decision, Evaluator } from "../../runtime/decide/decision.ts";
import type { Document } from "./document.ts";
import { optionsOf } from "./requests.ts";
import type { Batch } from "./requests.ts";
import { everything, generate, nothing, type Generated, type Variant } from "./variants.ts";

export { digest } from "./variants.ts";

/** Writes documents as files: JSON is YAML. */
export const sourcesOf = (documents: readonly Document[]): readonly Source[] =>
  documents.map((document, index) => ({
    path: `policy_${index}.yaml`,
    text: JSON.stringify(document, undefined, 1),
    attributes: { driver: "disk", source: `policy_${index}.yaml` },
  }));

/** Makes the generated side; undefined when it refuses the policies. */
export type Make = (sources: readonly Source[]) => readonly Evaluator[] | undefined;

/** Compiles and loads; a text that says what is wrong when the set does not compile. */
export function openSubject(documents: readonly Document[], variants: readonly Variant[] = [everything, nothing]): Generated | string {
  try {
    return generate(sourcesOf(documents), variants);
  } catch (error) {
    // A compiler that throws has a bug: nothing agrees with that.
    const fail = (): never => {
      throw error;
    };
    return {
      policySet: { resourcePolicies: [], principalPolicies: [], rolePolicies: [] },
      evaluators: [{ check: fail, allows: fail, schemaChecks: fail }],
    };
  }
}

/** Says whether an expression compiles by itself; references to variables and constants are open. */
export function accepts(expression: string): boolean {
  const { tree, issues } = parse(expression);
  return tree !== undefined && issues.length === 0 && check(tree, policyEnvironment).issues.length === 0;
}

/** What the reference says of a call, input by input, and which schemas it asked for. */
export interface Expected {
  readonly decisions: readonly Explained[];
  readonly asked: readonly Asked[];
  /** Of each input, whether each action is allowed when nothing else is asked. */
  readonly alone: readonly Json[];
}

type Asked = readonly [input: number, source: string, ref: string];

export function askReference(policySet: PolicySet, { inputs, settings }: Batch): Expected {
  const asked: Asked[] = [];
  const options = optionsOf(settings, true, (...schema) => asked.push(schema));
  const decisions = inputs.map((input, index) => explain(policySet, input, options, index));
  // Schemas may count for some actions only, but reject them all.
  const separate = settings.schemas === "reject" ? optionsOf(settings, false) : undefined;
  const alone = decisions.map((decision, index) => {
    const input = inputs[index];
    if (separate === undefined || input === undefined) return effectsOf(decision);
    const each = input.actions.map((action) => effectsOf(explain(policySet, { ...input, actions: [action] }, separate, index)));
    return Object.assign({}, ...each) as Json;
  });
  return { decisions, asked, alone };
}

/** One input that the two do not answer alike. */
export interface Difference {
  readonly index: number;
  readonly reference: Json;
  readonly generated: Json;
}

type Json = { readonly [key: string]: unknown };

/** What is asked for besides effects and outputs: each is a way of its own through the code. */
const tellings = ["everything", "derived roles", "nothing"] as const;
type Telling = (typeof tellings)[number];

/** What a telling leaves of a decision. */
function part(decision: Decision, telling: Telling): Decision {
  if (telling === "everything") return decision;
  const named = { ...decision, evaluationErrors: [], effectivePolicies: new Map() };
  return telling === "derived roles" ? named : { ...named, effectiveDerivedRoles: [] };
}

/** Compares generated code's answers with the reference's. */
export function differences(evaluators: readonly Evaluator[], batch: Batch, { decisions, asked, alone }: Expected): readonly Difference[] {
  const found: Difference[] = [];
  const compare = (index: number, reference: Json, generated: Json): void => {
    if (JSON.stringify(reference) !== JSON.stringify(generated)) found.push({ index, reference, generated });
  };
  for (const telling of tellings) {
    const references = decisions.map((decision) => readable(part(decision, telling)));
    for (const evaluator of evaluators) {
      const answered = answer(evaluator, batch, telling);
      references.forEach((reference, index) =>
        compare(index, reference, answered instanceof Error ? thrown(answered) : readable(answered.decisions[index])),
      );
      if (telling === "nothing") alone.forEach((effects, index) => compare(index, effects, allowed(evaluator, batch, index)));
      if (!(answered instanceof Error)) compare(-1, { schemas: asked, told: asked }, { schemas: answered.asked, told: answered.told });
    }
  }
  return found;
}

const effectsOf = ({ actions }: Decision): Json =>
  Object.fromEntries(Array.from(actions, ([action, { effect }]) => [`may ${action}`, effect === "EFFECT_ALLOW"]));

/** Asks about one action after the other, each alone. */
function allowed(evaluator: Evaluator, { inputs, settings }: Batch, index: number): Json {
  const options = { ...optionsOf(settings, false), effectiveDerivedRoles: false };
  const input = inputs[index];
  try {
    return Object.fromEntries(
      input?.actions.map((action) => [`may ${action}`, evaluator.allows({ ...input, actions: [action] }, options)]) ?? [],
    );
  } catch (error) {
    return thrown(error instanceof Error ? error : new Error(String(error)));
  }
}

const thrown = (error: Error): Json => ({ thrown: error.message });

interface Answered {
  readonly decisions: readonly Decision[];
  /** The schemas that were asked for, and those that the evaluator said beforehand that it would ask for. */
  readonly asked: readonly Asked[];
  readonly told: readonly Asked[];
}

/** Generated code answers, or throws, which is a difference too. */
function answer(evaluator: Evaluator, { inputs, settings }: Batch, telling: Telling): Answered | Error {
  const asked: Asked[] = [];
  const naming = telling === "everything";
  const options = { ...optionsOf(settings, naming, (...schema) => asked.push(schema)), effectiveDerivedRoles: telling !== "nothing" };
  try {
    // Where attributes are not validated nothing is asked, whatever schemas there are.
    const checks = options.schemas === undefined ? [] : evaluator.schemaChecks(inputs, options);
    const told = checks.map(({ input, source, ref }) => [input, source, ref] as const);
    const decisions = evaluator.check(inputs, options);
    // Without being asked for they are whatever was needed.
    return { decisions: telling === "nothing" ? decisions.map((decision) => part(decision, telling)) : decisions, asked, told };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

export const readable = (decision: Decision | undefined): Json =>
  decision === undefined
    ? { missing: true }
    : {
        requestId: decision.requestId,
        resourceId: decision.resourceId,
        actions: [...decision.actions].map(([action, { effect, matchedPolicy, matchedScope }]) => [
          action,
          effect,
          matchedPolicy,
          matchedScope,
        ]),
        effectiveDerivedRoles: decision.effectiveDerivedRoles,
        outputs: decision.outputs.map(({ src, action, val, error }) =>
          error === undefined ? { src, action, val } : { src, action, error },
        ),
        validationErrors: decision.validationErrors,
        evaluationErrors: decision.evaluationErrors.map(({ expression, message, part }) => [
          expression,
          message,
          part?.start ?? null,
          part?.end ?? null,
        ]),
        effectivePolicies: [...decision.effectivePolicies].toSorted(([left], [right]) => (left < right ? -1 : 1)),
      };
