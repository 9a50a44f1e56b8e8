/** Programs whose text is odd: what a reader of it might overlook, or take for something else. */
import type { WholeAttack } from "../attack.ts";

const deciding = (statements: string, before = ""): string =>
  `(rt, k) => {\n${before}\nreturn { scopes: [["", { derivedRoles: (q) => [], decide: (q, action, matched) => { ${statements} }, first: 0 }]] };\n}`;
const reach = `return (void 0)["seen:" + (() => 0).constructor("return this")()];`;
const noFunction = "Function.prototype.constructor is not a valid constructor";

export const oddSyntax: readonly WholeAttack[] = [
  { it: "a hashbang before it", program: `#!/usr/bin/env node\n${deciding(reach)}`, comesTo: noFunction },
  { it: "an HTML comment", program: deciding(`<!-- a comment\n${reach}`), comesTo: "SyntaxError: Possible HTML comment rejected" },
  {
    it: "the end of an HTML comment",
    program: deciding(`\n--> a comment\n${reach}`),
    comesTo: "SyntaxError: Possible HTML comment rejected",
  },
  { it: "a comment that hides its end", program: deciding(`/* \\*/ ${reach} /* */`), comesTo: noFunction },
  { it: "a line comment that ends at a line separator", program: deciding(`// \u2028 ${reach}`), comesTo: noFunction },
  { it: "a line comment that ends at a carriage return", program: deciding(`// \r ${reach}`), comesTo: noFunction },
  { it: "a source URL that names a file of the host", program: `${deciding(reach)}\n//# sourceURL=node:fs`, comesTo: noFunction },
  {
    it: "a source map that somebody would fetch",
    program: `${deciding(reach)}\n//# sourceMappingURL=http://localhost:1/x`,
    comesTo: noFunction,
  },
  { it: "parentheses that close what is around it", program: `0); process.exit(1); (`, comesTo: "SyntaxError" },
  { it: "braces that close what is around it", program: `} finally { process } {`, comesTo: "SyntaxError" },
  {
    it: "a comma before the function",
    program: `(0, (0, eval)("this"), ${deciding("return rt.ALLOW;")})`,
    comesTo: /eval.{0,2} is not (?:a function|defined)/,
  },
  {
    it: "a second program behind the first",
    program: `${deciding("return rt.ALLOW;")}\n(() => 0).constructor("return this")()`,
    comesTo: "TypeError: Function.prototype.constructor is not a valid constructor.",
  },
  {
    it: "a function that is called at once",
    program: `(() => { let seen = 0; return ${deciding("seen += 1; return seen > 1 ? rt.ALLOW : rt.DENY;")}; })()`,
    comesTo: '"read":"EFFECT_DENY"',
  },
  {
    it: "a function with a name of its own",
    program: `function own(rt, k) { return own.caller; }`,
    comesTo: "Error: internal contradiction: a shape is the text of a factory",
  },
  {
    it: "an arrow function with a default that runs",
    program: `(rt, k, own = (() => 0).constructor("return this")()) => ({ scopes: [] })`,
    comesTo: noFunction,
  },
  {
    it: "a destructuring with a default that runs",
    program: `(rt, { length = (() => 0).constructor("return this")(), none = (() => 0).constructor("return this")() }) => ({ scopes: [] })`,
    comesTo: noFunction,
  },
  {
    it: "a computed name in a destructuring",
    program: deciding(`const { ["con" + "structor"]: own } = q.hasRole; return own("return this")();`),
    comesTo: noFunction,
  },
  { it: "a computed member", program: deciding(`return rt.equal["con" + "structor"]("return this")();`), comesTo: noFunction },
  { it: "a member by a name of the request", program: deciding(`return rt[q.R.name];`), comesTo: "EFFECT_DENY" },
  { it: "an optional chain", program: deciding(`return rt?.equal?.constructor?.("return this")?.();`), comesTo: noFunction },
  { it: "a name with an escape", program: deciding(String.raw`return rt.equal.c\u006fnstructor("return this")();`), comesTo: noFunction },
  {
    it: "a name with a code point's escape",
    program: deciding(String.raw`return rt.equal.\u{63}onstructor("return this")();`),
    comesTo: noFunction,
  },
  { it: "a name beyond ASCII that looks like another", program: deciding(`const \u0440 = 1; return \u0440;`), comesTo: "EFFECT_ALLOW" },
  { it: "a name with a joiner that nobody sees", program: deciding(`const a\u200db = 1; return a\u200db;`), comesTo: "EFFECT_ALLOW" },
  { it: "a space that is none", program: deciding(`return\u3000rt.ALLOW\ufeff;`), comesTo: "EFFECT_ALLOW" },
  {
    it: "text that is written the other way round",
    program: deciding(`return rt.ALLOW; /* \u202e ;YNED.tr nruter */`),
    comesTo: "EFFECT_ALLOW",
  },
  { it: "a numeric separator", program: deciding(`return 1_0 === 10 ? rt.ALLOW : rt.DENY;`), comesTo: "EFFECT_ALLOW" },
  { it: "an octal number", program: deciding(`return 010;`), comesTo: "SyntaxError" },
  { it: "an octal escape", program: deciding(String.raw`return "\101";`), comesTo: "SyntaxError" },
  { it: "a number that is called", program: deciding(`return 1..constructor.constructor("return this")();`), comesTo: noFunction },
  { it: "a regular expression literal", program: deciding(`return /a/.constructor.constructor("return this")();`), comesTo: noFunction },
  {
    it: "a regular expression that looks like a division",
    program: deciding(`let own = 1, g = 1; return own /g/ own.constructor.constructor("return this")() / 1;`),
    comesTo: noFunction,
  },
  { it: "a template", program: deciding('return `${(() => 0).constructor("return this")()}`;'), comesTo: noFunction },
  { it: "a template in a template", program: deciding('return `${`${(() => 0).constructor("return this")()}`}`;'), comesTo: noFunction },
  {
    it: "a tag, and the texts it keeps",
    program: deciding("const tag = (texts) => { texts.raw.push(1); return texts; }; return tag`a`;"),
    comesTo: "not extensible",
  },
  { it: "a with statement", program: deciding(`with (q) { ${reach} }`), comesTo: "SyntaxError" },
  { it: "an async iteration", program: deciding(`for await (const own of []) ${reach}`), comesTo: "SyntaxError" },
  { it: "await at the top", program: `await (rt, k) => 1`, comesTo: "SyntaxError" },
  { it: "a label, and a way out of a function", program: deciding(`own: for (;;) { (() => { break own; })(); }`), comesTo: "SyntaxError" },
  { it: "a label named as a word of the language", program: deciding(`yield: for (;;) break yield;`), comesTo: "SyntaxError" },
  {
    it: "a label, and a loop that goes on",
    program: deciding(`let n = 0; own: for (;;) { for (;;) { n += 1; if (n > 5) break own; continue own; } } return rt.ALLOW;`),
    comesTo: "EFFECT_ALLOW",
  },
  {
    it: "a private name",
    program: deciding(`class Own { #own = 1; static has(of) { return #own in of; } } return Own.has(q) ? rt.ALLOW : rt.DENY;`),
    comesTo: "EFFECT_DENY",
  },
  {
    it: "a private name stamped on the query, by a constructor that returns it",
    program: deciding(
      `class Base { constructor(of) { return of; } } class Stamp extends Base { #own = 1; static has(of) { return #own in of; } } new Stamp(rt.bare); return Stamp.has(rt.bare) ? rt.ALLOW : rt.DENY;`,
    ),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "a static block of a class",
    program: deciding(`class Own { static { (() => 0).constructor("return this")(); } }`),
    comesTo: noFunction,
  },
  {
    it: "a getter in a literal that runs when it is spread",
    program: deciding(`return { ...{ get own() { return (() => 0).constructor("return this")(); } } };`),
    comesTo: noFunction,
  },
  {
    it: "a generator behind a method's star",
    program: deciding(`return { *own() { yield (() => 0).constructor("return this")(); } }.own().next();`),
    comesTo: noFunction,
  },
  { it: "__proto__ in a literal", program: deciding(`return { __proto__: null, __proto__: rt }.equal;`), comesTo: "SyntaxError" },
  {
    it: "__proto__ of a literal set to the query",
    program: deciding(`const own = { __proto__: q, hasRole: () => true }; return own.holds(0, () => true) ? rt.ALLOW : rt.DENY;`),
    comesTo: "TypeError: Cannot read private member #environment from an object whose class did not declare it",
  },
  { it: "a delete", program: deciding(`delete rt.equal; return rt.ALLOW;`), comesTo: "Cannot delete" },
  { it: "a debugger statement", program: deciding(`debugger; return rt.ALLOW;`), comesTo: "EFFECT_ALLOW" },
  {
    it: "a directive that is none",
    program: deciding(`"use sloppy"; "use no strict"; return (function () { return this; })() ? rt.ALLOW : rt.DENY;`),
    comesTo: "EFFECT_DENY",
  },
  {
    it: "a function in a block, as sloppy text hoists it",
    program: deciding(`{ function own() {} } return typeof own === "function" ? rt.ALLOW : rt.DENY;`),
    comesTo: "EFFECT_DENY",
  },
  {
    it: "names that are reserved, as variables",
    program: deciding(`let let_ = 1; var undefined = 1; return undefined;`),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  { it: "a variable named arguments", program: deciding(`const arguments = 1; return arguments;`), comesTo: "SyntaxError" },
  { it: "statements without their ends", program: deciding(`const own = rt.ALLOW\nreturn own\n`), comesTo: "EFFECT_ALLOW" },
  { it: "a return that ends before its value", program: deciding(`return\nrt.ALLOW;`), comesTo: "EFFECT_DENY" },
  { it: "a catch without a name", program: deciding(`try { throw 1; } catch { ${reach} }`), comesTo: noFunction },
  {
    it: "a finally that overrides what was thrown",
    program: deciding(`try { q.output(0, "s", action, () => 1, 1 / 0); } finally { return rt.ALLOW; }`),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  { it: "a program of nothing", program: ``, comesTo: '"code":13' },
  { it: "a program with a zero character", program: `${deciding("return rt.ALLOW;")}\u0000`, comesTo: "SyntaxError" },
  {
    it: "a program with half a character",
    program: deciding('return "\ud800" ? rt.ALLOW : rt.DENY;'),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  { it: "a byte order mark before it", program: `\ufeff${deciding("return rt.ALLOW;")}`, comesTo: '"read":"EFFECT_ALLOW"' },
];
