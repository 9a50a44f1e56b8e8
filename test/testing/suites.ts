/** Suites in a folder of their own, run on policies in memory: what a test of the test runner needs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compile } from "../../compiler/index.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { digest } from "../../src/texts/digest.ts";
import { explainAction } from "../../compiler/reference/explain-action.ts";
import { findSuites } from "../../src/testing/find-suites.ts";
import { runSuites, type RunOptions } from "../../src/testing/run.ts";
import type { RunResult } from "../../src/testing/result.ts";

/** Writes files below a new folder, gives it to whoever asks, and removes it. */
export async function withFolder<T>(files: { readonly [path: string]: string }, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "authz-suites-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The policies that the tests here are about. */
export const policies = {
  "document.yaml": `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - name: reader
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      output:
        when:
          ruleActivated: '{"by": P.id, "tags": ["a", "b"]}'
    - name: owner
      actions: [edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.owner == P.id}}
    - name: old
      actions: [archive]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: 'timeSince(timestamp(R.attr.at)) > duration("24h")'}}
    - name: broken
      actions: [divide]
      effect: EFFECT_ALLOW
      roles: [user]
      output:
        when:
          ruleActivated: 1 / int(R.attr.zero)
    - name: lines
      actions: [share]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: |
            has(R.attr.friends) &&
              P.id in R.attr.friends
    - name: errs
      actions: [share]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: |
            P.id in
              R.attr.fans
`,
} as const;

/** Runs suites on those policies. */
export function runFiles(files: { readonly [path: string]: string }, options: Partial<RunOptions> = {}): Promise<RunResult> {
  const { compiled } = compile(
    Object.entries(policies).map(([path, text]) => ({ path, text })),
    { digest },
  );
  if (compiled === undefined) throw new Error("the policies compile");
  return withFolder(files, async (folder) =>
    runSuites(await findSuites(folder), {
      evaluator: load(compiled.bundle, evaluateInThisRealm),
      explain: (input, action, checkOptions) => explainAction(compiled.policySet, input, action, checkOptions),
      ...options,
    }),
  );
}

/** One line for each action, in order: `view PASSED`. */
export const outcomes = ({ suites }: RunResult): readonly string[] =>
  suites.flatMap(({ testCases = [], error, skipReason }) => [
    ...(error === undefined ? [] : [`ERROR ${error}`]),
    ...(skipReason === undefined ? [] : [`SKIPPED ${skipReason}`]),
    ...testCases.flatMap(({ principals }) =>
      principals.flatMap(({ name, resources }) =>
        resources.flatMap((resource) =>
          resource.actions.map(
            ({ name: action, details }) => `${name} ${resource.name} ${action} ${details.result.replace("RESULT_", "")}`,
          ),
        ),
      ),
    ),
  ]);
