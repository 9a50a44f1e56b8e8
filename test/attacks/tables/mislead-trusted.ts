/** Attacks on the trusted code of the realm that reads what a unit answers, throws, or tells. */
import type { WholeAttack } from "../attack.ts";

/** A program whose policy has these parts. */
const policy = (derivedRoles: string, decide: string, before = ""): string =>
  `(rt, k) => {\n${before}\nreturn { scopes: [["", { derivedRoles: (q) => { ${derivedRoles} }, decide: (q, action, matched) => { ${decide} }, first: 0 }]] };\n}`;
const deciding = (statements: string, before = ""): string => policy("return [];", statements, before);
const withRoles = (roles: string, before = ""): string => policy(`return ${roles};`, "return rt.ALLOW;", before);

const denied = '"read":"EFFECT_DENY"';
const allowed = '"read":"EFFECT_ALLOW"';
const failed = '"code":13';

/** What would end the list of roles and write another result for the others, if it was written as it is. */
const closing = String.raw`'"]}},{"resource":{"id":"9","kind":"note"},"actions":{"admin":"EFFECT_ALLOW"}}],"results":[{"x":{"y":["z'`;

export const misleadTrusted: readonly WholeAttack[] = [
  { it: "an effect that is an object with valueOf", program: deciding(`return { valueOf: () => rt.ALLOW };`), comesTo: denied },
  {
    it: "an effect that is an object with Symbol.toPrimitive",
    program: deciding(`
const S = ({}).constructor.getOwnPropertySymbols([].__proto__)[0].constructor; return { [S.toPrimitive]: () => rt.ALLOW };`),
    comesTo: denied,
  },
  { it: "an effect that is a text", program: deciding(`return "EFFECT_ALLOW";`), comesTo: denied },
  { it: "an effect that is a boxed number", program: deciding(`return ({}).constructor(rt.ALLOW);`), comesTo: denied },
  { it: "an effect that is almost the number", program: deciding(`return rt.ALLOW + 1e-15;`), comesTo: denied },
  { it: "an effect that is a big integer", program: deciding(`return 1n;`), comesTo: denied },
  { it: "an effect that is a thenable", program: deciding(`return { then(yes) { yes(rt.ALLOW); } };`), comesTo: denied },
  {
    it: "an effect that is a promise",
    program: deciding(`return (async () => rt.ALLOW)();`),
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  { it: "an effect that is a generator", program: deciding(`return (function* () { yield rt.ALLOW; })();`), comesTo: denied },
  {
    it: "a policy whose answer is a getter",
    program: `(rt, k) => ({ scopes: [["", { derivedRoles: (q) => [], get decide() { throw "no"; }, first: 0 }]] })`,
    comesTo: failed,
  },
  {
    it: "a policy whose answer changes each time it is read",
    program: `(rt, k) => { let n = 0; return { get scopes() { n += 1; return n % 2 ? [["", { derivedRoles: (q) => [], decide: () => rt.NONE, first: 0 }]] : 7; } }; }`,
    comesTo: '"read":"EFFECT_DENY"',
  },
  {
    it: "scopes that are an iterator without an end",
    program: `(rt, k) => ({ scopes: { get 0() { return { *[({}).constructor.getOwnPropertySymbols([].__proto__)[0]]() { for (;;) yield ""; } }; } } })`,
    comesTo: "Error: internal contradiction: a unit's program answers with a list of scopes",
  },
  { it: "scopes that are a function", program: `(rt, k) => () => rt.ALLOW`, comesTo: failed },
  { it: "no scopes at all", program: `(rt, k) => void 0`, comesTo: failed },
  {
    it: "another scope's name",
    program: `(rt, k) => ({ scopes: [["other", { derivedRoles: (q) => [], decide: () => rt.ALLOW, first: 0 }]] })`,
    comesTo: failed,
  },
  {
    it: "a scope's name that is an object",
    program: `(rt, k) => ({ scopes: [[{ toString: () => "" }, { derivedRoles: (q) => [], decide: () => rt.ALLOW, first: 0 }]] })`,
    comesTo: failed,
  },
  ...["-1", "0.5", "1 / 0", '"0"', "void 0", "{ valueOf: () => 0 }"].map((first) => ({
    it: `questions that begin at ${first}`,
    program: `(rt, k) => ({ scopes: [["", { derivedRoles: (q) => [], decide: () => rt.ALLOW, first: ${first} }]] })`,
    comesTo: failed,
  })),
  {
    it: "questions that begin somewhere else each time they are asked for",
    program: `(rt, k) => { let n = 0; return { scopes: [["", { derivedRoles: (q) => [], decide: (q, action, matched, first) => (first === 1 ? rt.NONE : rt.ALLOW), get first() { n += 1; return n; } }]] }; }`,
    comesTo: denied,
  },
  {
    it: "one number for two variables, so that the value of one is that of the other",
    program: deciding(`return q.variable(0, () => 1) === q.variable(0, () => 2) ? rt.ALLOW : rt.DENY;`),
    comesTo: allowed,
  },
  {
    it: "a rule that is asked while roles are listed, so that what it says then is what it says",
    program: policy(`q.holds(0, () => true); return [];`, `return q.holds(0, () => false) ? rt.ALLOW : rt.DENY;`),
    comesTo: denied,
  },
  { it: "a program that is no function", program: `({ scopes: [] })`, comesTo: failed },
  { it: "a program that is a class", program: `class { constructor() { return { scopes: [] }; } }`, comesTo: failed },
  { it: "a program that is a generator", program: `function* (rt, k) { yield rt; }`, comesTo: failed },
  { it: "derived roles that are no list", program: withRoles(`7`), comesTo: "Error: internal contradiction: derived roles are a list" },
  {
    it: "derived roles that are a text",
    program: withRoles(`"chief"`),
    comesTo: "Error: internal contradiction: derived roles are a list",
  },
  {
    it: "derived roles that are not there",
    program: withRoles(`void 0`),
    comesTo: "Error: internal contradiction: derived roles are a list",
  },
  {
    it: "derived roles that are objects with toJSON",
    program: withRoles(`[{ toJSON: () => "chief" }]`),
    comesTo: "Error: internal contradiction: a derived role is a text",
  },
  {
    it: "derived roles that are objects with toString",
    program: withRoles(`[{ toString: () => "chief" }, { toString: () => "another" }]`),
    comesTo: "Error: internal contradiction: a derived role is a text",
  },
  {
    it: "derived roles whose elements are getters that throw",
    program: withRoles(`({}).constructor.defineProperty([1], "0", { get() { throw 1; } })`),
    comesTo: "something that is not an error was thrown",
  },
  {
    it: "derived roles with a map of their own, to write into the answer",
    program: withRoles(`({}).constructor.assign([1], { map: () => ({ join: () => ${closing} }) })`),
    comesTo: "TypeError: Cannot assign to read only property 'map' of object '[object Array]'",
  },
  {
    it: "derived roles that are an object with a map of its own, to write into the answer",
    program: withRoles(`{ length: 1, map: () => ({ join: () => ${closing} }) }`),
    comesTo: "Error: internal contradiction: derived roles are a list",
  },
  {
    it: "derived roles with an iterator of their own",
    program: withRoles(
      `({}).constructor.assign(["a"], { [({}).constructor.getOwnPropertySymbols([].__proto__)[0]]: function* () { for (;;) yield "a"; } })`,
    ),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "derived roles that hold a line's end, to write for the host alone",
    program: withRoles(`["a\\n99 {}"]`),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "derived roles with a map that writes a line for the host alone",
    program: withRoles(
      `({}).constructor.assign([1], { map: () => ({ join: () => '"a"]}}],"x":1}\\n99 {"checkResources":{"inputs":[]}}\\n' }) })`,
    ),
    comesTo: "TypeError: Cannot assign to read only property 'map' of object '[object Array]'",
  },
  {
    it: "derived roles that are changed after they are answered",
    program: policy(
      `kept = ["a"]; return kept;`,
      `kept.push("chief"); kept.map = () => ({ join: () => ${closing} }); return rt.ALLOW;`,
      // Who reads them is told them before it decides.
      "let kept; const reads = (q) => q.effectiveDerivedRoles;",
    ),
    comesTo: "TypeError: Cannot assign to read only property 'map' of object '[object Array]'",
  },
  {
    it: "derived roles that are a list as long as lists can be",
    program: withRoles(`({}).constructor.assign([], { length: 4294967295 })`),
    comesTo: "derived roles are as many as a policy defines",
  },
  { it: "derived roles that are half a character", program: withRoles(`["\\ud800"]`), comesTo: allowed },
  {
    it: "a huge text for a role",
    program: withRoles(`["x".repeat(1 << 26)]`),
    comesTo: "the answer would be too large: ask about fewer resources, or by shorter names",
  },
  {
    it: "an output whose source is an object with toJSON",
    program: deciding(`q.output(0, { toJSON: () => ${closing} }, action, () => 1, 1); return rt.ALLOW;`),
    comesTo: "Error: internal contradiction: an output says in words where it comes from",
  },
  {
    it: "an output whose source has a line's end",
    program: deciding(`q.output(0, "a\\nb", action, () => 1, 1); return rt.ALLOW;`),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "an output that is not there",
    program: deciding(`q.output(0, void 0, void 0, () => 1, 1); return rt.ALLOW;`),
    comesTo: "Error: internal contradiction: an output says in words where it comes from",
  },
  {
    it: "an output told without end",
    program: deciding(`q.output(0, "src", action, () => 1, 1 / 0); return rt.ALLOW;`),
    comesTo: "costs too much",
  },
  {
    it: "an output told as often as an object says",
    program: deciding(`q.output(0, "src", action, () => 1, { valueOf: () => 1 / 0 }); return rt.ALLOW;`),
    comesTo: "costs too much",
  },
  {
    it: "an output that is a list of itself",
    program: deciding(`const own = []; own.push(own, own); q.output(0, "src", action, () => own, 1); return rt.ALLOW;`),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "an output whose list has an iterator of its own",
    program: deciding(
      `const own = [1]; own[({}).constructor.getOwnPropertySymbols([].__proto__)[0]] = function* () { const long = "x".repeat(65536); for (;;) yield long; }; q.output(0, "src", action, () => own, 1); return rt.ALLOW;`,
    ),
    comesTo: "costs too much",
  },
  {
    it: "an output that is a time that is none",
    program: deciding(
      `const own = ({}).constructor.create(q.context.now, { seconds: { value: { valueOf: () => { throw 1; } } } }); q.output(0, "src", action, () => own, 1); return rt.ALLOW;`,
    ),
    comesTo: "something that is not an error was thrown",
  },
  {
    it: "an output that is a record which answers with functions",
    program: deciding(
      `const M = q.record("request").constructor; q.output(0, "src", action, () => new M("x", () => () => 1, () => true, () => ["__proto__", "a"]), 1); return rt.ALLOW;`,
    ),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "an output's tree that is not there",
    program: deciding(`q.output(999, "src", action, () => void 0, 1); return rt.ALLOW;`),
    comesTo: failed,
  },
  {
    it: "a condition with an index without an end",
    program: deciding(`return q.holds(1 / 0, () => true) ? rt.ALLOW : rt.DENY;`, ""),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "a condition with an index that is an object",
    program: deciding(`return q.holds({ valueOf: () => -1 }, () => true) ? rt.ALLOW : rt.DENY;`),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "an error whose message is a getter",
    program: deciding(
      `let caught; try { (void 0).x; } catch (error) { caught = error; } throw ({}).constructor.create(caught, { message: { get() { throw q; } } });`,
    ),
    comesTo: "an error that cannot be read was thrown",
  },
  {
    it: "an error whose message is another each time",
    program: deciding(
      `let caught; try { (void 0).x; } catch (error) { caught = error; } let n = 0; throw ({}).constructor.create(caught, { message: { get() { n += 1; return n === 1 ? "one" : q; } } });`,
    ),
    comesTo: "one",
  },
  {
    it: "an error whose name is an object",
    program: deciding(
      `let caught; try { (void 0).x; } catch (error) { caught = error; } throw ({}).constructor.create(caught, { name: { value: { toString: () => "x" } } });`,
    ),
    comesTo: "an error without words was thrown",
  },
  {
    it: "an error whose message is huge",
    program: deciding(
      `let caught; try { (void 0).x; } catch (error) { caught = error; } throw ({}).constructor.create(caught, { message: { value: "x".repeat(1 << 26) } });`,
    ),
    comesTo: "xxxxx",
  },
  {
    it: "an error whose message would end the answer's line",
    program: deciding(`(void 0)['\\n1 {"checkResources":{}}\\n!["\\u001b[2J'];`),
    comesTo: failed,
  },
  {
    it: "an error that pretends to be one of ours, by its class",
    program: deciding(`let caught; try { rt.readingOf("none"); } catch (error) { caught = error; } throw caught;`),
    comesTo: "internal contradiction",
  },
  {
    it: "what ends a check that costs too much, thrown later by hand",
    program: deciding(`let caught; try { q.output(0, "s", action, () => 1, 1 / 0); } catch (trouble) { caught = trouble; } throw caught;`),
    comesTo: "costs too much",
  },
  {
    it: "what ends a check that costs too much, kept from ending it",
    program: deciding(`try { q.output(0, "s", action, () => 1, 1 / 0); } catch (trouble) { } return rt.ALLOW;`),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "a symbol thrown",
    program: deciding(`throw ({}).constructor.getOwnPropertySymbols([].__proto__)[0];`),
    comesTo: "something that is not an error was thrown",
  },
  { it: "a function thrown", program: deciding(`throw () => q;`), comesTo: "something that is not an error was thrown" },
  { it: "a stack overflow", program: deciding(`const deep = (n) => deep(n + 1) + 1; return deep(0);`), comesTo: "Maximum call stack" },
  {
    it: "a stack overflow while it is evaluated",
    program: `(rt, k) => { const deep = (n) => deep(n + 1) + 1; deep(0); }`,
    comesTo: "Maximum call stack",
  },
  {
    it: "a stack overflow in what trusted code converts",
    program: deciding(
      `let own = []; for (let n = 0; n < 1e5; n += 1) own = [own]; q.output(0, "s", action, () => own, 1); return rt.ALLOW;`,
    ),
    comesTo: '"read":"EFFECT_ALLOW"',
  },
  {
    it: "a stack overflow in what trusted code compares",
    program: deciding(
      `let own = []; let other = []; for (let n = 0; n < 1e5; n += 1) { own = [own]; other = [other]; } return rt.equal(own, other) ? rt.ALLOW : rt.DENY;`,
    ),
    comesTo: "RangeError: Maximum call stack size exceeded",
  },
  {
    it: "a proxy for an answer, if there was one",
    program: deciding(`return new Proxy({}, {});`),
    comesTo: /Proxy is not (?:a constructor|defined)/,
  },
  {
    it: "a map of its own class in the place of a list",
    program: deciding(
      `class Own extends Map { get size() { return 1 / 0; } get() { return rt; } } return rt.isIn("a", new Own([["a", 1]])) ? rt.ALLOW : rt.DENY;`,
    ),
    comesTo: '"read":"EFFECT_DENY"',
  },
  {
    it: "a set of its own class, for roles",
    program: withRoles(`new (class extends Set { get length() { return 1; } map() { return { join: () => ${closing} }; } })()`),
    comesTo: "Error: internal contradiction: derived roles are a list",
  },
];
