/** What the policies of a unit ask and remember by number: no answer and no value ever stands for another's. */
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../../runtime/sandbox/gate/index.ts";

/** A program of these declarations and policies: `$words` are its names, `$_` its constants, numbered as they come. */
function unit(declarations: readonly string[], ...policies: readonly string[]): string {
  const names = new Map<string, number>();
  let constants = 0;
  const body = `${declarations.join("\n")}\nreturn { scopes: [${policies.join(", ")}] };\n}\n`.replaceAll(/\$(\w+)/g, (_, word: string) => {
    if (word === "_") return `k${constants++}`;
    names.set(word, names.get(word) ?? names.size);
    return `n${names.get(word)}`;
  });
  return `(rt, k) => {\nconst [${Array.from({ length: constants }, (_, at) => `k${at}`).join(", ")}] = k;\n${body}`;
}

const is = (name: string, value: string): string => `const $${name} = (q) => ${value};`;
const lists = (name: string, ...asked: readonly string[]): string =>
  `const $${name} = (q, first) => rt.rolesAmong([\n${asked.map((each) => `q.holds(${each}) && $_,\n`).join("")}]);`;
const rows = (name: string, ...statements: readonly string[]): string =>
  `const $${name} = (q, action, roles, first) => {\nlet effect = rt.NONE;\n${statements.map((each) => `${each};\n`).join("")}return effect;\n};`;
const allows = (asked: string): string => `if (q.holds(${asked})) return rt.ALLOW`;
const policy = (decide: string, first: number, active?: string): string =>
  `[$_, { derivedRoles: ${active === undefined ? "rt.noRoles" : `$${active}`}, decide: $${decide}, first: ${first} }]`;

const loop = (name: string, turn: string): string =>
  `const $${name} = (q, $range) => {\nconst $items = rt.items($range);\nif ($items === undefined) return false;\nfor (let $at = 0; $at < $items.length; $at++) {\nconst $item = $items[$at];\nq.step();\nif (${turn}) return true;\n}\nreturn false;\n};`;

const plain = is("plain", "q.R === q.P");
const ofRoles = is("ofRoles", "rt.isIn(q.R, q.effectiveDerivedRoles)");
/** A condition that reads the variable that is made of derived roles. */
const reads = is("reads", "q.variable(0, $ofRoles) === true");

describe("admitted is", () => {
  test.each([
    [
      "a variable of two policies, each of which asks for itself",
      unit(
        [
          plain,
          is("one", "q.variable(0, $plain) === true"),
          rows("first", allows("first + 0, $one")),
          is("other", "q.variable(0, $plain) === false"),
          rows("second", allows("first + 0, $other")),
        ],
        policy("first", 0),
        policy("second", 1),
      ),
    ],
    [
      "a policy that has the functions of another, with their variable",
      unit(
        [plain, is("one", "q.variable(0, $plain) === true"), rows("both", allows("first + 0, $one"))],
        policy("both", 0),
        policy("both", 1),
      ),
    ],
    [
      "variables in the order in which they are read",
      unit(
        [
          plain,
          is("next", "q.variable(0, $plain)"),
          is("last", "q.variable(1, $next) === q.variable(0, $plain)"),
          rows("all", allows("first + 0, $last")),
        ],
        policy("all", 0),
      ),
    ],
    [
      "a condition that reads derived roles, asked by two policies under a number of each",
      unit([ofRoles, rows("both", allows("first + 0, $ofRoles"))], policy("both", 0), policy("both", 1)),
    ],
    [
      "a variable made of derived roles, of one policy",
      unit([ofRoles, reads, rows("all", allows("first + 0, $reads"), allows("first + 1, $reads"))], policy("all", 0)),
    ],
    [
      "one while roles are listed, and one of its own while they are matched",
      unit(
        [
          ofRoles,
          reads,
          lists("active", "first + 0, $reads"),
          is("again", "rt.isIn(q.R, q.effectiveDerivedRoles)"),
          is("matched", "q.variable(1, $again) === true"),
          rows("all", allows("first + 1, $matched")),
        ],
        policy("all", 0, "active"),
      ),
    ],
    [
      "a derived role that is listed and matched",
      unit([plain, lists("active", "first + 0, $plain"), rows("all", allows("first + 0, $plain"))], policy("all", 0, "active")),
    ],
    [
      "one condition under two numbers",
      unit([plain, rows("all", allows("first + 0, $plain"), allows("first + 1, $plain"))], policy("all", 0)),
    ],
    [
      "a condition that another policy asks under another number",
      unit(
        [plain, rows("one", allows("first + 0, $plain")), rows("other", allows("first + 1, $plain"))],
        policy("one", 0),
        policy("other", 1),
      ),
    ],
  ])("%s", (_what, program) => {
    expect(refusalOf(program)).toBeUndefined();
  });
});

