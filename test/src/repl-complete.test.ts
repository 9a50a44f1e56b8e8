/** What the Tab key offers, and where an entry goes on. */
import { describe, expect, test } from "vitest";
import { complete } from "../../src/repl/complete.ts";
import { isIncomplete } from "../../src/repl/incomplete.ts";
import { int } from "../../runtime/cel/type.ts";
import { expenseRequest, stateOf } from "./repl-harness.ts";

const state = stateOf({
  request: expenseRequest,
  state: { names: new Map([["limit", { value: 5n, type: int }]]), globals: new Map([["home", "de"]]) },
});

describe("completion", () => {
  test.each([
    // before the cursor      typed       offered
    [":re", ":re", [":request", ":reset", ":resource"]],
    ["R.at", "at", ["attr"]],
    ["R.attr.am", "am", ["amount"]],
    ["1 + R.attr.ow", "ow", ["owner"]],
    ["[R.attr.", "", ["amount", "owner", "tags", "team"]],
    ["R . attr . t", "t", ["tags", "team", "transformList(", "transformMap(", "transformMapEntry("]],
    ["request.principal.r", "r", ["roles"]],
    ["lim", "lim", ["limit"]],
    ["G.", "", ["home"]],
    ["P.id.lowerA", "lowerA", ["lowerAscii("]],
    ['"abc".upp', "upp", ["upperAscii("]],
    ["[1, 2].exists_", "exists_", ["exists_one("]],
    ['R.attr["tags"].exists_', "exists_", ["exists_one("]],
    ["string(1).startsW", "startsW", ["startsWith("]],
    ["math.gr", "gr", ["greatest("]],
    ["timest", "timest", ["timestamp("]],
    ["cel", "cel", ["cel.bind("]],
    [":type R.attr.am", "am", ["amount"]],
    [":let R.attr.am", "am", ["amount"]],
    [":resource ", "", ["1", "2"]],
    [":functions startsW", "startsW", ["startsWith"]],
    [":help wh", "wh", ["why"]],
    ["nope.", "", []],
    [".", "", []],
    ["1 / 0 .", "", []],
    [":nope x", "x", []],
    ["R.attr.__pro", "__pro", []],
  ])("%s", (text, typed, offered) => {
    const found = complete(text, state, 0);
    expect({ typed: found.typed, candidates: found.candidates.slice(0, 6) }).toEqual({ typed, candidates: offered });
  });

  test("of a path, the files are asked for", () => {
    expect(complete(":load pol", state, 0)).toEqual({ typed: "pol", candidates: [], files: true });
  });
});

describe("an entry goes on while something is open", () => {
  test.each([
    ["1 + 1", false],
    ["(1", true],
    ["[1, {", true],
    ["[1, 2]]", false],
    ['"(["', false],
    ["'it\\'s' + (", true],
    ['"unclosed (', false],
    ['"""a', true],
    ['"""a"""', false],
    ["r'''a\\'''", false],
    ['b"\\""', false],
    ["(1 // )", true],
    ["(1 // )\n)", false],
    [":let x = {", true],
    [":type (", true],
    [":load (", false],
    [":nope (", false],
    ["f(a,\n  b", true],
  ])("%j: %j", (text, incomplete) => {
    expect(isIncomplete(text)).toBe(incomplete);
  });
});
