/** Compiles a random policy set, and lets generated code and the reference answer the same calls. */
import { createHash } from "node:crypto";
import { compile } from "../../compiler/index.ts";
import { check } from "../../compiler/cel/check.ts";
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { parse } from "../../compiler/cel/parse.ts";
import { allForms, type FormName } from "../../compiler/emit/forms/index.ts";
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { explain } from "../../compiler/reference/decide.ts";
import type { Explained } from "../../compiler/reference/decide.ts";
import type { Source } from "../../compiler/source.ts";
import type { Decision, Evaluator } from "../../runtime/decide/decision.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import type { Document } from "./policies.ts";
import { optionsOf } from "./requests.ts";
import type { Batch } from "./requests.ts";

/** Writes documents as files: JSON is YAML. */
export const sourcesOf = (documents: readonly Document[]): readonly Source[] =>
  documents.map((document, index) => ({ path: `policy_${index}.yaml`, text: JSON.stringify(document, undefined, 1) }));

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A policy set, ready to be asked both ways. */
export interface Subject {
  readonly policySet: PolicySet;
  /** Generated code with every fast form, and with none. */
  readonly evaluators: readonly Evaluator[];
}

/** Makes the generated side; undefined when it refuses the policies. */
export type Make = (sources: readonly Source[]) => readonly Evaluator[] | undefined;

/** Every fast form, and none. */
export const formSets: readonly ReadonlySet<FormName>[] = [allForms, new Set()];

/** Compiles and loads; a text that says what is wrong when the set does not compile. */
export function openSubject(documents: readonly Document[], make?: Make): Subject | string {
  const sources = sourcesOf(documents);
  try {
    const [fast, plain] = formSets.map((forms) => compile(sources, { digest, forms }));
    const { compiled, diagnostics = [] } = fast ?? {};
    if (compiled === undefined || plain?.compiled === undefined)
      return diagnostics
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => message)
        .join("; ");
    const evaluators =
      make === undefined ? [compiled, plain.compiled].map(({ bundle }) => load(bundle, evaluateInThisRealm)) : make(sources);
    return evaluators === undefined ? "the other compiler refuses it" : { policySet: compiled.policySet, evaluators };
  } catch (error) {
    // A compiler that throws has a bug: nothing agrees with that.
    return {
      policySet: { resourcePolicies: [] },
      evaluators: [
        {
          check: () => {
            throw error;
          },
        },
      ],
    };
  }
}

/** Says whether an expression compiles by itself; references to variables and constants are open. */
export function accepts(expression: string): boolean {
  const { tree, issues } = parse(expression);
  return tree !== undefined && issues.length === 0 && check(tree, policyEnvironment).issues.length === 0;
}

/** What the reference says, input by input. */
export const askReference = (policySet: PolicySet, { inputs, settings }: Batch): readonly Explained[] =>
  inputs.map((input) => explain(policySet, input, optionsOf(settings, true)));

/** One input that the two do not answer alike. */
export interface Difference {
  readonly index: number;
  readonly reference: Json;
  readonly generated: Json;
}

type Json = { readonly [key: string]: unknown };

/** Compares generated code's answers with the reference's; with errors asked for and without, for these are two ways through the code. */
export function differences(evaluators: readonly Evaluator[], batch: Batch, expected: readonly Decision[]): readonly Difference[] {
  const found: Difference[] = [];
  for (const withErrors of [true, false]) {
    const references = expected.map((decision) => readable(withErrors ? decision : { ...decision, evaluationErrors: [] }));
    for (const evaluator of evaluators) {
      const decisions = answer(evaluator, batch, withErrors);
      references.forEach((reference, index) => {
        const generated = decisions instanceof Error ? { thrown: decisions.message } : readable(decisions[index]);
        if (JSON.stringify(reference) !== JSON.stringify(generated)) found.push({ index, reference, generated });
      });
    }
  }
  return found;
}

/** Generated code answers, or throws, which is a difference too. */
function answer(evaluator: Evaluator, { inputs, settings }: Batch, withErrors: boolean): readonly Decision[] | Error {
  try {
    return evaluator.check(inputs, optionsOf(settings, withErrors));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const readable = (decision: Decision | undefined): Json =>
  decision === undefined
    ? { missing: true }
    : {
        requestId: decision.requestId,
        resourceId: decision.resourceId,
        actions: [...decision.actions],
        effectiveDerivedRoles: decision.effectiveDerivedRoles,
        evaluationErrors: decision.evaluationErrors.map(({ expression, message, part }) => [
          expression,
          message,
          part?.start ?? null,
          part?.end ?? null,
        ]),
        outputs: decision.outputs,
      };