describe("refused is", () => {
  const secondUse = "a second use of what was made of other derived roles and is kept";
  test.each([
    [
      "a number for two variables",
      unit(
        [
          plain,
          is("other", "true"),
          is("reader", "q.variable(0, $plain) === q.variable(0, $other)"),
          rows("all", allows("first + 0, $reader")),
        ],
        policy("all", 0),
      ),
      "the number 0 of a variable that has, or gets, the number 1",
    ],
    [
      "a number for the variables of two policies",
      unit(
        [
          plain,
          is("one", "q.variable(0, $plain) === true"),
          rows("first", allows("first + 0, $one")),
          is("other", "true"),
          is("two", "q.variable(0, $other) === true"),
          rows("second", allows("first + 0, $two")),
        ],
        policy("first", 0),
        policy("second", 1),
      ),
      "the number 0 of a variable that has, or gets, the number 1",
    ],
    [
      "a variable with two numbers",
      unit(
        [plain, is("reader", "q.variable(0, $plain) === q.variable(1, $plain)"), rows("all", allows("first + 0, $reader"))],
        policy("all", 0),
      ),
      "the number 1 of a variable that has, or gets, the number 0",
    ],
    [
      "a variable's number out of turn",
      unit([plain, is("reader", "q.variable(1, $plain)"), rows("all", allows("first + 0, $reader"))], policy("all", 0)),
      "the number 1 of a variable that has, or gets, the number 0",
    ],
    [
      "a variable made of derived roles, which two policies read",
      unit(
        [ofRoles, reads, rows("one", allows("first + 0, $reads")), rows("other", allows("first + 1, $reads"))],
        policy("one", 0),
        policy("other", 1),
      ),
      secondUse,
    ],
    [
      "one that is read in other words",
      unit(
        [
          ofRoles,
          reads,
          rows("one", allows("first + 0, $reads")),
          is("again", "q.variable(0, $ofRoles) === false"),
          rows("other", allows("first + 0, $again")),
        ],
        policy("one", 0),
        policy("other", 1),
      ),
      secondUse,
    ],
    [
      "one that another variable is made of",
      unit(
        [
          ofRoles,
          is("next", "q.variable(0, $ofRoles)"),
          is("one", "q.variable(1, $next) === true"),
          rows("first", allows("first + 0, $one")),
          is("two", "q.variable(1, $next) === false"),
          rows("second", allows("first + 0, $two")),
        ],
        policy("first", 0),
        policy("second", 1),
      ),
      secondUse,
    ],
    [
      "one that a loop reads",
      unit(
        [
          ofRoles,
          loop("loop", "q.variable(0, $ofRoles) === $item"),
          is("one", "$loop(q, q.R)"),
          rows("first", allows("first + 0, $one")),
          is("two", "$loop(q, q.P)"),
          rows("second", allows("first + 0, $two")),
        ],
        policy("first", 0),
        policy("second", 1),
      ),
      secondUse,
    ],
    [
      "one that reads the roles in a loop",
      unit(
        [
          loop("loop", "rt.isIn($item, q.effectiveDerivedRoles)"),
          is("kept", "$loop(q, q.R)"),
          is("one", "q.variable(0, $kept) === true"),
          lists("active", "first + 0, $one"),
          rows("all", allows("first + 1, $one")),
        ],
        policy("all", 0, "active"),
      ),
      secondUse,
    ],
    [
      "one that two policies tell",
      unit(
        [
          ofRoles,
          reads,
          rows("one", "q.output(first + 0, $_, action, $reads, 1)"),
          rows("other", "q.output(first + 1, $_, action, $reads, 1)"),
        ],
        policy("one", 0),
        policy("other", 1),
      ),
      secondUse,
    ],
    [
      "one that is read while roles are listed and while they are matched",
      unit([ofRoles, reads, lists("active", "first + 0, $reads"), rows("all", allows("first + 1, $reads"))], policy("all", 0, "active")),
      secondUse,
    ],
    [
      "one made of the record that holds the roles",
      unit(
        [is("ofRoles", 'q.record("runtime")'), reads, lists("active", "first + 0, $reads"), rows("all", allows("first + 1, $reads"))],
        policy("all", 0, "active"),
      ),
      secondUse,
    ],
    [
      "one of a function that two policies have",
      unit([ofRoles, reads, rows("both", allows("first + 0, $reads"))], policy("both", 0), policy("both", 1)),
      "a second policy with a function that keeps what it makes of derived roles",
    ],
    [
      "one of a list of roles that two policies have",
      unit([ofRoles, reads, lists("active", "first + 0, $reads"), rows("both")], policy("both", 0, "active"), policy("both", 1, "active")),
      "a second policy with a function that keeps what it makes of derived roles",
    ],
    [
      "one number for two conditions",
      unit([plain, is("other", "true"), rows("all", allows("first + 0, $plain"), allows("first + 0, $other"))], policy("all", 0)),
      "question 0 behind another that has the same number",
    ],
    [
      "one number for a condition and a mark",
      unit([plain, rows("all", "q.consider(first + 0)", allows("first + 0, $plain"))], policy("all", 0)),
      "question 0 behind another",
    ],
    [
      "one number for a condition and an output",
      unit([plain, rows("all", allows("first + 0, $plain"), "q.output(first + 0, $_, action, $plain, 1)")], policy("all", 0)),
      "question 0 behind another",
    ],
    [
      "one number for two derived roles that are listed",
      unit(
        [plain, is("other", "true"), lists("active", "first + 0, $plain", "first + 0, $other"), rows("all")],
        policy("all", 0, "active"),
      ),
      "question 0 behind another",
    ],
    [
      "a rule that is asked under the number of a derived role",
      unit(
        [plain, is("other", "true"), lists("active", "first + 0, $plain"), rows("all", allows("first + 0, $other"))],
        policy("all", 0, "active"),
      ),
      "question 0 of rows, which may have another answer while derived roles are listed",
    ],
    [
      "a mark under the number of a derived role",
      unit([plain, lists("active", "first + 0, $plain"), rows("all", "q.consider(first + 0)")], policy("all", 0, "active")),
      "question 0 of rows, which may have another answer",
    ],
    [
      "an output under the number of a derived role",
      unit(
        [plain, lists("active", "first + 0, $plain"), rows("all", "q.output(first + 0, $_, action, $plain, 1)")],
        policy("all", 0, "active"),
      ),
      "question 0 of rows, which may have another answer",
    ],
    [
      "a condition that reads derived roles, asked while they are listed and then again",
      unit([ofRoles, lists("active", "first + 0, $ofRoles"), rows("all", allows("first + 0, $ofRoles"))], policy("all", 0, "active")),
      "question 0 of rows, which may have another answer",
    ],
  ])("%s", (_what, program, why) => {
    expect(refusalOf(program)).toContain(why);
  });
});
