/** Programs that remember: what one decision was asked shall not be told to another, nor one unit speak to the next. */
import type { WholeAttack } from "../attack.ts";

const deciding = (statements: string, before = ""): string =>
  `(rt, k) => {\n${before}\nreturn { scopes: [["", { derivedRoles: (q) => [], decide: (q, action, matched) => { ${statements} }, first: 0 }]] };\n}`;

const allowed = '"read":"EFFECT_ALLOW"';
const denied = '"read":"EFFECT_DENY"';

// Behind the compartment's wall alone a unit may remember for itself what it was asked: that it may not is the gate's to say.
export const keepState: readonly WholeAttack[] = [
  {
    it: "a counter between decisions",
    program: deciding(`count += 1; return count > 1 ? rt.DENY : rt.ALLOW;`, "let count = 0;"),
    comesTo: allowed,
  },
  {
    it: "a clock made of a counter",
    program: deciding(`let n = 0; while (n < 1e6) n += 1; return n === 1e6 ? rt.ALLOW : rt.DENY;`),
    comesTo: allowed,
  },
  {
    it: "the answer for another principal, kept",
    program: deciding(
      `const before = last; last = q.principal.id; return before === void 0 || before === q.principal.id ? rt.NONE : rt.ALLOW;`,
      "let last;",
    ),
    comesTo: denied,
  },
  {
    it: "the attributes of another principal, told in an output",
    program: deciding(`q.output(0, "src", action, () => kept.length, 1); kept.push(q.P); return rt.NONE;`, "const kept = [];"),
    comesTo: '"val":0',
  },
  {
    it: "the query of another decision, kept and told something",
    program: deciding(`if (kept) kept.output(0, "late", action, () => "late", 1); kept = q; return rt.NONE;`, "let kept;"),
    comesTo: denied,
  },
  {
    it: "the query of another decision, asked about its principal",
    program: deciding(
      `const before = kept; kept = q; return before !== void 0 && before.hasRole(["user"]) ? rt.DENY : rt.NONE;`,
      "let kept;",
    ),
    comesTo: denied,
  },
  {
    it: "a word left on a helper for another unit",
    program: deciding(`rt.list.word = "left"; return rt.ALLOW;`),
    comesTo: "not extensible",
  },
  {
    it: "a word left on a callback that a helper keeps",
    program: deciding(
      `const of = rt.functionNamed("size", true, 1); of.word = "left"; return rt.functionNamed("size", true, 1).word === void 0 ? rt.ALLOW : rt.DENY;`,
    ),
    comesTo: allowed,
  },
  {
    it: "a word left in the registry of symbols",
    program: deciding(`
const S = ({}).constructor.getOwnPropertySymbols([].__proto__)[0].constructor; const own = S.for("word"); return own === S.for("word") && S.keyFor(own) === "word" ? rt.ALLOW : rt.DENY;`),
    comesTo: allowed,
  },
  {
    it: "a word left on the texts of a template",
    program: deciding("const tag = (texts) => texts; const own = tag`a`; own.word = 1; return rt.ALLOW;"),
    comesTo: "not extensible",
  },
  {
    it: "a word left on a function's prototype, shared by the units of one shape",
    program: `(() => { const shared = {}; return (rt, k) => ({ scopes: [["", { derivedRoles: (q) => [], decide: (q) => { shared[q.principal.id] = 1; return ({}).constructor.keys(shared).length > 1 ? rt.DENY : rt.ALLOW; }, first: 0 }]] }); })()`,
    comesTo: allowed,
  },
  {
    it: "what was remembered of a condition, asked under its number",
    program: deciding(`q.holds(0, () => true); return q.holds(0, () => false) ? rt.ALLOW : rt.DENY;`),
    comesTo: allowed,
  },
  {
    it: "a variable of another unit, by its number",
    program: deciding(`return q.variable(0, () => void 0) === void 0 && q.variable(1, () => 1) === 1 ? rt.ALLOW : rt.DENY;`),
    comesTo: allowed,
  },
  {
    it: "a condition that answers otherwise the second time",
    program: deciding(`return q.holds(31, () => (n += 1) === 1) && q.holds(31, () => false) ? rt.ALLOW : rt.DENY;`, "let n = 0;"),
    comesTo: allowed,
  },
];
