/**
 * What takes longer the more it is given draws more work (D46.1): of each function, operator and node an expression, and
 * what it must draw at least for each that there is more. Each draw of the runtime is needed to come that far.
 */
import { describe, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { describe as told } from "../../../runtime/cel/evaluate/describe.ts";
import { type Bindings, evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { compileToClosure } from "../../../runtime/cel/evaluate/closures.ts";
import type { JsonObject, Value } from "../../../runtime/cel/value.ts";
import { ask, evaluatorOf, resourcePolicy } from "../decide/policies.ts";
import { spentOn } from "../spent-on.ts";
import { context } from "./ask.ts";

/** What a request holds, given how many there are of what makes it longer. */
type Given = (count: number) => JsonObject;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => count - at);
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `name ${at}`);
const same = <T>(count: number, item: T): readonly T[] => Array.from({ length: count }, () => item);

const letters: Given = (count) => ({ text: "a".repeat(count) });
const smiles: Given = (count) => ({ text: "\u{1F600}".repeat(count) });
const quotes: Given = (count) => ({ text: '"'.repeat(count) });
const fours: Given = (count) => ({ text: "QUJD".repeat(count) });
const zeros: Given = (count) => ({ text: `${"0".repeat(count)}1s` });
const levels: Given = (count) => ({ text: "a.".repeat(count) });
const slashes: Given = (count) => ({ text: "a/".repeat(count) });
const part: Given = (count) => ({ text: "a".repeat(20_000), part: `${"a".repeat(count)}b` });
/** Two texts of one length that differ in their last letter, and how they begin. */
const texts: Given = (count) => ({ left: `${"a".repeat(count)}b`, right: `${"a".repeat(count)}c`, start: "a".repeat(count) });
const list: Given = (count) => ({ list: numbers(count), other: numbers(count) });
const listOfNames: Given = (count) => ({ list: names(count) });
const alike: Given = (count) => ({ list: names(count).map((name) => `${"a".repeat(640)}${name}`) });
const huge: Given = (count) => ({ list: names(count).map((name) => `${"a".repeat(20_000)}${name}`) });
const map: Given = (count) => {
  const object = Object.fromEntries(names(count).map((name) => [name, 1]));
  return { map: object, other: { ...object } };
};
/** A text that is compared with as many as are as long. */
const wanted: Given = (count) => ({ text: "a".repeat(100), list: same(count, `${"a".repeat(99)}b`) });
/** An object within an object, so many times. */
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { same: nested(depth - 1) });
const listOf =
  (item: string | number): Given =>
  (count) => ({ list: same(count, item) });
/** Patterns that nobody has asked for before, so that they must be read. */
let patterns = 0;
const pattern: Given = (count) => ({ pattern: `(${"x".repeat(count)}|${patterns++})+` });
/** Days that the clock of a zone was not asked for before, by whatever test: they are far off. */
let days = 40_000;
const instants: Given = (count) => ({ list: same(count, 0).map(() => (days += 2) * 86_400) });

function treeOf(text: string): Expression {
  const { tree, issues } = parse(text);
  if (tree === undefined) throw new Error(`${text}: ${issues[0]?.message}`);
  const checked = check(tree, policyEnvironment);
  if (checked.issues.length > 0) throw new Error(`${text}: ${checked.issues[0]?.message}`);
  return checked.tree;
}

/** Runs what draws, and answers what it drew; an error is no answer here, because it may come early. */
function drawnOnValue(run: () => Value | EvalError): number {
  const outcomes: (Value | EvalError)[] = [];
  const drawn = spentOn(() => outcomes.push(run()));
  for (const outcome of outcomes) if (outcome instanceof EvalError) throw new Error(outcome.message);
  return drawn;
}

const bindingsOf =
  (attr: JsonObject): Bindings =>
  (name) =>
    name === "R" ? { kind: "doc", id: "1", attr } : undefined;

function drawnByInterpreter(text: string, attributes: JsonObject): number {
  const tree = treeOf(text);
  return drawnOnValue(() => evaluate(tree, bindingsOf(attributes), context));
}

function drawnByClosure(text: string, attributes: JsonObject): number {
  const closure = compileToClosure(treeOf(text));
  return drawnOnValue(() => closure(bindingsOf(attributes), context));
}

