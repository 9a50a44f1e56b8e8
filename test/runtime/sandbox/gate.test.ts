/** Which program texts are admitted, and which refused, with the place and the reason. */
import { describe, expect, test } from "vitest";
import { maxCharacters, maxDepth, maxQuestions } from "../../../runtime/sandbox/gate/bounds.ts";
import { refusalOf } from "../../../runtime/sandbox/gate/index.ts";
import { isRefused } from "../../../runtime/sandbox/gate/refusal.ts";

/** A program with these declarations, whose one policy lets nothing through. `after` counts the names before `n<after>`. */
const declaring = (declarations: string, constants = 0, names = 0): string => {
  const before =
    constants === 0 ? "" : `const [${Array.from({ length: constants }, (_, at) => `k${at}`).join(", ")}, k${constants}] = k;\n`;
  const head = before === "" ? "const [k0] = k;\n" : before;
  return `(rt, k) => {\n${head}${declarations}${declarations === "" ? "" : "\n"}const n${names} = (q, action, roles, first) => {\nlet effect = rt.NONE;\nreturn effect;\n};\nreturn { scopes: [[k${constants}, { derivedRoles: rt.noRoles, decide: n${names}, first: 0 }]] };\n}\n`;
};

/** A program with one condition, of so many constants. */
const asking = (condition: string, constants = 0): string => declaring(`const n0 = (q) => ${condition};`, constants, 1);

/** A program whose rows say this; n0 is a condition, n1 a mask, n2 a pattern. k0 to k2 are the mask's, the pattern's and the first that is left. */
const saying = (statements: string, constants = 2): string =>
  `(rt, k) => {\nconst [${Array.from({ length: constants + 1 }, (_, at) => `k${at}`).join(", ")}] = k;\nconst n0 = (q) => true;\nconst n1 = k0;\nconst n2 = rt.glob(k1);\nconst n3 = (q, action, roles, first) => {\nlet effect = rt.NONE;\n${statements}\nreturn effect;\n};\nreturn { scopes: [[k${constants}, { derivedRoles: rt.noRoles, decide: n3, first: 0 }]] };\n}\n`;

/** A program whose policies share their functions, which ask three questions at most, and begin to count at these. */
const sharing = (...firsts: readonly string[]): string =>
  `(rt, k) => {\nconst [k0, k1, ${firsts.map((_, at) => `k${at + 2}`).join(", ")}] = k;\nconst n0 = (q) => true;\nconst n1 = (q, first) => rt.rolesAmong([\nq.hasRole(k0) && q.holds(first + 2, n0) && k1,\n]);\nconst n2 = (q, action, roles, first) => {\nlet effect = rt.NONE;\nif (q.holds(first + 0, n0)) return rt.ALLOW;\nreturn effect;\n};\nreturn { scopes: [${firsts.map((first, at) => `[k${at + 2}, { derivedRoles: n1, decide: n2, first: ${first} }]`).join(", ")}] };\n}\n`;

const reader = (name: string, member = `.${name}`, guard = member): string =>
  `(of) => rt.bare${guard} === undefined && typeof of === "object" && of !== null ? of${member} : rt.get(of, "${name}")`;

const loop = (turn: string, { head = "q, n1", before = "", after = "false", step = "q.step();" } = {}): string =>
  declaring(
    `const n0 = (${head}) => {\nconst n2 = rt.items(n1);\nif (n2 === undefined) return false;\n${before}for (let n3 = 0; n3 < n2.length; n3++) {\nconst n4 = n2[n3];\n${step}\n${turn}\n}\nreturn ${after};\n};`,
    0,
    5,
  );

/** A loop over n1 that calls what it is handed as n2, and a condition. */
const calling = (condition: string, turn = "n2() === true"): string =>
  declaring(
    `const n0 = (q, n1, n2) => {\nconst n3 = rt.items(n1);\nif (n3 === undefined) return false;\nfor (let n4 = 0; n4 < n3.length; n4++) {\nconst n5 = n3[n4];\nq.step();\nif (${turn}) return true;\n}\nreturn false;\n};\nconst n6 = (q) => ${condition};`,
    0,
    condition.includes("n7") ? 8 : 7,
  );

