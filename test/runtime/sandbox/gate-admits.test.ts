/** What the emitter writes, the gate admits: golden cases, random policies, every expression, every fast form on and off. */
import { describe, expect, test } from "vitest";
import { emitted } from "../../../runtime/emitted/index.ts";
import { fieldsOfQuery, ofRuntime } from "../../../runtime/sandbox/gate/members.ts";
import { refusalOf } from "../../../runtime/sandbox/gate/index.ts";
import { openQuery } from "../../../runtime/decide/open-query.ts";
import { everything, nothing } from "../../agree/variants.ts";
import { goldenFolders, programsOf, programsOfExpressions, programsOfGolden, programsOfRandom } from "./gate-programs.ts";

/** The refusals of some programs, each with the line that it names. */
const refusals = (programs: readonly string[]): readonly string[] =>
  programs.flatMap((program) => {
    const refusal = refusalOf(program);
    return refusal === undefined ? [] : [`${refusal}\n${program}`];
  });

describe("every program of a golden case is admitted", () => {
  test.each(goldenFolders)("%s", (folder) => {
    const programs = programsOfGolden(folder, folder.startsWith("golden/compile") ? undefined : [everything, nothing]);
    expect(programs.length).toBeGreaterThan(0);
    expect(refusals(programs)).toEqual([]);
  });
});

test("every program of random policies is admitted", () => {
  const programs = [...programsOfRandom(7, 0, 30, [everything, nothing]), ...programsOfRandom(11, 0, 6)];
  expect(programs.length).toBeGreaterThan(500);
  expect(refusals(programs)).toEqual([]);
});

test("every expression is admitted, as a condition, its contrary, a variable and an output", () => {
  const programs = programsOfExpressions([everything, nothing]);
  expect(programs.length).toBeGreaterThan(1000);
  expect(refusals(programs)).toEqual([]);
});

test.each([
  ["lists within lists", `${"[".repeat(245)}R.attr.b${"]".repeat(245)} == R.attr.c`],
  ["choices as conditions of choices", `${"(".repeat(245)}R.attr.b${" ? R.attr.c : R.attr.missing)".repeat(245)}`],
  ["bindings within bindings", `${"cel.bind(x, R.attr.b, ".repeat(245)}R.attr.b${")".repeat(245)}`],
  ["many terms", Array.from({ length: 3000 }, (_, at) => `R.attr.n != ${at}`).join(" && ")],
  ["a long list", `R.attr.n in [${Array.from({ length: 5000 }, (_, at) => at).join(", ")}]`],
])("an expression as deep or as long as one may be is admitted: %s", (_what, expr) => {
  const rules = [{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["user"], condition: { match: { expr } } }];
  const policy = { apiVersion: "api.authz.dev/v1", resourcePolicy: { resource: "thing", version: "default", rules } };
  const programs = programsOf([{ path: "deep.yaml", text: JSON.stringify(policy) }], [everything]);
  expect(programs).toHaveLength(1);
  expect(refusals(programs)).toEqual([]);
});

test("the gate knows the members of the runtime, each of them and no other", () => {
  expect(Object.keys(ofRuntime).toSorted()).toEqual(Object.keys(emitted).toSorted());
});

test("what the gate takes for a part of the query is one", () => {
  const query = openQuery(
    { principal: { id: "ann", roles: [] }, resource: { kind: "album", id: "1" }, actions: [] },
    {},
    { now: emitted.load.context.now },
  );
  for (const path of fieldsOfQuery) {
    let of: unknown = query;
    for (const name of path.split(".")) {
      expect(typeof of === "object" && of !== null && name in of, path).toBe(true);
      of = Reflect.get(Object(of), name);
    }
    expect(typeof of, path).not.toBe("function");
  }
});
