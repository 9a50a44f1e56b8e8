/** Every folder of `golden/decide`, built as a module and run where there is nothing but ECMAScript: what the server decides. */
import { describe, expect, test } from "vitest";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { decideFolders } from "../golden/cases.ts";
import { expectDecision } from "../golden/expected.ts";
import { optionsOf } from "../golden/settings.ts";
import { buildForTest, compiledFrom, decisionOf, openBare, textOf } from "./modules.ts";

const folders = decideFolders();
// Built side by side: the linker has threads of its own.
const modules = new Map(
  await Promise.all(
    folders.map(async (folder) => {
      const { bundle } = compiledFrom(folder.sources);
      const texts = await Promise.all([true, false].map(async (interpreter) => textOf(await buildForTest(bundle, { interpreter }))));
      return [folder.name, { bundle, texts }] as const;
    }),
  ),
);

describe.each(folders)("$name", ({ name, cases, schemas }) => {
  const { bundle, texts } = modules.get(name) ?? { bundle: compiledFrom([]).bundle, texts: [] };
  const evaluator = load(bundle, evaluateInThisRealm);
  const [whole, plain] = texts.map(openBare);

  test.each(cases)("$it", ({ settings, principal, asked, auxData }) => {
    const { globals: _, ...options } = optionsOf(settings, schemas);
    const said = { ...options, globals: settings.globals ?? {} };
    for (const { resource, actions, decision } of asked) {
      const request = { principal, resource, actions, ...(auxData !== undefined && { auxData }) };
      const [server] = evaluator.check([request], optionsOf(settings, schemas));
      const answer = whole?.check(request, said);
      if (answer === undefined || server === undefined) throw new Error("no decision");
      expectDecision(decisionOf(answer), decision);
      expect(decisionOf(answer)).toEqual(
        JSON.parse(JSON.stringify({ ...server, actions: 0, effectivePolicies: 0 }), (key, value) =>
          key === "actions" ? new Map(server.actions) : key === "effectivePolicies" ? server.effectivePolicies : value,
        ),
      );

      // Without the interpreter the same is decided, where it need not be asked.
      if (said.strictEvaluation) continue;
      const quick = plain?.check(request, { ...said, evaluationErrors: false, effectivePolicies: false });
      expect(quick).toEqual({ ...answer, evaluationErrors: [], effectivePolicies: {} });
    }
  });
});
