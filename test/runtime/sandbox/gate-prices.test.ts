/** What a program costs, found out by reading it: what it makes and keeps, what it calls, and how much text an action runs through. */
import { describe, expect, test } from "vitest";
import type { Prices } from "../../../runtime/decide/prices.ts";
import { readProgram } from "../../../runtime/sandbox/gate/index.ts";
import { allocationWork } from "../../../runtime/sandbox/gate/cost.ts";

/** A program: declarations that `$words` name, and the statements of the rows of its only policy; `$_` are its constants. */
function pricesOf(declarations: string, statements: string): Prices {
  const names = new Map<string, number>();
  let constants = 0;
  const body = `${declarations}const $rows = (q, action, roles, first) => {\nlet effect = rt.NONE;\n${statements}return effect;\n};\nreturn { scopes: [[$_, { derivedRoles: rt.noRoles, decide: $rows, first: 0 }]] };\n}\n`;
  const numbered = body.replaceAll(/\$(\w+)/g, (_, word: string) => {
    if (word === "_") return `k${constants++}`;
    names.set(word, names.get(word) ?? names.size);
    return `n${names.get(word)}`;
  });
  const read = readProgram(`(rt, k) => {\nconst [${Array.from({ length: constants }, (_, at) => `k${at}`).join(", ")}] = k;\n${numbered}`);
  if (typeof read === "string") throw new Error(read);
  return read.prices;
}

const asked = "if (q.holds(first + 0, $condition)) return rt.ALLOW;\n";
const condition = (expression: string): string => `const $condition = (q) => ${expression};\n`;
const loop = (turn: string): string =>
  `const $loop = (q, $range) => {\nconst $items = rt.items($range);\nif ($items === undefined) return undefined;\nconst $made = [];\nfor (let $at = 0; $at < $items.length; $at++) {\nconst $item = $items[$at];\nq.step();\n${turn}}\nreturn $made;\n};\n`;
const list = loop("$made.push($item);\n");

describe("what a condition allocates", () => {
  test.each<[what: string, declarations: string, keeps: number]>([
    ["a list, with its elements", condition("rt.list([q.R, q.P])"), allocationWork.list + 2 * allocationWork.element],
    ["a list that is compared", condition("[q.R] === q.R"), allocationWork.list + allocationWork.element],
    ["two lists, one after the other", condition("[] === q.R || [] === q.P"), 2 * allocationWork.list],
    ["a map, with its pairs", condition("rt.mapOf([[q.R, q.P]])"), allocationWork.list + allocationWork.row + allocationWork.map],
    ["a list that a call makes", condition("rt.filter(q, q.R, ($one) => true)"), allocationWork.growing + allocationWork.element],
    ["a list that a loop makes", list + condition("$loop(q, q.R)"), allocationWork.growing + allocationWork.element],
    [
      "two of them, one within the other",
      list + condition("$loop(q, $loop(q, q.R))"),
      2 * (allocationWork.growing + allocationWork.element),
    ],
  ])("%s", (_what, declarations, keeps) => {
    const { conditions, loading } = pricesOf(declarations, asked);
    expect(conditions?.map((weight) => weight.allocates)).toEqual([keeps]);
    // Whatever a program says, it says before anything of it is asked.
    expect(loading.allocates).toBeGreaterThanOrEqual(keeps);
  });

  test("nothing, where nothing is made", () => {
    expect(pricesOf(condition("q.R === q.P"), asked)).toMatchObject({ loopStep: { length: 1, allocates: 0 }, loading: { allocates: 0 } });
    expect(pricesOf(condition("q.R === q.P"), asked).conditions).toBeUndefined();
  });
});

describe("what an iteration allocates", () => {
  test.each<[what: string, declarations: string, keeps: number]>([
    ["an element of the list that grows", list + condition("$loop(q, q.R)"), allocationWork.element],
    ["two of them", loop("$made.push($item);\n$made.push($item);\n") + condition("$loop(q, q.R)"), 2 * allocationWork.element],
    ["what is made in it", loop("$made.push([]);\n") + condition("$loop(q, q.R)"), allocationWork.element + allocationWork.list],
    ["an element that a call keeps", condition("rt.filter(q, q.R, ($one) => true)"), allocationWork.element],
    ["an element, and what it is made of", condition("rt.map(q, [q.R], ($one) => [])"), allocationWork.element + allocationWork.list],
    ["a pair that is sorted", condition("rt.sortBy(q, q.R, ($one) => $one)"), allocationWork.row],
  ])("%s", (_what, declarations, keeps) => {
    expect(pricesOf(declarations, asked).loopStep.allocates).toBe(keeps);
  });
});

