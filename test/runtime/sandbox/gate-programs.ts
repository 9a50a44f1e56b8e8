/** Programs as the emitter writes them: of every golden case, of random policies, of every expression; with all fast forms and without each. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../../compiler/index.ts";
import { emit } from "../../../compiler/emit/unit.ts";
import { isPolicyPath } from "../../../compiler/policy/paths.ts";
import type { Source } from "../../../compiler/source.ts";
import { lower } from "../../../compiler/table/lower.ts";
import { sourcesOf } from "../../agree/judge.ts";
import { makeTrial } from "../../agree/run.ts";
import { allButOne, digest, everything, nothing, type Variant } from "../../agree/variants.ts";
import { checkedExpressions } from "../../compiler/emit/expressions.ts";

const variants: readonly Variant[] = [everything, nothing, ...allButOne];

/** The programs of some policies, by every variant; none where they do not compile. */
export function programsOf(sources: readonly Source[], among: readonly Variant[] = variants): readonly string[] {
  const { compiled } = compile(sources, { digest });
  if (compiled === undefined) return [];
  return among.flatMap(({ passes, forms }) => {
    const table = passes.reduce((before, pass) => pass(before), lower(compiled.policySet));
    return table.units.map((unit) => emit(unit, { digest, forms }).text);
  });
}

const sourcesIn = (folder: string): readonly Source[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(isPolicyPath)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));

/** The folders of golden cases that compile. */
export const goldenFolders: readonly string[] = [
  "golden/tour",
  ...["compile", "decide"].flatMap((kind) => readdirSync(`golden/${kind}`).map((name) => `golden/${kind}/${name}`)),
].filter((folder) => existsSync(`${folder}/policies`));

export const programsOfGolden = (folder: string, among?: readonly Variant[]): readonly string[] =>
  programsOf(sourcesIn(`${folder}/policies`), among);

/** Programs of random policies, a few hundred of them. */
export const programsOfRandom = (seed: number, from: number, count: number, among?: readonly Variant[]): readonly string[] =>
  Array.from({ length: count }, (_, at) => programsOf(sourcesOf(makeTrial(seed, from + at).documents), among)).flat();

/** The policy whose rules have an expression as their condition, its contrary, their variable and their output. */
const policyOf = (expression: string, rule: number): Source => ({
  path: "expression.yaml",
  text: JSON.stringify({
    apiVersion: "api.authz.dev/v1",
    resourcePolicy: {
      resource: "thing",
      version: "default",
      variables: { local: { variable: expression } },
      rules: [
        [{ match: { expr: expression } }, expression],
        [{ match: { none: { of: [{ expr: expression }, { expr: `!(${expression})` }] } } }, undefined],
        [{ match: { expr: `(${expression}) == V.variable || V.variable == true` } }, undefined],
      ]
        .filter((_, at) => at === rule)
        .map(([condition, output]) => ({
          actions: ["view", "edit:*"],
          effect: "EFFECT_ALLOW",
          roles: ["user"],
          condition,
          ...(output !== undefined && { output: { when: { ruleActivated: output, conditionNotMet: output } } }),
        })),
    },
  }),
});

/** The programs of every expression of the emitter's own tests. */
export const programsOfExpressions = (among?: readonly Variant[], rules: readonly number[] = [0, 1, 2]): readonly string[] =>
  checkedExpressions.flatMap((expression) => rules.flatMap((rule) => programsOf([policyOf(expression, rule)], among)));
