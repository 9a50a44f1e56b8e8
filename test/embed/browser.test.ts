/** Every folder of `golden/decide`, built as a module, in a real browser page under `default-src 'none'; script-src 'self'`. */
import { expect, test } from "vitest";
import type { CheckOptions } from "../../runtime/decide/input.ts";
import type { CheckResult } from "../../runtime/door/types.ts";
import { decideFolders } from "../golden/cases.ts";
import { expectDecision } from "../golden/expected.ts";
import { optionsOf } from "../golden/settings.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { chromium, openPage } from "./browser.ts";
import { buildForTest, compiledFrom, decisionOf, textOf } from "./modules.ts";

/** What the page asks of the module of one folder. */
interface Question {
  readonly folder: number;
  readonly request: object;
  readonly options: object;
  /** What schemas find, by what is asked of them: a page has no validator. */
  readonly findings: { readonly [asked: string]: unknown };
}

const page = `<!doctype html><title>policies</title><script>document.documentElement.dataset.inline = "ran";</script><script type="module" src="/page.js"></script>`;

const script = (
  folders: number,
): string => `${Array.from({ length: folders }, (_, at) => `import * as m${at} from "/m${at}.js";`).join("\n")}
import { questions } from "/questions.js";
const modules = [${Array.from({ length: folders }, (_, at) => `m${at}`).join(", ")}];
const answers = questions.map(({ folder, request, options, findings }) => {
  const { enforcement, ...others } = options;
  const validate = (input, source, ref, attributes) => findings[JSON.stringify([source, ref, attributes])];
  try {
    return modules[folder].check(request, { ...others, ...(enforcement && { schemas: { enforcement, validate } }) });
  } catch (error) {
    return { failed: String(error) };
  }
});
let evaluated = "evaluated";
try { (0, eval)("1"); } catch (error) { evaluated = error.name; }
document.body.textContent = "[" + encodeURIComponent(JSON.stringify({ answers, evaluated })) + "]";
`;

test(
  chromium === undefined
    ? "NOT SHOWN HERE: no Chromium was found (CHROMIUM names one, or /usr/bin/chromium)"
    : "a page decides as the server does, without eval, without inline scripts",
  async () => {
    if (chromium === undefined) return;
    const folders = decideFolders();
    const bundles = folders.map(({ sources }) => compiledFrom(sources).bundle);
    const modules = await Promise.all(
      bundles.map(async (bundle) => textOf(await buildForTest(bundle, { target: "browser", interpreter: true }))),
    );
    const asked = folders.flatMap(({ cases, schemas }, folder) => {
      const bundle = bundles[folder];
      if (bundle === undefined) return [];
      const evaluator = load(bundle, evaluateInThisRealm);
      return cases.flatMap(({ settings, principal, asked: entries, auxData }) =>
        entries.map(({ resource, actions, decision }) => {
          const request = { principal, resource, actions, ...(auxData !== undefined && { auxData }) };
          const findings: { [asked: string]: unknown } = {};
          const { globals: _, schemas: enforced, ...others } = optionsOf(settings, schemas);
          const recording: Partial<CheckOptions> =
            enforced === undefined
              ? {}
              : {
                  schemas: {
                    ...enforced,
                    validate: (input, source, ref, attributes) =>
                      (findings[JSON.stringify([source, ref, attributes])] = enforced.validate(input, source, ref, attributes)),
                  },
                };
          evaluator.check([request], { ...optionsOf(settings, schemas), ...recording });
          const options = {
            ...others,
            globals: settings.globals ?? {},
            ...(enforced !== undefined && { enforcement: enforced.enforcement }),
          };
          const question: Question = { folder, request, options, findings };
          return { question, decision };
        }),
      );
    });
    const files = new Map([
      ["/", page],
      ["/page.js", script(modules.length)],
      ["/questions.js", `export const questions = JSON.parse(${JSON.stringify(JSON.stringify(asked.map(({ question }) => question)))});`],
      ...modules.map((text, at): readonly [string, string] => [`/m${at}.js`, text]),
    ]);
    const dom = await openPage(chromium, files);
    expect(dom).not.toContain("data-inline");
    const told = /\[([^\]<]*)\]/.exec(dom)?.[1];
    if (told === undefined) throw new Error(`the page's script did not run to its end: ${dom.slice(0, 500)}`);
    const { answers, evaluated } = JSON.parse(decodeURIComponent(told)) as {
      readonly answers: readonly CheckResult[];
      readonly evaluated: string;
    };
    expect(evaluated).toBe("EvalError");
    expect(answers).toHaveLength(asked.length);
    asked.forEach(({ decision, question }, at) => {
      const answer = answers[at];
      if (answer === undefined || "failed" in answer) throw new Error(`${folders[question.folder]?.name}: ${JSON.stringify(answer)}`);
      expectDecision(decisionOf(answer), decision);
    });
  },
  120_000,
);
