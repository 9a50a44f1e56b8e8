/** Attacks that want a program of their own making: text that becomes code outside of what was looked at. */
import type { Attack } from "../attack.ts";

const noFunction = "threw Function.prototype.constructor is not a valid constructor";

export const makePrograms: readonly Attack[] = [
  { it: "the Function constructor, via a literal", body: `return (() => 0).constructor("return this")();`, comesTo: noFunction },
  {
    it: "the Function constructor, via the request",
    body: `return q.R.constructor.constructor("return this")();`,
    at: "decision",
    comesTo: noFunction,
  },
  {
    it: "the Function constructor, via an array in the request",
    body: `return q.R.nested.deep.concat.constructor("return this")();`,
    at: "decision",
    comesTo: noFunction,
  },
  { it: "the Function constructor, via a helper", body: `return rt.equal.constructor("return this")();`, comesTo: noFunction },
  {
    it: "the Function constructor, via what a helper returns",
    body: `return rt.mapOf([[1n, 2n]]).constructor.constructor("return this")();`,
    comesTo: noFunction,
  },
  {
    it: "the Function constructor, via an error that a helper throws",
    body: `try { rt.readingOf("nothing"); } catch (error) { return error.constructor.constructor("return this")(); }`,
    comesTo: noFunction,
  },
  {
    it: "the Function constructor, via a stack overflow in a helper",
    body: `
const deep = () => { try { deep(); } catch (error) { rt.equal([[1]], [[1]]); throw error; } rt.equal([[1]], [[1]]); };
try { deep(); } catch (error) { return error.constructor.constructor("return this")(); }`,
    comesTo: /Function\.prototype\.constructor|undefined/,
  },
  { it: "the Function constructor, via the constants", body: `return k.constructor.constructor("return this")();`, comesTo: noFunction },
  {
    it: "the Function constructor, via the query's class",
    body: `return q.constructor.constructor("return this")();`,
    at: "decision",
    comesTo: noFunction,
  },
  {
    it: "the Function constructor, via a getter's own function",
    body: `
return ({}).constructor.getOwnPropertyDescriptor(({}).__proto__, "__proto__").get.constructor("return this")();`,
    comesTo: noFunction,
  },
  {
    it: "the Function constructor, called with new and a subclass",
    body: `return new (class extends (() => 0).constructor {})("return this")();`,
    comesTo: noFunction,
  },
  {
    it: "the Function constructor, bound and applied",
    body: `return (() => 0).constructor.bind(null, "return this").call()();`,
    comesTo: noFunction,
  },
  {
    it: "the Function constructor, found among the prototype's own names",
    body: `
const F = (() => 0).__proto__;
return ({}).constructor.getOwnPropertyNames(F).map((name) => { try { return F[name]("return this")(); } catch (error) { return error; } }).find((got) => typeof got === "object" && got.process);`,
    comesTo: "undefined",
  },
  { it: "the constructor of generators", body: `return (function* () {}).constructor("return this")().next();`, comesTo: noFunction },
  {
    it: "the constructor of async functions",
    body: `return (async () => {}).constructor("return this")();`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  {
    it: "the constructor of async generators",
    body: `return (async function* () {}).constructor("return this")();`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  { it: "eval, by its name", body: `return eval ("this");`, comesTo: "SyntaxError: Possible direct eval expression rejected" },
  { it: "eval, indirectly", body: `return (0, eval)("this");`, comesTo: /^threw .*eval.* is not (?:a function|defined)$/ },
  { it: "eval, behind an optional call", body: `return eval?.("this");`, comesTo: "undefined undefined" },
  { it: "eval, spelled with an escape", body: String.raw`return ev\u0061l("this");`, comesTo: "threw eval is not a function" },
  { it: "import()", body: `return import("node:fs");`, comesTo: "SyntaxError: Possible import expression rejected" },
  {
    it: "import(), split by a comment",
    body: `return import/* */("node:fs");`,
    comesTo: "SyntaxError: Possible import expression rejected",
  },
  {
    it: "import(), split by a line",
    body: `return import\n("node:fs");`,
    comesTo: "SyntaxError: Possible import expression rejected",
  },
  {
    it: "import(), split by a line separator",
    body: `return import\u2028("node:fs");`,
    comesTo: "SyntaxError: Possible import expression rejected",
  },
  {
    it: "import(), behind three dots",
    body: `return [...import("node:fs")];`,
    comesTo: "SyntaxError: Possible import expression rejected",
  },
  { it: "import(), built at run time", body: `return (() => 0).constructor("return im" + "port('node:fs')")();`, comesTo: noFunction },
  {
    it: "import of a phase",
    body: `return import.source("node:fs");`,
    comesTo: "SyntaxError: the program of a unit may not be asynchronous",
  },
  { it: "import.meta", body: `return import.meta.url;`, comesTo: "SyntaxError: the program of a unit may not be asynchronous" },
  {
    it: "a nested compartment",
    body: `return new Compartment({ __options__: true }).evaluate("this");`,
    comesTo: /^threw Compartment is not (?:a constructor|defined)$/,
  },
  {
    it: "Reflect.construct of a function's constructor",
    body: `return Reflect.construct((() => 0).constructor, ["return this"])();`,
    comesTo: /^threw (?:Reflect is not defined|Cannot read properties of undefined)/,
  },
  {
    it: "a class whose parent is a function's constructor",
    body: `
class Made extends (function () {}).constructor { constructor() { super("return this"); } }
return new Made()();`,
    comesTo: noFunction,
  },
  {
    it: "a bare call of the scope's terminator",
    body: `return (function () { return this; }).call(void 0);`,
    comesTo: "undefined undefined",
  },
  {
    it: "a timer with text, if there was one",
    body: `return setTimeout("globalThis.reached = 1", 0);`,
    comesTo: /^threw setTimeout is not (?:a function|defined)$/,
  },
  {
    it: "the constructor of a class's field",
    body: `return new (class { field = this.constructor.constructor("return this"); })().field();`,
    comesTo: noFunction,
  },
  { it: "a tag whose function is a constructor", body: "return (() => 0).constructor`return this`();", comesTo: noFunction },
  { it: "an array's join that makes a function", body: `return [["return this"]].map((() => 0).constructor)[0]();`, comesTo: noFunction },
  {
    it: "a string's replacement by a constructor",
    body: `return "return this".replace("return this", (() => 0).constructor);`,
    comesTo: noFunction,
  },
];
