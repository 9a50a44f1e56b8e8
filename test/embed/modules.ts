/** Builds modules of policies and runs them where there is nothing but ECMAScript. */
import { createContext, runInContext } from "node:vm";
import { transformSync } from "esbuild";
import { compile } from "../../compiler/index.ts";
import type { Source } from "../../compiler/source.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { Decision } from "../../runtime/decide/decision.ts";
import type { ActionResults, CheckResult } from "../../runtime/door/types.ts";
import { digest } from "../../src/texts/digest.ts";
import { buildModule, type BuildResult, type BuildOptions } from "../../src/embed/build.ts";

/** Compiles policies that are right. */
export function compiledFrom(sources: readonly Source[]) {
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return compiled;
}

/** Builds a module of a bundle. */
export const buildForTest = (bundle: Bundle, options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
  buildModule({ bundle, schemas: new Map(), policies: 1 }, { target: "worker", interpreter: false, ...options });

/** Text of a module. */
export const textOf = ({ bytes }: BuildResult): string => Buffer.from(bytes).toString();

/** A module in a context of its own: no Node, no browser, and no text that becomes program. */
export interface BareModule {
  /** Answers a request, both as JSON; throws an error of ours with what the module throws. */
  readonly check: (request: object, options?: object) => CheckResult;
  readonly run: (script: string) => unknown;
}

/** Evaluates a module in a bare context. */
export const openBare = (text: string): BareModule => openBareAfter("", text);

/** Evaluates a module in a bare context, where a script has run before. */
export function openBareAfter(before: string, text: string): BareModule {
  const script = transformSync(text, { format: "iife", globalName: "policies", logLevel: "error" }).code;
  const context = createContext({}, { codeGeneration: { strings: false, wasm: false } });
  runInContext(before, context);
  runInContext(script, context, { filename: "policies.js" });
  const ask: unknown = runInContext(
    `(request, options, schemas) => {
      try {
        return JSON.stringify(policies.check(JSON.parse(request), { ...JSON.parse(options), ...(schemas && { schemas }) }));
      } catch (error) {
        return "!" + error.name + ": " + error.message;
      }
    }`,
    context,
  );
  return {
    run: (code) => runInContext(code, context),
    check(request, options = {}) {
      const { schemas, ...others } = options as { readonly schemas?: object };
      const answer = String((ask as (...words: readonly unknown[]) => unknown)(JSON.stringify(request), JSON.stringify(others), schemas));
      if (answer.startsWith("!")) throw new Error(answer.slice(1));
      return JSON.parse(answer) as CheckResult;
    },
  };
}

/** What a module answers, as what an evaluator answers. */
export const decisionOf = ({ actions, effectivePolicies, ...others }: CheckResult): Decision => ({
  ...others,
  actions: new Map(Object.entries(actions as ActionResults<readonly ["asked"]>)),
  effectivePolicies: new Map(Object.entries(effectivePolicies)) as Decision["effectivePolicies"],
});
