/** The front end against cel-go: the same trees, the same refusals, the same types, for every case of the official suites. */
import { describe, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import type { CheckResult } from "../../../compiler/cel/check.ts";
import { standardEnvironment } from "../../../compiler/cel/environment.ts";
import { allMacros, standardMacros } from "../../../compiler/cel/macros.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { printAst, printCheckedAst, printExpression } from "../../../compiler/cel/print.ts";
import { plannedFunctions } from "../../../runtime/cel/functions/index.ts";
import { printType } from "../../../runtime/cel/type.ts";
import { conformanceFolder, folderCases, hasConformanceFolder, packageCases } from "./conformance-cases.ts";
import type { Case } from "./conformance-cases.ts";

/** What of the types is left out, and why. The first rule that fits a case counts. */
const leftOut: readonly (readonly [reason: string, applies: (one: Case) => boolean])[] = [
  ["not meant to be checked", (one) => !one.checked],
  [
    "needs protobuf messages, enums or wrappers",
    (one) =>
      protobuf.test([one.expression, one.container, one.type, one.checkedAst, ...[...one.variables.values()].map(printType)].join("\n")),
  ],
  ["cel.block is a tool of cel-go's optimizer", (one) => one.expression.includes("cel.block") || one.expression.includes("cel.iterVar")],
  ["has no type", (one) => one.type === undefined],
];
const protobuf =
  /Value\{|NullValue|TestAll|google\.protobuf\.(?!Timestamp\b|Duration\b)|google\.(expr|type)|cel\.expr|GlobalEnum|NestedEnum|wrapper\(|any\b|proto[23]/;

/** What the suites' cel-go refused and we accept, because a policy's cel-go has more switched on. */
const acceptedHere: readonly (readonly [reason: string, error: RegExp])[] = [
  ["optional syntax or backquoted names were off", /unsupported syntax/],
  ["the bound was 32 levels", /recursion (limit|depth) exceeded/],
  ["numbers of different kinds are ordered here", /'_[<>]=?_' applied to '\((int|uint|double), (int|uint|double)\)'/],
  ["macros of extension libraries were off", /undeclared reference to '(all|exists|existsOne|exists_one|transform\w+|cel|optional)'/],
];

const sources: readonly (readonly [name: string, cases: () => readonly Case[]])[] = [
  ["@bufbuild/cel-spec", packageCases],
  ...(hasConformanceFolder ? [["the conformance folder", folderCases] as const] : []),
];
if (!hasConformanceFolder)
  console.log(`left out: the conformance folder, because there is no ${conformanceFolder}; set AUTHZ_CONFORMANCE to its place`);

const checkCase = (one: Case): CheckResult | undefined => {
  const { tree } = parse(one.expression, one.macros ? allMacros : []);
  return tree && check(tree, standardEnvironment(one.variables, { container: one.container, functions: one.functions }));
};

describe.each(sources)("%s", (_, read) => {
  const cases = read();

  test("has cases at all", () => expect(cases.length).toBeGreaterThan(1500));

  test("every expression that cel-go parses gives the same tree", () => {
    const parsed = cases.filter((one) => one.ast !== undefined);
    // The suites were made with the standard macros alone.
    const trees = parsed.map((one) => [one.expression, printed(one.expression, one.macros)]);
    expect(parsed.length).toBeGreaterThan(200);
    expect(trees).toEqual(parsed.map((one) => [one.expression, one.ast]));
  });

  test("printing a tree as text and parsing that gives the same tree", () => {
    const texts = cases.map((one) => parse(one.expression).tree).filter((tree) => tree !== undefined);
    for (const tree of texts) expect(printed(printExpression(tree), true, allMacros), printExpression(tree)).toBe(printAst(tree));
  });

  test("every expression that cel-go refuses to parse is refused", () => {
    const refused = cases.filter((one) => one.ast === undefined && one.type === undefined && isSyntax(one.error));
    const accepted = refused.filter((one) => parse(one.expression).issues.length === 0 && !isAcceptedHere(one));
    expect(refused.length).toBeGreaterThan(50);
    expect(accepted.map((one) => one.expression)).toEqual([]);
  });

  const counts = new Map<string, number>();
  const count = (reason: string): void => void counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const typed = cases.filter((one) => {
    const rule = leftOut.find(([, applies]) => applies(one));
    if (rule !== undefined) count(rule[0]);
    return rule === undefined;
  });

  test("every expression that cel-go checks has the same type, unless it needs a function that is still planned", () => {
    const differences: string[] = [];
    let same = 0;
    for (const one of typed) {
      const result = checkCase(one);
      if (result?.issues.some((issue) => isPlanned(issue.message)) === true) count("needs a planned function");
      else if (one.fails && result?.issues.every((issue) => issue.message.startsWith("not a valid ")) === true && result.issues.length > 0)
        count("is a constant that we refuse before it fails");
      else if (result?.issues.length === 0 && printType(result.type) === one.type) same += 1;
      else
        differences.push(
          `${one.suite}: ${one.expression} is ${one.type}, not ${result && printType(result.type)}: ${result?.issues.map((issue) => issue.message).join(", ")}`,
        );
    }
    expect(differences).toEqual([]);
    expect(same).toBeGreaterThan(900);
    console.log(`${same} types agree; left out: ${[...counts].map(([reason, number]) => `${number} (${reason})`).join(", ")}`);
  });

  test("every node has the same type, and every call the same overloads", () => {
    // Nodes that a macro brings in have types too, but no place in our tree.
    const comparable = typed.filter((one) => one.checkedAst?.includes("__comprehension__") === false);
    const differences = comparable.flatMap((one) => {
      const result = checkCase(one);
      if (result === undefined || result.issues.length > 0) return [];
      const own = commonOverloads(printCheckedAst(result));
      return own === commonOverloads(one.checkedAst ?? "") ? [] : [`${one.expression}\n${own}\n${one.checkedAst}`];
    });
    expect(comparable.length).toBeGreaterThan(60);
    expect(differences).toEqual([]);
  });

  test("every expression that cel-go refuses to check is refused", () => {
    const refused = cases.filter(
      (one) => one.checked && one.type === undefined && one.error?.startsWith("ERROR: <input>") === true && !isAcceptedHere(one),
    );
    const accepted = refused.filter((one) => checkCase(one)?.issues.length === 0);
    expect(accepted.map((one) => `${one.expression}: ${one.error}`)).toEqual([]);
    expect(refused.length).toBeGreaterThan(10);
  });
});

const printed = (text: string, macros: boolean, set = standardMacros): string => {
  const { tree, issues } = parse(text, macros ? set : []);
  return tree === undefined ? `refused: ${JSON.stringify(issues)}` : printAst(tree);
};

/** cel-go names the place of a problem of types `<input>`, and that of a problem of grammar by the name of the case. */
const isSyntax = (error: string | undefined): boolean => error !== undefined && !error.startsWith("ERROR: <input>");
const isAcceptedHere = (one: Case): boolean => acceptedHere.some(([, error]) => error.test(one.error ?? ""));
const isPlanned = (text: string): boolean => [...plannedFunctions.keys()].some((name) => text.includes(`\`${name}\``));

/** Overloads that only one of the two environments declares: what indexes optionals there; what indexes hierarchies and orders numbers of different kinds here. */
const onlyOnOneSide = /^(?:hierarchy_index|optional_(?:list|map)_.*|(?:less|greater)(?:_equals)?_(?:double|u?int64)_(?:double|u?int64))$/;
/** Every other getter that takes a time zone has `with_tz` in its id; ours follows the rule, cel-go's does not. */
const commonOverloads = (ast: string): string =>
  ast.replaceAll("timestamp_to_seconds_tz", "timestamp_to_seconds_with_tz").replaceAll(
    /\^([\w|]+)/g,
    (_, ids: string) =>
      `^${ids
        .split("|")
        .filter((id) => !onlyOnOneSide.test(id))
        .join("|")}`,
  );