describe("what the emitter writes passes", () => {
  test.each([
    ["a policy that says nothing", declaring("")],
    ["no constants, no policies", "(rt, k) => {\nreturn { scopes: [] };\n}\n"],
    ["a reader", declaring(`const n0 = ${reader("owner")};`, 0, 1)],
    ["a reader of a name that prototypes have", declaring(`const n0 = ${reader("constructor")};`, 0, 1)],
    ["a reader of a name that is no word", declaring(`const n0 = ${reader("two words", '["two words"]')};`, 0, 1)],
    ["a reader of a name that looks like one of ours", declaring(`const n0 = ${reader("n07")};`, 0, 1)],
    ["a read by name", asking('rt.get(q.R, "__proto__")')],
    ["a string of any content", asking('rt.get(q.R, "async \\x28\\u2028 \\x2f/ \\xe9 \\x2f\\x2f* /a !\'[]{}$")')],
    ["a comparison in place", asking('rt.get(q.P, "age") >= k0', 1)],
    ["logic, negation and a choice", asking('(!q.R === true || q.G !== undefined) && (typeof q.P === "object" ? true : false)')],
    ["a temporary", declaring("const n0 = (q) => {\nlet n1;\nreturn (n1 = q.R) !== undefined && n1 !== k0;\n};", 1, 2)],
    [
      "a temporary of a function within",
      declaring(
        "const n0 = (q) => {\nlet n1;\nreturn rt.some(q, (n1 = q.R), (n2) => {\nlet n1;\nreturn (n1 = n2) === true;\n});\n};",
        0,
        3,
      ),
    ],
    [
      "a binding",
      asking("rt.bind(() => q.R, (n1) => n1() === n1())").replaceAll("const n1 =", "const n2 =").replace("decide: n1", "decide: n2"),
    ],
    ["counts", asking("((rt.sizeOf(q.R) + k0) * rt.sizeOf(q.P, true)) < k1", 2)],
    ["a variable that fails", asking("rt.equal((q.R ?? null), null)")],
    [
      "a constant that needs a temporary",
      declaring("const n0 = (() => {\nlet n1;\nreturn ((n1 = k0) === true ? k1 : undefined);\n})();", 2, 2),
    ],
    ["a list of many numbers", declaring("const n0 = rt.listed(k0);\nconst n1 = (q) => n0.has(q.principal.id);", 1, 2)],
    ["a set and a map", declaring("const n0 = new Set(k0);\nconst n1 = new Map(k1);\nconst n2 = (q) => n0.has(q.principal.id);", 2, 3)],
    [
      "a function of the language",
      declaring(
        'const n0 = rt.functionNamed("now", false, 0);\nconst n1 = rt.functionNamed("matches", true, 2);\nconst n2 = (q) => n1(rt.load, n0(q), k0);',
        1,
        3,
      ),
    ],
    ["a loop", loop("if (n4 === true) return true;")],
    ["a loop that calls what it is handed", calling("rt.bind(() => q.R, (n7) => n0(q, q.P, n7))")],
    [
      "a loop that makes a list",
      declaring(
        "const n0 = (q, n1) => {\nconst n2 = rt.items(n1);\nif (n2 === undefined) return undefined;\nconst n3 = [];\nfor (let n4 = 0; n4 < n2.length; n4++) {\nconst n5 = n2[n4];\nq.step();\nif (!(n5 === true)) continue;\nconst n6 = n5;\nif (n6 === undefined) return undefined;\nn3.push(n6);\n}\nreturn n3;\n};",
        0,
        7,
      ),
    ],
    [
      "rows",
      saying(
        "if (roles & n1 && n2(action) && !q.holds(first + 0, n0)) return rt.DENY;\nq.consider(first + 1);\nif (roles[1] & n1) {\neffect = rt.ALLOW;\n} else {\nreturn rt.NONE;\n}",
      ),
    ],
    [
      "outputs",
      saying(
        "q.output(first + 0, k2, action, n0, 2 * rt.count(roles & n1));\nq.output(first + 0, k3, action, n0, 1 + (n2(action) ? 1 : 0));",
        4,
      ),
    ],
    [
      "a loop over entries",
      saying("for (let n4 = 1 + (n2(action) ? 1 : 0); n4 > 0; n4--) {\nif (q.holds(first + 0, n0)) return rt.DENY;\n}"),
    ],
    ["policies that share their functions", sharing("0", "3", "6")],
    ["questions that no function asks", sharing("0", "5")],
    [
      "a set as a test of an action",
      declaring(
        "const n0 = rt.listed(k0);\nconst n1 = (q, action, roles, first) => {\nlet effect = rt.NONE;\nif (n0.has(action)) return rt.ALLOW;\nreturn effect;\n};",
        1,
        2,
      ),
    ],
    ["ways by action", saying("switch (action) {\ncase k2:\ncase k3: {\nreturn rt.ALLOW;\n}\n}", 4)],
  ])("%s", (_what, program) => {
    expect(refusalOf(program)).toBeUndefined();
  });
});