/** The expression as generated code, in the condition of a rule. */
function ruleOf(text: string): (attributes: JsonObject) => number {
  const condition = `size([dyn(${text})]) == 1`;
  const rule = `- { actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: ${JSON.stringify(condition)} } } }`;
  const evaluator = evaluatorOf(resourcePolicy("doc", rule));
  const decide = (R: JsonObject): unknown => ask(evaluator, ["user"], "doc", ["view"], { R }).actions.get("view")?.effect;
  // The first time finds the way of a role, which is no part of it.
  decide({});
  return (attributes) => {
    const effects: unknown[] = [];
    const drawn = spentOn(() => effects.push(decide(attributes)));
    expect(effects).toEqual(["EFFECT_ALLOW"]);
    return drawn;
  };
}

/** What each one more draws, of twice as many. */
const growth = (count: number, drawn: (count: number) => number): number => (drawn(2 * count) - drawn(count)) / count;

describe("functions and operators, interpreted and as generated code: each one more", () => {
  test.each<[text: string, what: string, given: Given, least: number, count?: number]>([
    // Texts: a unit looks at eight letters, and makes one.
    ["size(R.attr.text)", "letter", letters, 1 / 8],
    ["size(R.attr.text)", "letter of two units", smiles, 5 / 4],
    ["R.attr.text.lowerAscii()", "letter", letters, 1 + 1 / 8],
    ["R.attr.text.charAt(size(R.attr.text) - 1)", "letter of two units", smiles, 3 + 1 / 4],
    ["R.attr.left == R.attr.right", "letter", texts, 1 / 32],
    ["R.attr.left < R.attr.right", "letter", texts, 1 / 32 + 1 / 2],
    ["R.attr.start < R.attr.left", "letter", texts, 1 / 32 + 1 / 2],
    ["R.attr.text.contains('b')", "letter", letters, 5 / 8],
    ["R.attr.text.lastIndexOf('b')", "letter", letters, 5 / 8 + 1 / 8],
    ["R.attr.text.contains('a letter that is nowhere')", "letter", letters, 1 / 2],
    ["R.attr.text.lastIndexOf('aaaaaaaaaaaaaaaaaaaa')", "letter", letters, 1 / 2 + 1 / 8],
    ["R.attr.text.contains(R.attr.part)", "letter of the part", part, 1 / 2 + 1 / 8],
    ["R.attr.text.split('a')", "part", letters, 33],
    ["strings.quote(R.attr.text)", "quote", quotes, 32 + 2],
    ["duration(R.attr.text)", "digit", zeros, 1 / 8],
    ["'%s'.format([R.attr.list])", "element", list, 32 + 6],
    // Bytes.
    ["bytes(R.attr.text)", "letter", letters, 4 + 1 + 1 / 8],
    ["string(bytes(R.attr.text))", "letter", letters, 2 * (4 + 1 + 1 / 8)],
    ["bytes(R.attr.left) < bytes(R.attr.right)", "letter", texts, 2 * (4 + 1 + 1 / 8) + 1 / 8],
    ["base64.encode(bytes(R.attr.text))", "letter", letters, 4 + 1 + 1 / 8 + 6 + 4 / 3],
    ["base64.decode(R.attr.text)", "four letters", fours, 4 * 6 + 3 + 4 / 8],
    ["json.encode(R.attr.list)", "element", list, 4 + 1 + 5],
    ["json.encode(R.attr.text)", "letter", letters, 1 + 2 / 8],
    // Lists: an element that is looked at, and one that is kept.
    ["R.attr.list.reverse()", "element", list, 32 + 1],
    ["R.attr.list.sort()", "element", list, 32 + 1 + 32 + 24],
    ["R.attr.list.distinct()", "element", list, 32 + 1 + 8],
    ["R.attr.list.map(x, [x]).flatten()", "element", list, 1 + 1 + 8 + 32],
    ["R.attr.list == R.attr.other", "element", list, 1],
    ["0 in R.attr.list", "element", list, 1 / 2],
    ["R.attr.text in R.attr.list", "element that is compared", wanted, 1 + 100 / 32],
    ["sets.contains(R.attr.list, R.attr.other)", "element", list, 18],
    ["sets.contains(R.attr.list, R.attr.list)", "long text", alike, 166],
    ["sets.contains(R.attr.list + [1], R.attr.list)", "long text", alike, 235],
    // Maps.
    ["size(R.attr.map)", "key", map, 4],
    ["R.attr.map == R.attr.other", "key", map, 2 * 4 + 16],
    ["R.attr.map.transformMap(k, v, v) == R.attr.other", "key", map, 64 + 1 + 4 + 24],
    ["R.attr.map.transformMap(k, v, v).all(k, true)", "key", map, 64 + 1 + 4 + 1],
    ["R.attr.map.all(k, k != '')", "key", map, 4 + 1],
    ["R.attr.list.transformMapEntry(k, v, {v: 1})", "huge key", huge, (26 * 625) / 4 + 625 + 64, 4],
    ["R.attr.list.transformMapEntry(k, v, {v: 1})", "key", listOfNames, 64 + 1],
    // Loops.
    ["R.attr.list.all(x, x > 0)", "turn", list, 1],
    ["R.attr.list.all(x, math.abs(x) > 0.0)", "call", list, 1 + 8],
    // Patterns.
    ["'a'.matches(R.attr.pattern)", "letter of a pattern", pattern, 100, 100],
    ["R.attr.text.matches('(a|b)+c')", "letter", letters, 3],
    ["regex.extractAll(R.attr.text, 'a')", "place", letters, 256 + 32 + 100, 100],
    ["pathMatch(R.attr.text, '*')", "letter", letters, 1 + 1 + 2 / 8],
    ["pathMatch('a', R.attr.text)", "letter of a pattern", letters, 4 + 1 + 5 / 8],
    ["pathMatch(R.attr.text, '*b*')", "letter", letters, 1 + 1 + 3 / 2 + 1 / 8],
    ["basePath(R.attr.text)", "element", slashes, 2 + 2 / 8],
    // What takes long, however short it is.
    ["hierarchy(R.attr.text).ancestorOf(hierarchy('a'))", "level", levels, 1 + 5 / 4 + 5 / 8],
    ["hierarchy(R.attr.list).ancestorOf(hierarchy('a'))", "level", listOfNames, 1 + 1],
    ["R.attr.list.all(x, isIP(x))", "address", listOf("fe80::1"), 1 + 8 + 128],
    ["R.attr.list.all(x, string(ip(x)) != '')", "address", listOf("fe80::1"), 1 + 8 + 128 + 8 + 128 + 64],
    ["R.attr.list.all(x, timestamp(int(x)).getHours('Europe/Berlin') >= 0)", "instant", instants, 2 * 1000, 100],
  ])("%s: %s", (text, _, given, least, count = 1000) => {
    const rule = ruleOf(text);
    expect(growth(count, (of) => rule(given(of)))).toBeGreaterThanOrEqual(least);
    expect(growth(count, (of) => drawnByInterpreter(text, given(of)))).toBeGreaterThanOrEqual(least);
  });
});

