/** The front end against cel-go: the same trees, the same refusals, the same types, for every case of the official suites. */
import { afterAll, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import type { CheckResult } from "../../../compiler/cel/check.ts";
import { standardEnvironment } from "../../../compiler/cel/environment.ts";
import type { Environment } from "../../../compiler/cel/environment.ts";
import { allMacros, standardMacros } from "../../../compiler/cel/macros.ts";
import type { Macro } from "../../../compiler/cel/macros.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { printAst, printCheckedAst } from "../../../compiler/cel/print-ast.ts";
import { printExpression } from "../../../compiler/cel/print.ts";
import { printType } from "../../../runtime/cel/type.ts";
import { packageCases } from "./conformance-cases.ts";
import type { Case } from "./conformance-cases.ts";
import { leftOut, refusedConstants } from "./conformance-left-out.ts";

const cases = packageCases();
const facts: string[] = [];
afterAll(() => console.log(facts.join("\n")));

const macrosOf = (one: Case, macros: readonly Macro[]): readonly Macro[] => (one.macros ? macros : []);

const environmentOf = (one: Case): Environment =>
  standardEnvironment(one.variables, { container: one.container, functions: one.functions });

const checkCase = (one: Case, macros = allMacros, environment = environmentOf(one)): CheckResult | undefined => {
  const { tree } = parse(one.expression, macrosOf(one, macros));
  return tree && check(tree, environment);
};

test("every id is that of one case", () => expect(new Set(cases.map((one) => one.id)).size).toBe(cases.length));

test("every expression that cel-go parses gives the same tree", () => {
  const valid = cases.filter((one) => one.ast !== undefined);
  // The suites were made with the standard macros alone.
  const trees = valid.map((one) => [one.id, printed(one.expression, macrosOf(one, standardMacros))]);
  expect(trees).toEqual(valid.map((one) => [one.id, one.ast]));
  expect(valid.length).toBe(2573);
  facts.push(`${valid.length} of ${valid.length} valid expressions have cel-go's tree`);
});

/** What the suites' cel-go does not parse, though it is no mistake: our cel-go has more switched on, and goes deeper. */
const switchedOn: readonly (readonly [what: string, error: RegExp])[] = [
  ["optional syntax or backquoted names", /unsupported syntax/],
  ["more than 32 levels", /recursion (?:limit|depth) exceeded/],
];

test("every expression that cel-go refuses to parse is refused", () => {
  const invalid = cases.filter((one) => one.ast === undefined);
  const beyond = invalid.filter((one) => switchedOn.some(([, error]) => error.test(one.error ?? "")));
  const refused = invalid.filter((one) => !beyond.includes(one));
  expect(refused.filter((one) => parse(one.expression).issues.length === 0).map((one) => one.id)).toEqual([]);
  expect([refused.length, beyond.length]).toEqual([65, 127]);
  const rows = switchedOn.map(([what, error]) => `${beyond.filter((one) => error.test(one.error ?? "")).length} ${what}`);
  facts.push(`${refused.length} of ${refused.length} invalid expressions are refused; besides, switched on here: ${rows.join(", ")}`);
});

/** The ids of a table's cases; one that names no case, or the same case twice, is a mistake. */
function idsOf(rows: readonly (readonly [section: string, names: string])[]): readonly string[] {
  const ids = rows.flatMap(([section, names]) => names.split(" ").map((name) => `${section}/${name}`));
  const known = new Set(typed.map((one) => one.id));
  expect(ids.filter((id) => !known.has(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  return ids;
}

const typed = cases.filter((one) => one.type !== undefined);

test("every typed expression gets cel-go's type, unless the table of what is left out says why not", () => {
  const out = new Set(leftOut.flatMap((row) => idsOf(row.cases)));
  const constants = new Set(idsOf(refusedConstants));
  const wrong = typed.filter((one) => outcomeOf(one) !== (out.has(one.id) ? "other" : constants.has(one.id) ? "refused constant" : "same"));
  expect(wrong.map((one) => `${one.id}: ${one.expression} is ${one.type}; here it is ${outcomeOf(one)}`)).toEqual([]);
  const official = typed.filter((one) => !one.id.startsWith("parsing/"));
  const missing = official.filter((one) => out.has(one.id));
  expect([official.length, missing.length]).toEqual([2167, 653]);
  facts.push(
    `${official.length - missing.length} of ${official.length} typed expressions have cel-go's type (and ${typed.length - official.length} more of the parser's suite);` +
      ` ${missing.length} are left out, by id in conformance-left-out.ts:`,
    ...leftOut.map((row) => `  ${idsOf(row.cases).length}: ${row.because}`),
  );
});

test.each(leftOut.map((row) => [row.because, row] as const))(
  "what is left out because it %s mentions such a thing",
  (_, { cases: rows, mentions }) => {
    const ids = new Set(idsOf(rows));
    const silent = typed.filter((one) => ids.has(one.id) && !mentions.test(everythingOf(one)));
    expect(silent.map((one) => one.id)).toEqual([]);
  },
);

function outcomeOf(one: Case): "same" | "refused constant" | "other" {
  const result = checkCase(one);
  if (result === undefined || printType(result.type) !== one.type) return "other";
  if (result.issues.length === 0) return "same";
  return result.issues.every((issue) => issue.message.startsWith("not a valid ")) ? "refused constant" : "other";
}

const everythingOf = (one: Case): string =>
  [one.expression, one.container, one.type, one.checkedAst, ...[...one.variables.values()].map(printType)].join("\n");

/** The one tree that differs though its type agrees: a variable is a wrapper (D62), which is read as dyn here. */
const otherTree = "checking/#133";

test("every node has the same type, and every call the same overloads", () => {
  // Nodes that a macro brings in have types too, but no place in our tree.
  const comparable = typed.filter((one) => one.checkedAst?.includes("__comprehension__") === false && outcomeOf(one) === "same");
  const differences = comparable.flatMap((one) => {
    const result = checkCase(one);
    const own = result && commonOverloads(printCheckedAst(result));
    return own === commonOverloads(one.checkedAst ?? "") ? [] : [{ id: one.id, expression: one.expression, own, cel: one.checkedAst }];
  });
  expect(differences).toMatchObject([{ id: otherTree }]);
  expect(comparable.length).toBe(1484);
  facts.push(
    `${comparable.length - 1} trees agree with cel-go's in the type of every node and the overloads of every call; 1, ${otherTree}, needs a wrapper`,
  );
});

test("every expression that cel-go refuses to check is refused, with nothing more switched on than there", () => {
  const refused = cases.filter((one) => one.ast !== undefined && one.type === undefined);
  const accepted = refused.filter((one) => checkCase(one, standardMacros, withoutExtensions(environmentOf(one)))?.issues.length === 0);
  expect(accepted.map((one) => `${one.id}: ${one.expression}: ${one.error}`)).toEqual([]);
  expect(refused.length).toBe(370);
  facts.push(`${refused.length} of ${refused.length} expected check errors are errors`);
});

test("printing a tree as text and parsing that gives the same tree", () => {
  const trees = cases.map((one) => parse(one.expression).tree).filter((tree) => tree !== undefined);
  for (const tree of trees) expect(printed(printExpression(tree), allMacros), printExpression(tree)).toBe(printAst(tree));
});

const printed = (text: string, macros: readonly Macro[]): string => {
  const { tree, issues } = parse(text, macros);
  return tree === undefined ? `refused: ${JSON.stringify(issues)}` : printAst(tree);
};

const betweenKinds = /^(?:less|greater)(?:_equals)?_(?:double|u?int64)_(?:double|u?int64)$/;

/** The suites' cel-go does not order numbers of different kinds. */
const withoutExtensions = (environment: Environment): Environment => ({
  ...environment,
  functions: (name) => environment.functions(name).filter(({ id }) => !betweenKinds.test(id)),
});

/** Overloads that only one of the two environments declares: what indexes optionals there; what indexes hierarchies and orders numbers of different kinds here. */
const isOnOneSide = (id: string): boolean => /^(?:hierarchy_index|optional_(?:list|map)_.*)$/.test(id) || betweenKinds.test(id);

/** Every other getter that takes a time zone has `with_tz` in its id; ours follows the rule, cel-go's does not. */
const commonOverloads = (ast: string): string =>
  ast.replaceAll("timestamp_to_seconds_tz", "timestamp_to_seconds_with_tz").replaceAll(
    /\^([\w|]+)/g,
    (_, ids: string) =>
      `^${ids
        .split("|")
        .filter((id) => !isOnOneSide(id))
        .join("|")}`,
  );