describe("refused is", () => {
  test.each([
    // what is no such text at all
    ["nothing", "", "line 1, column 1: the end of the program where `(rt, k) => {` must stand"],
    ["a bare word", "process", "line 1, column 1: `process` where `(rt, k) => {` must stand"],
    ["text behind the program", `${declaring("")};`, "line 9, column 1: `;` where the end of the program must stand"],
    ["a program that breaks off", declaring("").slice(0, -6), "line 7, column 76: the end of the program where"],
    // characters
    ["a comment", asking("true /* why */"), "`/`"],
    ["a line comment", declaring("// why"), "`/`"],
    ["an HTML comment", asking("true <!-- why"), "`--`"],
    ["a regular expression", asking("/a/"), "`/`"],
    ["a template", asking("`a`"), "```"],
    ["single quotes", asking("rt.get(q.R, 'a')"), "`'`"],
    ["a letter beyond ASCII", asking("\u00e9"), "`\\u00e9`"],
    ["a line separator", asking("true\u2028"), "`\\u2028`"],
    ["a tabulator", asking("\ttrue"), "`\\u0009`"],
    ["a carriage return", asking("true\r"), "`\\u000d`"],
    ["a byte order mark", `\ufeff${declaring("")}`, "line 1, column 1: `\\ufeff`"],
    ["a null", asking("true\0"), "`\\u0000`"],
    ["an escape in a word", asking("r\\u0074.NONE"), "`r` where"],
    ["a hash", asking("#a"), "`#`"],
    ["a decorator's sign", asking("@a"), "`@`"],
    ["a statement without its end", declaring("const n0 = (q) => true", 0, 1), "the end of a line in the middle of a statement"],
    ["an answer on a line of its own", saying("return\nrt.ALLOW;"), "the end of a line in the middle of a statement"],
    ["more space than there is", asking("true  && true"), "more white space"],
    // strings
    ["a string with a parenthesis", asking('rt.get(q.R, "import(")'), "`(` in a string"],
    ["a string with a quote", asking('rt.get(q.R, "\\"")'), "an escape that is neither"],
    ["a string over two lines", asking('rt.get(q.R, "a\nb")'), "`\\u000a` in a string"],
    ["a string without an end", asking('rt.get(q.R, "a'), "in a string"],
    ["an octal escape", asking('rt.get(q.R, "\\101")'), "an escape that is neither"],
    ["an escape of a letter", asking('rt.get(q.R, "\\x61")'), "an escape of what need not be escaped"],
    ["an escape that is longer than need be", asking('rt.get(q.R, "\\u0028")'), "an escape that is neither"],
    ["an escape in capitals", asking('rt.get(q.R, "\\xE9")'), "an escape that is neither"],
    ["what opens a comment", asking('rt.get(q.R, "import //")'), "a comment's beginning in a string"],
    ["a code point's escape", asking('rt.get(q.R, "\\u{61}")'), "an escape that is neither"],
    ["a constant where a string must stand", asking("rt.get(q.R, k0)", 1), "`k0` where a string must stand"],
    ["the query where a string must stand", asking("rt.owns(q.R, q)"), "`q` where a string must stand"],
    ["a constant for the name of an overload", declaring("const n0 = rt.overload(k0);", 1, 1), "`k0` where a string must stand"],
    [
      "a reader of what a constant names",
      declaring("const n0 = (of) => rt.bare[k0] === undefined;", 1, 1),
      "`k0` where a string must stand",
    ],
    ["a string as data", asking('"a"'), '`"a"` where an expression must stand'],
    // numbers
    ["a number as data", asking("1"), "`1` where an expression must stand"],
    ["a fraction", asking("q.variable(0.5, n0)"), "`.` where `,` must stand"],
    ["a number in another notation", asking("q.variable(0x1, n0)"), "a number that goes on as a word"],
    ["a bigint", asking("q.variable(1n, n0)"), "a number that goes on as a word"],
    ["an index beyond all that was asked", saying("q.consider(first + 4294967295);"), "a number that the emitter does not write"],
    ["an index that is ahead of the text", saying("q.consider(first + 99999);"), "the number 99999 of a question, so early"],
    ["a number that starts with 0", asking("q.variable(00, n0)"), "a number that the emitter does not write"],
    // names
    ["a global", asking("globalThis"), "`globalThis` where"],
    ["a global that programs have", asking("Set"), "`Set` where"],
    [
      "another name of the runtime",
      asking('rt.constructor("return this")'),
      "`constructor` where a function of the runtime that makes data must stand",
    ],
    ["the runtime itself", asking("rt"), "`rt` where"],
    ["a member of the runtime as data", asking("rt.equal"), "`;` where `(` must stand"],
    ["a member that no program writes", asking("rt.uint(k0)", 1), "`uint` where"],
    ["a verdict as data", asking("rt.ALLOW"), "`ALLOW` where"],
    ["a member in brackets", asking('rt["equal"](q.R, q.R)'), "`rt` where"],
    ["the query itself", asking("q"), "`q` where"],
    ["a method of the query", asking("q.begin()"), "`begin` where"],
    ["a field of the query that is not for programs", asking("q.context"), "`context` where"],
    ["a record that is not there", asking('q.record("constructor")'), '`"constructor"` where'],
    ["a member of data", asking("q.R.owner"), "`.` where"],
    ["a member of data in brackets", asking('q.R["owner"]'), "`[` where `;` must stand"],
    ["a constant that is not declared", asking("k9"), "`k9` where `k0` must stand"],
    ["a constant behind the last", asking("k0").replace("[[k0", "[[k1"), "`k1` where what is no constant must stand"],
    ["a constant by another letter", asking("x0"), "`x0` where"],
    ["constants out of order", asking("k0 === k1", 2).replace("[k0, k1,", "[k1, k0,"), "`k1` where `k0` must stand"],
    ["a constant that is declared twice", declaring("", 1).replace("[k0, k1]", "[k0, k0]"), "`k0` where `k1` must stand"],
    ["a constant that takes the runtime's name", declaring("").replace("[k0]", "[rt]"), "`rt` where `k0` must stand"],
    ["a name where constants are declared", declaring("").replace("[k0]", "[n0]"), "`n0` where `k0` must stand"],
    [
      "a name in the place of the constant that has its number",
      declaring('const n0 = true;\nconst n1 = (q) => rt.get(q.R, "a").startsWith(n0);', 0, 2),
      "`n0` where `k0` must stand",
    ],
    ["a pattern that is no constant", declaring("const n0 = true;\nconst n1 = rt.glob(n0);", 0, 2), "`n0` where `k0` must stand"],
    ["a number where a constant must stand", asking('rt.get(q.R, "a").startsWith(0)'), "`0` where `k0` must stand"],
    ["a number for the name of an action", saying("switch (action) {\ncase 2: {\n}\n}", 3), "`2` where `k2` must stand"],
    ["words without a space", declaring("constn0 = true;", 0, 1), "`constn0` where"],
    ["a word that goes on", asking("undefinedn0"), "`undefinedn0` where"],
    ["a label that looks like a way", saying("switch (action) {\ncasek2: {\n}\n}", 3), "`casek2` where `}` must stand"],
    ["an answer and a name, run together", saying("returneffect;"), "`returneffect` where a statement must stand"],
    ["a constant twice", asking("k0 === k0", 1), "`k0` where `k1` must stand"],
    ["a constant that nobody uses", declaring("", 1).replace("[[k1", "[[k0"), "`k1`, which is declared and nowhere used"],
    ["a name that is not declared", asking("n7"), "`n7`, which is not declared before"],
    ["a name that is declared later", declaring("const n0 = (q) => n1;\nconst n1 = true;", 0, 2), "`n1`, which is not declared before"],
    ["a function that calls itself", loop("if (n0(q, n4)) return true;"), "`n0`, which is not declared before"],
    ["a condition that asks itself", asking("q.variable(0, n0)"), "`n0`, which is not declared before"],
    ["a name out of turn", declaring("const n1 = true;", 0, 1), "the name `n1` before `n0`"],
    ["a name declared twice", declaring("const n0 = true;\nconst n0 = true;", 0, 1), "`n0`, declared twice"],
    ["a parameter that is declared again", loop("if (n4 === true) return true;", { before: "let n1;\n" }), "`n1`, declared twice"],
    [
      "a name that is used before its function declares it",
      declaring("const n0 = true;\nconst n1 = (q) => {\nconst n2 = n0;\nlet n0;\nreturn n2;\n};", 0, 3),
      "`n0`, declared after its use",
    ],
    [
      "a name after its function",
      declaring("const n0 = (q) => rt.some(q, q.R, (n1) => true) && n1;", 0, 2),
      "`n1`, which is not declared before",
    ],
    ["a name with a zero in front", declaring("const n00 = true;", 0, 1), "a number that the emitter does not write"],
    ["a name of another form", declaring("const owner = true;", 0, 0), "`owner` where a name must stand"],
    ["`var`", declaring("var n0 = true;", 0, 1), "`var` where `return { scopes: [` must stand"],
    ["`let` outside of a function", declaring("let n0 = true;", 0, 1), "`let` where `return { scopes: [` must stand"],
    // functions
    ["an async function", declaring("const n0 = async (q) => true;", 0, 1), "`async` where"],
    ["a function with a name", declaring("const n0 = function (q) { return true; };", 0, 1), "`function` where"],
    ["a generator", asking("function* () {}"), "`function` where"],
    ["a class", declaring("class n0 {}", 0, 1), "`class` where"],
    ["a function as data", asking("(() => true)"), "`(` where an expression must stand"],
    ["a default value", declaring("const n0 = (q = rt) => true;", 0, 1), "`q` where"],
    ["parameters without end", declaring("const n0 = (...q) => true;", 0, 1), "`.` where"],
    ["a pattern as a parameter", asking("rt.some(q, q.R, ({ length }) => true)"), "`{` where a name must stand"],
    ["`arguments`", asking("arguments"), "`arguments` where"],
    ["`this`", asking("this"), "`this` where"],
    [
      "a loop when the unit is loaded",
      declaring("const n0 = rt.some(q, k0, (n1) => true);", 1, 2),
      "`q` where nothing that takes the query must stand",
    ],
    [
      "the query behind the function that has it",
      declaring("const n0 = (q) => true;\nconst n1 = q.R;", 0, 2),
      "`q` where nothing that takes",
    ],
    [
      "a glob as if it read an attribute",
      declaring("const n0 = rt.glob(k0);\nconst n1 = (q) => {\nconst n2 = n0(q.R);\nreturn n2;\n};", 1, 3),
      "`n0` as if it read an attribute",
    ],
    // calls
    ["data for what a loop calls", calling("n0(q, q.P, q.R)"), "`q` where a name must stand"],
    [
      "a name of data for what a loop calls",
      calling("rt.some(q, q.R, (n7) => n0(q, q.P, n7))"),
      "`n7` where a function without arguments must stand",
    ],
    ["what a loop calls, as data", calling("true", "n2() === n2"), "`)` where `()` must stand"],
    ["what is data to a loop, called", calling("true", "n2 === n2()"), "`(` where `)` must stand"],
    ["a call of data", declaring("const n0 = (q) => rt.some(q, q.R, (n1) => n1());", 0, 2), "`(` where `)` must stand"],
    [
      "a call of what a reader answers",
      declaring(`const n0 = ${reader("get")};\nconst n1 = (q) => n0(q.R)(q.R);`, 0, 2),
      "`(` where `;` must stand",
    ],
    ["a call with too few arguments", asking("rt.equal(q.R)"), "`)` where `,` must stand"],
    ["a call with too many arguments", asking("rt.not(q.R, q.R)"), "`,` where `)` must stand"],
    [
      "a function of the language with another number of arguments",
      declaring('const n0 = rt.functionNamed("now", false, 0);\nconst n1 = (q) => n0(q, q.R);', 0, 2),
      "`,` where `)` must stand",
    ],
    [
      "a reader that is handed about",
      declaring(`const n0 = ${reader("owner")};\nconst n1 = (q) => rt.equal(n0, n0);`, 0, 2),
      "`,` where `(` must stand",
    ],
    ["a condition called by its name", declaring("const n0 = (q) => true;\nconst n1 = (q) => n0(q);", 0, 2), "`n0` as if it were data"],
    ["a binding as data", declaring("const n0 = (q) => rt.bind(() => q.R, (n1) => n1);", 0, 2), "`)` where `()` must stand"],
    ["import", asking('import("node:fs")'), "`import` where"],
    ["import.meta", asking("import.meta"), "`import` where"],
    ["eval", asking('eval("1")'), "`eval` where"],
    ["new", asking("new Set(k0)", 1), "`new` where"],
    ["an optional call", asking("rt?.equal"), "`rt` where"],
    ["a tagged template", asking("rt.equal``"), "```"],
    ["a spread", asking("rt.list([...q.R])"), "`.` where"],
    // objects, and what changes things
    ["an object", asking("({})"), "`{` where an expression must stand"],
    ["an assignment to a member", saying("q.R = rt;"), "`q` where"],
    ["an assignment to a constant", declaring("const n0 = true;\nconst n1 = (q) => (n0 = true);", 0, 2), "`=` where `)` must stand"],
    [
      "an assignment to another function's variable",
      declaring("const n0 = (q) => {\nlet n1;\nreturn rt.some(q, (n1 = q.R), (n2) => (n1 = n2));\n};", 0, 3),
      "an assignment to `n1` of another function",
    ],
    ["an assignment to a parameter", asking("rt.some(q, q.R, (n1) => (n1 = true))"), "`=` where `)` must stand"],
    ["an increment", declaring("const n0 = (q) => {\nlet n1;\nreturn n1++;\n};", 0, 2), "`++` where `;` must stand"],
    ["delete", asking("delete q.R"), "`delete` where"],
    ["a comma", asking("(true, q.R)"), "`,` where `)` must stand"],
    ["a sum that may be of texts", asking("(q.R + q.R)"), "`+` where `)` must stand"],
    ["a sum of what is denied", asking("(!k0 + k1)", 2), "`+` where `)` must stand"],
    ["a sum of a test of text", asking("(k0.startsWith(k1) + k2)", 3), "`+` where `)` must stand"],
    ["a sum of what a function answers", declaring("const n0 = ((() => {\nreturn k0;\n})() + k1);", 2, 1), "`+` where `)` must stand"],
    [
      "a sum with what a function answers",
      declaring("const n0 = (k0 + (() => {\nreturn k1;\n})());", 2, 1),
      "`)` where `)` after a count must stand",
    ],
    ["a sum of a variable", declaring("const n0 = (q) => true;\nconst n1 = (q) => (q.variable(0, n0) + k0);", 1, 2), "`+` where"],
    ["a sum without parentheses", asking("k0 + k1", 2), "`+` where `;` must stand"],
    ["a comparison with another number than 0", asking("k0 < 5", 1), "`5` where `0` must stand"],
    ["a comparison of a comparison", asking("true === true === true"), "`===` where `;` must stand"],
    ["`??` beside `||`", asking("(true || true ?? null)"), "`??` where `)` must stand"],
    ["a power", asking("(k0 ** k1)", 2), "`*` where an expression must stand"],
    ["`in`", asking("(k0 in q.R)", 1), "`in` where `)` must stand"],
    ["`instanceof`", asking("q.R instanceof Set"), "`instanceof` where `;` must stand"],
    ["`typeof` of nothing that is compared", asking("typeof q.R"), "`;` where `===` or `!==` must stand"],
    ["`void`", asking("void 0"), "`void` where"],
    // readers
    ["a reader without its guard", declaring("const n0 = (of) => of.owner;", 0, 1), "`of` where `rt.bare` must stand"],
    [
      "a reader that is guarded for another name",
      declaring(`const n0 = ${reader("constructor", ".constructor", ".owner")};`, 0, 1),
      '`constructor` where `owner : rt.get(of, "owner")` must stand',
    ],
    ["a reader that asks by another name", declaring(`const n0 = ${reader("owner", ".constructor")};`, 0, 1), "must stand"],
    ["a reader of __proto__", declaring(`const n0 = ${reader("__proto__")};`, 0, 1), "the name of an attribute"],
    [
      "a reader of __proto__ in brackets",
      declaring(`const n0 = ${reader("__proto__", '["__proto__"]')};`, 0, 1),
      '`"__proto__"` where the name of an attribute that can be read in place must stand',
    ],
    [
      "a reader of __proto__ with an escape",
      declaring(`const n0 = ${reader("\\x5f_proto__", '["\\x5f_proto__"]')};`, 0, 1),
      "an escape of what need not be escaped",
    ],
    [
      "a reader of an element",
      declaring(`const n0 = ${reader("0", '["0"]')};`, 0, 1),
      '`"0"` where the name of an attribute that can be read in place must stand',
    ],
    // loops
    ["a loop without steps", loop("if (n4 === true) return true;", { step: "n4;" }), "`n4` where `q.step();` must stand"],
    ["a loop that steps elsewhere", loop("q.step();", { step: "if (n4 === true) continue;" }), "`if` where `q.step();` must stand"],
    ["`while`", saying("while (true) {\n}"), "`while` where a statement must stand"],
    ["a loop without end", saying("for (;;) {\n}"), "`;` where `let` must stand"],
    ["`do`", saying("do {\n} while (true);"), "`do` where a statement must stand"],
    ["a loop over nothing known", saying("for (let n4 of q.R) {\n}"), "`of` where `=` must stand"],
    [
      "a loop over entries within another",
      saying("for (let n4 = 2; n4 > 0; n4--) {\nfor (let n5 = 2; n5 > 0; n5--) {\n}\n}"),
      "a loop over entries within another",
    ],
    [
      "a loop over more entries than there can be",
      saying("for (let n4 = 99999999; n4 > 0; n4--) {\nq.consider(first + 0);\n}"),
      "loops over entries that come to more than a rule can have",
    ],
    [
      "the same by a product",
      saying("for (let n4 = 99999 * 9999; n4 > 0; n4--) {\nq.consider(first + 0);\n}"),
      "loops over entries that come to more than a rule can have",
    ],
    [
      "the same in parentheses",
      saying("for (let n4 = 2 * (99999 * (9999)); n4 > 0; n4--) {\nq.consider(first + 0);\n}"),
      "loops over entries that come to more than a rule can have",
    ],
    [
      "the same by a sum",
      saying("for (let n4 = 1 + 99999999; n4 > 0; n4--) {\nq.consider(first + 0);\n}"),
      "loops over entries that come to more than a rule can have",
    ],
    [
      "the same by loops one after the other",
      saying("for (let n4 = 1999999; n4 > 0; n4--) {\nq.consider(first + 0);\n}\n".repeat(2).trim()),
      "loops over entries that come to more than a rule can have",
    ],
    ["a loop that counts up", saying("for (let n4 = 2; n4 > 0; n4++) {\n}"), "`++` where `--) {` must stand"],
    ["a label", saying("a: q.consider(first + 0);"), "`a` where a statement must stand"],
    // statements
    ["`throw`", saying("throw rt;"), "`throw` where a statement must stand"],
    ["`try`", saying("try {\n} catch {\n}"), "`try` where a statement must stand"],
    ["`debugger`", saying("debugger;"), "`debugger` where a statement must stand"],
    ["`with`", saying("with (q) {\n}"), "`with` where a statement must stand"],
    ["a block by itself", saying("{\n}"), "`{` where a statement must stand"],
    ["an effect that is none", saying("return q;"), "`q` where `rt.NONE;` or `rt.ALLOW;` or `rt.DENY;` must stand"],
    ["an effect that is called", saying("return rt.ALLOW();"), "`rt` where `rt.NONE;` or"],
    [
      "a call of the listener",
      saying("q.hear(q, 0, k2, action, n0, 1);", 3),
      "where `q.holds(` or `q.consider(` or `q.output(` must stand",
    ],
    ["a condition as a test of an action", saying("if (n0(action)) return rt.ALLOW;"), "`n0` as if it were a test of an action"],
    ["data as a test", saying("if (n1) return rt.ALLOW;"), "`n1` as if it were a test of an action"],
    [
      "bits that are no constant",
      saying("if (roles & n1) return rt.ALLOW;").replace("const n1 = k0;", "const n1 = [k0];"),
      "`n1` as if it were the bits of patterns",
    ],
    ["the other bits", saying("if (kinds & n1) return rt.ALLOW;"), "`kinds` where a name must stand"],
    ["another answer", declaring("").replace("{ scopes: [", "{ then: rt, scopes: ["), "`then` where `scopes: [` must stand"],
    [
      "a condition where rows must answer",
      asking("true").replace("decide: n1", "decide: n0"),
      "`n0` as if it were the function that answers for rows",
    ],
    ["a question by its number in the unit", saying("q.consider(0);"), "`0` where `first +` must stand"],
    ["a mark of a question before", saying("q.consider(first - 1);"), "`-` where `+` must stand"],
    ["a question that a constant chooses", saying("q.consider(first + k2);", 3), "`k2` where a whole number must stand"],
    ["a question that another number chooses", saying("q.consider(first + first);"), "`first` where a whole number must stand"],
    ["a question further on", saying("q.consider(first + 0 + 1);"), "`+` where `);` must stand"],
    ["a question that is chosen", saying("if (q.holds((first + 0), n0)) return rt.ALLOW;"), "`(` where `first +` must stand"],
    ["the first question, set anew", saying("first = 1;"), "`first` where a statement must stand"],
    ["the first question as data", asking("first"), "`first` where"],
    [
      "a condition that is told the first question",
      declaring("const n0 = (q, first) => true;", 0, 1),
      "`true` where `rt.rolesAmong([` must stand",
    ],
    [
      "rows that are not told the first question",
      saying("").replace("roles, first", "roles"),
      "`)` where `, first) => { let effect =` must stand",
    ],
    ["the questions of the policy before", sharing("0", "2"), "a policy whose questions begin at 2, where those of another end at 3"],
    ["the same questions for two policies", sharing("4", "4"), "a policy whose questions begin at 4, where those of another end at 7"],
    ["questions that begin before all others", sharing("-1"), "`-` where a whole number must stand"],
    ["questions that begin where a constant says", sharing("k2"), "`k2` where a whole number must stand"],
    ["questions that begin nowhere", sharing("0").replace(", first: 0", ""), "`}` where `, first:` must stand"],
    [
      "more questions than a unit may have",
      sharing("0", String(maxQuestions - 2)),
      `question ${maxQuestions}, and a unit may have ${maxQuestions} at most`,
    ],
    ["a directive", declaring('"use asm";', 0, 0), '`"use asm"` where'],
  ])("%s", (_what, program, why) => {
    const refusal = refusalOf(program);
    expect(refusal).toContain(why);
    expect(refusal).toMatch(/^line \d+, column \d+: .+, which the program of a unit may not hold$/);
  });

  test("a program that is too long", () => {
    expect(refusalOf(" ".repeat(maxCharacters + 1))).toBe(
      `it has ${maxCharacters + 1} characters, and the program of a unit may have ${maxCharacters} at most`,
    );
  });

  test.each(["[", "(", "!(", "rt.not(", "rt.list([", "(true ? ", "rt.bind(() => "])("%s without end", (opening) => {
    // Which of the two comes first depends on the stack: a thread's is four times that of a process.
    const bound = `more than ${maxDepth} things within each other`;
    const room = "more things within each other than there is room to read";
    expect(refusalOf(asking(opening.repeat(100_000)))).toMatch(
      new RegExp(`^line 3, column \\d+: (${bound}|${room}), which the program of a unit may not hold$`),
    );
  });
});

test("a refusal shows nothing that could move a cursor, and not much", () => {
  expect(refusalOf(asking(`q.${"a".repeat(1000)}`))?.length).toBeLessThan(500);
  expect(refusalOf("\u001b[31m")).toBe("line 1, column 1: `\\u001b`, which the program of a unit may not hold");
});

// It would have no reason, and a program without a reason is admitted.
test.each([[new RangeError("Maximum call stack size exceeded")], ["refused"], [null], [undefined]])("no refusal is %s", (thrown) => {
  expect(isRefused(thrown)).toBe(false);
});
