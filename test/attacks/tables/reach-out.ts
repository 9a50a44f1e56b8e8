/** Attacks that want something of the host, or of the realm outside of the compartment. */
import type { Attack } from "../attack.ts";

const absent = (name: string): Attack => ({
  it: `the name ${name}`,
  body: `return ${name};`,
  comesTo: /^(?:undefined undefined|threw \w+ is not defined)$/,
});

export const reachOut: readonly Attack[] = [
  ...[
    "process",
    "require",
    "module",
    "globalThis",
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "Date",
    "performance",
    "Math",
    "Intl",
    "Promise",
    "Proxy",
    "Symbol",
    "WeakRef",
    "FinalizationRegistry",
    "Function",
    "Error",
    "JSON",
    "RegExp",
    "authzDoor",
    "lockdown",
    "console",
    "queueMicrotask",
    "structuredClone",
  ].map(absent),
  { it: "sloppy this", body: `return (function () { return this; })();`, comesTo: "undefined undefined" },
  { it: "this of the program", body: `return this.process;`, comesTo: "undefined undefined" },
  { it: "this of a getter on a primitive", body: `return ({ get own() { return this; } }).own.process;`, comesTo: "undefined undefined" },
  { it: "arguments.callee", body: `return (function () { return arguments.callee; })();`, comesTo: /^threw 'caller', 'callee'/ },
  {
    it: "arguments.callee.caller, up the stack",
    body: `return (function () { return arguments.callee.caller; })();`,
    comesTo: /^threw 'caller', 'callee'/,
  },
  { it: "a function's caller", body: `const own = function () { return own.caller; }; return own();`, comesTo: "undefined undefined" },
  {
    it: "a helper's caller, while it calls back",
    body: `let got; rt.bind(() => 1, () => { got = rt.bind.caller; }); return got;`,
    comesTo: "undefined undefined",
  },
  {
    it: "a helper's arguments, while it calls back",
    body: `let got; rt.bind(() => 1, () => { got = rt.bind.arguments; }); return got;`,
    comesTo: "undefined undefined",
  },
  {
    it: "the call sites of an error, by prepareStackTrace",
    body: `
let caught; try { (void 0).x; } catch (error) { caught = error; }
const E = caught.constructor.__proto__;
E.prepareStackTrace = (error, sites) => sites;
try { (void 0).x; } catch (error) { return error.stack[0].getThis(); }`,
    comesTo: "threw Cannot read properties of undefined (reading 'getThis",
  },
  {
    it: "the call sites of an error, by prepareStackTrace of its own object",
    body: `
let caught; try { (void 0).x; } catch (error) { caught = error; }
caught.constructor.__proto__.captureStackTrace({ prepareStackTrace: (error, sites) => sites });
const of = { }; caught.constructor.__proto__.captureStackTrace(of); return of.stack;`,
    comesTo: "string",
  },
  {
    it: "the paths of the host's files, in a stack",
    body: `try { (void 0).x; } catch (error) { return error.stack; }`,
    comesTo: "string ",
  },
  {
    it: "the paths of the host's files, in the stack of a helper's error",
    body: `try { rt.readingOf("none"); } catch (error) { return "" + error.stack; }`,
    comesTo: "string",
  },
  {
    it: "more of the stack, by its limit",
    body: `let caught; try { (void 0).x; } catch (error) { caught = error; } caught.constructor.__proto__.stackTraceLimit = 1e9; return caught.constructor.__proto__.stackTraceLimit;`,
    comesTo: "undefined undefined",
  },
  {
    it: "the realm's global, through a helper's closure",
    body: `return rt.load.constructor.constructor.prototype.constructor("return this")();`,
    comesTo: "threw Function.prototype.constructor is not a valid constructor",
  },
  {
    it: "the realm's global, as this of a helper",
    body: `const own = { run: rt.bind }; let got; own.run(() => 1, function () { got = this; }); return got;`,
    comesTo: "undefined undefined",
  },
  {
    it: "the realm's global, as this of a callback of a list",
    body: `let got; [1].forEach(function () { got = this; }); return got;`,
    comesTo: "undefined undefined",
  },
  {
    it: "the realm's global, as this of a replacer",
    body: `let got; "a".replace("a", function () { got = this; return ""; }); return got;`,
    comesTo: "undefined undefined",
  },
  {
    it: "the realm's global, as this of a comparator",
    body: `let got; [2, 1].sort(function () { got = this; return 0; }); return got;`,
    comesTo: "undefined undefined",
  },
  {
    it: "Symbol, through the symbols of a prototype",
    body: `
const { constructor: O } = {};
const S = O.getOwnPropertySymbols([].__proto__)[0].constructor;
return S("x").constructor.constructor("return this")();`,
    comesTo: "threw Function.prototype.constructor is not a valid constructor",
  },
  {
    it: "the host's own symbols, by Symbol.for",
    body: `
const { constructor: O } = {};
const inspect = O.getOwnPropertySymbols([].__proto__)[0].constructor.for("nodejs.util.inspect.custom");
O.defineProperty(({}).__proto__, inspect, { value: (depth, options, node) => node });
return "defined";`,
    comesTo: "threw Cannot define property Symbol(nodejs.util.inspect.custom), object is not extensible",
  },
  {
    it: "the host's inspect, by an error that prints itself",
    at: "decision",
    body: `
const { constructor: O } = {};
const inspect = O.getOwnPropertySymbols([].__proto__)[0].constructor.for("nodejs.util.inspect.custom");
let caught; try { (void 0).x; } catch (error) { caught = error; }
caught[inspect] = (depth, options, node) => { node.constructor("globalThis.reached = 1")(); };
throw caught;`,
    comesTo: "threw Cannot read properties of undefined (reading 'x",
  },
  {
    it: "a host class, through Array.fromAsync",
    body: `return [].constructor.fromAsync([1]);`,
    comesTo: "threw [].constructor.fromAsync is not a function",
  },
  {
    it: "Promise, through an async function",
    body: `return (async () => 1)().constructor;`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  {
    it: "the host's handler, by a promise that is rejected",
    body: `(async () => { throw { get message() { return 1; } }; })(); return "rejected";`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  {
    it: "the host's handler, by an async generator that is rejected",
    body: `(async function* () { throw 1; })().next(); return "rejected";`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  {
    it: "the host's handler, by a for-await loop",
    body: `(async () => { for await (const of of [{ then(yes, no) { no(1); } }]); })(); return "rejected";`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  {
    it: "patched methods of promises",
    body: `const P = (async () => 1)().constructor; P.prototype.then = (yes) => yes(1); return "patched";`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  {
    it: "the clock, by the constructor of a time of the request",
    at: "decision",
    body: `return new q.context.now.constructor().seconds;`,
    comesTo: "undefined undefined",
  },
  { it: "the locale, by a number", body: `return (1234.5).toLocaleString("de-DE", { timeZoneName: "long" });`, comesTo: "string 1234.5" },
  { it: "the locale, by comparing texts", body: `return "a".localeCompare("b", "de", { sensitivity: "base" });`, comesTo: "number -1" },
  {
    it: "chance, through a list's order",
    body: `return [1, 2, 3].sort(() => Math.random());`,
    comesTo: /^threw (?:Math is not defined|Cannot read properties of undefined)/,
  },
  { it: "memory of all realms, by a typed array's buffer", body: `return rt.bytes([1]).buffer.constructor;`, comesTo: "an own function" },
  {
    it: "typed arrays, by a helper's bytes",
    body: `return new (rt.bytes([1]).constructor.__proto__)();`,
    comesTo: "threw Abstract class TypedArray not directly constructable",
  },
  {
    it: "RegExp, through a text's matches",
    body: `return "a".matchAll("a").next().value.constructor.constructor("return this")();`,
    comesTo: "threw Function.prototype.constructor is not a valid constructor",
  },
  { it: "the statics of RegExp", body: `"abc".match("b"); return "abc".match("b").constructor.$1 + "";`, comesTo: "string undefined" },
  {
    it: "the statics of RegExp after trusted code has matched a secret",
    at: "decision",
    body: `
rt.functionNamed("matches", true, 2)(q, "secret", "(s.*t)x?");
const literal = /a/; return "" + literal.constructor.$1 + literal.constructor.lastMatch + literal.constructor["$&"];`,
    comesTo: "string undefinedundefinedundefined",
  },
  {
    it: "another realm's objects, by Symbol.species",
    body: `
class Own extends [].constructor { static get [[].constructor.getOwnPropertySymbols([].constructor)[0]]() { return (() => 0).constructor; } }
return new Own(1, 2).map(() => "return this");`,
    comesTo: "threw undefined is not a function",
  },
  {
    it: "another realm's objects, by Symbol.hasInstance",
    body: `
const { constructor: O } = {};
const hasInstance = O.getOwnPropertySymbols((() => 0).__proto__).find((symbol) => typeof (() => 0)[symbol] === "function");
let got; ({}) instanceof { [hasInstance](value) { got = this; return true; } }; return got;`,
    comesTo: "an own object",
  },
  {
    it: "what is behind new.target",
    body: `const own = function () { return { of: new.target }; }; return new own().of.constructor("return this")();`,
    comesTo: "threw Function.prototype.constructor is not a valid constructor",
  },
  {
    it: "what is behind super",
    body: `return ({ own() { return super.constructor.constructor("return this")(); } }).own();`,
    comesTo: "threw Function.prototype.constructor is not a valid constructor",
  },
  {
    it: "what is behind an iterator of the realm",
    body: `return [][({}).constructor.getOwnPropertySymbols([].__proto__)[0]]().__proto__.__proto__.constructor;`,
    comesTo: "an own function",
  },
  {
    it: "the helpers of iterators",
    body: `return [1].values().map((of) => of).constructor.constructor("return this")();`,
    comesTo: /^threw (?:\[1\]\.values\(\.\.\.\)\.map is not a function|Function\.prototype\.constructor is not a valid constructor)/,
  },
  {
    it: "the descriptors of everything the runtime hands over",
    body: `
const { constructor: O } = {}; const seen = new Set(); let host;
const walk = (of, depth) => {
  if (of === null || of === void 0 || (typeof of !== "object" && typeof of !== "function") || seen.has(of) || depth > 12) return;
  seen.add(of); if (of.hostsOwn) host = of;
  walk(O.getPrototypeOf(of), depth + 1);
  for (const key of [...O.getOwnPropertyNames(of), ...O.getOwnPropertySymbols(of)]) {
    const found = O.getOwnPropertyDescriptor(of, key);
    walk(found.value, depth + 1); walk(found.get, depth + 1); walk(found.set, depth + 1);
  }
};
walk(rt, 0); walk(k, 0); walk(q, 0); walk(O, 0); walk((() => 0), 0); walk(Map, 0); walk(Set, 0);
return host === void 0 ? "none of " + (seen.size > 100 ? "many" : seen.size) : host;`,
    comesTo: "string none of many",
  },
  {
    it: "what the global object of the compartment is made of",
    body: `return (function () { return typeof this; })() + typeof Map.prototype.constructor.constructor;`,
    comesTo: "string undefinedfunction",
  },
  {
    it: "the scope handler of ses, by a name that is many things",
    body: `return typeof [Infinity, NaN, undefined].constructor.from({ length: 1 }, () => unscopables);`,
    comesTo: "string object",
  },
  {
    it: "names that ses uses inside",
    body: `return typeof evalFactory + typeof scopeTerminator + typeof __evaluate__ + typeof arguments;`,
    comesTo: "string undefinedundefinedundefinedobject",
  },
  {
    it: "the arguments of the function around the program",
    body: `return arguments[0];`,
    comesTo: "TypeError: Cannot read properties of undefined (reading 'seen:string (rt, k) => {\\n  const",
  },
];
