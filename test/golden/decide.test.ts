/** Every case of `golden/decide` holds: by the reference and by generated code. */
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { decide } from "../../compiler/reference/decide.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { digest } from "../agree/judge.ts";
import { decideFolders } from "./cases.ts";
import { expectDecision } from "./expected.ts";
import { optionsOf } from "./settings.ts";

describe.each(decideFolders())("golden/decide/$name", ({ sources, schemas, cases }) => {
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) throw new Error(`the policies do not compile: ${diagnostics.map((each) => each.message).join("; ")}`);
  const evaluator = load(compiled.bundle, evaluateInThisRealm);

  test.each(cases)("$it", ({ settings, principal, auxData, asked }) => {
    const options = optionsOf(settings, schemas);
    const inputs = asked.map(({ resource, actions }): CheckInput => ({
      principal,
      resource,
      actions,
      ...(auxData !== undefined && { auxData }),
    }));
    const generated = evaluator.check(inputs, options);
    const quick = evaluator.check(inputs, { ...options, evaluationErrors: false, effectivePolicies: false, effectiveDerivedRoles: false });
    for (const [index, { decision }] of asked.entries()) {
      const input = inputs[index];
      if (input !== undefined) expectDecision(decide(compiled.policySet, input, options), decision);
      expectDecision(generated[index], decision);
      expect(quick[index]?.actions).toEqual(generated[index]?.actions);
      expect(quick[index]?.outputs).toEqual(generated[index]?.outputs);
    }
  });
});
