/** The same policies as modules for other programs: they are programs, and decide as the reference does. */
import { parse } from "acorn";
import { explain } from "../../compiler/reference/decide.ts";
import { buildForTest, openBare, textOf } from "../embed/modules.ts";
import { optionsOf } from "./judge.ts";
import type { Grown } from "./trial.ts";

/** Builds a set for each target, and asks it everything; answers how many decisions were compared. */
export async function judgeModules({ compiled, questions, globals }: Grown): Promise<number> {
  let compared = 0;
  for (const target of ["node", "browser"] as const) {
    const text = textOf(await buildForTest(compiled.bundle, { target }));
    parse(text, { ecmaVersion: 2022, sourceType: "module" });
    const module = openBare(text);
    for (const { input } of questions) {
      // Text of a request is Unicode, in a module too.
      if (/\p{Surrogate}/u.test(JSON.stringify(input)) || /\\ud[89a-f]/.test(JSON.stringify(input))) continue;
      const { principal, resource, actions, auxData } = input;
      const answer = module.check({ principal, resource, actions, auxData }, { globals });
      const reference = explain(compiled.policySet, input, optionsOf(globals, false));
      const found = JSON.stringify([Object.entries(answer.actions), answer.effectiveDerivedRoles]);
      const wanted = JSON.stringify([[...reference.actions], reference.effectiveDerivedRoles]);
      if (found !== wanted)
        throw new Error(`the module for ${target} decides otherwise: ${found}, not ${wanted}: ${JSON.stringify(input)}`);
      compared++;
    }
  }
  return compared;
}