test("a condition is as long as itself and all that it calls, as often as it calls it", () => {
  const long = `q.R === q.P${" && q.R === q.P".repeat(20)}`;
  const callee = `const $loop = (q, $range) => {\nconst $items = rt.items($range);\nif ($items === undefined) return false;\nfor (let $at = 0; $at < $items.length; $at++) {\nconst $item = $items[$at];\nq.step();\nif (${long}) return true;\n}\nreturn false;\n};\n`;
  const lengthOf = (expression: string): number => pricesOf(callee + condition(expression), asked).conditions?.[0]?.length ?? 1;
  const [none, once, twice, thrice] = ["q.R", "$loop(q, q.R)", "$loop(q, $loop(q, q.R))", "$loop(q, $loop(q, $loop(q, q.R)))"].map(
    lengthOf,
  );
  expect([none, once]).toEqual([1, expect.any(Number)]);
  expect(once).toBeGreaterThan(long.length / 32);
  // To within what is rounded up.
  expect(Math.abs((thrice ?? 0) - (twice ?? 0) - ((twice ?? 0) - (once ?? 0)))).toBeLessThanOrEqual(1);
  expect((twice ?? 0) - (once ?? 0)).toBeGreaterThan(long.length / 32);
});

test("a condition weighs nothing of what others call", () => {
  const other = (name: string, expression: string): string => condition(expression).replace("$condition", `$${name}`);
  const declarations = list + other("first", "$loop(q, $loop(q, q.R))") + other("second", "$loop(q, q.R)") + other("third", "q.R");
  const statements = ["third", "second", "first"].map((name, at) => asked.replace("$condition", `$${name}`).replace("0", `${at}`)).join("");
  const { conditions } = pricesOf(declarations, statements);
  expect(conditions?.map(({ allocates }) => allocates)).toEqual(
    [0, 1, 2].map((times) => times * (allocationWork.growing + allocationWork.element)),
  );
  expect(conditions?.[1]).toEqual(pricesOf(list + condition("$loop(q, q.R)"), asked).conditions?.[0]);
});

test("a weight stands under the index of its question, and those before it weigh nothing", () => {
  const { conditions } = pricesOf(condition("[]"), "if (q.holds(first + 2, $condition)) return rt.ALLOW;\n");
  expect(conditions).toEqual([
    { length: 1, allocates: 0 },
    { length: 1, allocates: 0 },
    { length: 1, allocates: allocationWork.list },
  ]);
});

describe("what an action runs through", () => {
  const through = (statements: string, declarations = ""): number => pricesOf(declarations, statements).policies[0] ?? Number.NaN;
  const marks = "q.consider(first + 0);\nq.consider(first + 1);\nq.consider(first + 2);\n";
  const ways = (...all: readonly string[]): string => `switch (action) {\n${all.join("")}}\n`;
  const way = (statements: string): string => `case $_: {\n${statements}}\n`;
  const ends = "return effect;\n";
  const short = through(ways(way(ends), way(ends)));

  test("every name that it may be compared with", () => {
    expect(through(ways(`case $_:\n${way(ends)}`)) - through(ways(way(ends)))).toBe(8);
    expect(through(ways(`case $_:\ncase $_:\n${way(ends)}`)) - through(ways(way(ends)))).toBe(16);
  });

  test("but none where its name is looked up", () => {
    const map = "const $of = new Map($_);\n";
    const lookedUp = (cases: string): number => through(`switch ($of.get(action)) {\n${cases}}\n`, map);
    expect(lookedUp(`case 0:\ncase 1: {\n${ends}}\n`)).toBe(lookedUp(`case 0: {\n${ends}}\n`));
  });

  test.each<[which: string, statements: string, more: number]>([
    ["the longest way, where it stands first", ways(way(marks + ends), way(ends)), marks.length],
    ["the longest way, where it stands last", ways(way(ends), way(marks + ends)), marks.length],
    ["one way, where there are two that end", ways(way(marks + ends), way(marks + ends)), marks.length],
    // Without its end the first way is shorter by that, and longer by the second.
    ["both, where the first goes on with the second", ways(way(marks), way(marks + ends)), 2 * marks.length],
    ["both, where one without statements stands between them", ways(way(marks), way(""), way(marks + ends)), 2 * marks.length + 8],
    ["what stands behind all ways", ways(way(ends), way(ends)) + marks, marks.length],
  ])("%s", (_which, statements, more) => {
    expect(through(statements) - short).toBeGreaterThanOrEqual(more);
    expect(through(statements) - short).toBeLessThan(more + 8);
  });

  test("each entry again", () => {
    const entries = (count: string): number => through(`for (let $entry = ${count}; $entry > 0; $entry--) {\n${marks}}\n`);
    const once = entries("1");
    const again = entries("2") - once;
    expect(again).toBeGreaterThanOrEqual(marks.length);
    expect(again).toBeLessThan(marks.length + 8);
    expect(entries("3") - once).toBe(2 * again);
    expect(entries("0")).toBe(once);
    // The count is longer by eight characters, which are run through once.
    expect(entries("2 * 2 + 1") - once).toBe(4 * again + "2 * 2 + 1".length - "1".length);
  });
});