describe("nodes of an expression, interpreted and compiled to closures: each one more", () => {
  const repeated = (count: number, first: string, again: string, last = ""): string => first + again.repeat(count) + last;
  test.each<[what: string, text: (count: number) => string, interpreted: number, closure: number]>([
    ["call", (count) => repeated(count, "1", " + 1"), 6 + 6 + 8, 2 + 8],
    ["equality", (count) => repeated(count, "true", " == true"), 6 + 6 + 8, 2 + 8],
    ["selection", (count) => repeated(count, "R.attr", ".same"), 6, 2],
    ["choice", (count) => repeated(count, "", "false ? 1 : ", "2"), 6 + 6, 2],
    ["logic", (count) => repeated(count, "", "true && (false || (", `true${"))".repeat(count)}`), 4 * 6, 2 * 2],
    ["element of a list", (count) => repeated(count, "[1", ", 1", "]"), 6 + 32, 32],
    ["entry of a map", (count) => repeated(count, "{0: 0", ", 1: 1", "}"), 6 + 6 + 256, 6 + 6 + 256],
  ])("%s", (_, text, interpreted, closure) => {
    const attributes = nested(40);
    expect(growth(20, (of) => drawnByInterpreter(text(of), attributes))).toBeGreaterThanOrEqual(interpreted);
    expect(growth(20, (of) => drawnByClosure(text(of), attributes))).toBeGreaterThanOrEqual(closure);
  });
});

test.each<[text: string, what: string, given: Given, least: number]>([
  ["R.attr.list.all(x, true)", "turn", list, 6 + 1],
  ["R.attr.list.map(x, x)", "element", list, 6 + 1 + 32],
])("the interpreter's loops: %s: each %s more", (text, _, given, least) => {
  expect(growth(1000, (of) => drawnByInterpreter(text, given(of)))).toBeGreaterThanOrEqual(least);
});

test("saying which key may have been meant: each key more", () => {
  const drawn = (count: number): number => {
    const error = evaluate(treeOf("R.attr.map.nome"), bindingsOf(map(count)), context);
    return spentOn(() => expect(error instanceof EvalError && told(error)).toContain("no such key"));
  };
  // So many keys at most are compared with it.
  expect(growth(50, drawn)).toBeGreaterThanOrEqual(4 * 8);
});
