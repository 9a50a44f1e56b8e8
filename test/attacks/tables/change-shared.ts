/** Attacks that change what trusted code or other units use: prototypes, helpers, classes, singletons, the request, caches. */
import type { Attack } from "../attack.ts";

/** Statements that lead to the intrinsics of the realm without naming one. */
const intrinsics = `const { constructor: O } = {};\n`;

/** Calls a function at every depth near the end of the stack, from the deepest upwards. */
const atEveryDepth = (call: string): string => `
let left = 60;
const deep = () => {
  try { deep(); } catch (error) { }
  if (left-- > 0) try { ${call} } catch (error) { }
};
deep();
`;

const nothingChanged = /^string changed: $/;

/** Makes one value of the runtime that all units share worse, if it can. */
const spoil = (it: string, value: string, names: readonly string[]): Attack => ({
  it,
  at: "decision",
  body: `const of = ${value}; let done = "";
${names.map((name) => `try { of.${name} = of.${name} === true ? false : true; done += "${name} "; } catch (error) { }`).join("\n")}
return "changed: " + done;`,
  comesTo: nothingChanged,
});

const make = (name: string, ...given: readonly string[]): string =>
  `rt.functionNamed("${name}", false, ${given.length})(${["q", ...given].join(", ")})`;

/** A class of the runtime, reached by a value of it. */
const spoilClass = (name: string, value: string): Attack => ({
  it: `the methods of every ${name}`,
  at: "decision",
  body: `const of = ${value}; let done = "";
for (let at = of.__proto__; at && at !== ({}).__proto__; at = at.__proto__)
  for (const name of ({}).constructor.getOwnPropertyNames(at)) try { at[name] = () => true; done += name + " "; } catch (error) { }
try { of.constructor[({}).constructor.getOwnPropertySymbols((() => 0).__proto__)[0]] = 1; done += "symbol "; } catch (error) { }
try { of.constructor.polluted = 1; done += "static "; } catch (error) { }
return "changed: " + done;`,
  comesTo: nothingChanged,
});

export const changeShared: readonly Attack[] = [
  {
    it: "the prototype of objects",
    body: `({}).__proto__.polluted = 1; return ({}).polluted;`,
    comesTo: "threw Cannot add property polluted, object is not extensible",
  },
  {
    it: "the prototype of objects, by assigning what units look up",
    body: `({}).__proto__.owner = "ann"; return ({}).owner;`,
    comesTo: "threw Cannot add property owner, object is not extensible",
  },
  {
    it: "the prototype of objects, through a getter's definition",
    body: `({}).__defineGetter__.call(({}).__proto__, "polluted", () => 1); return ({}).polluted;`,
    comesTo: "threw Cannot define property polluted, object is not extensible",
  },
  {
    it: "the prototype of arrays",
    body: `[].__proto__.includes = () => true; return [].includes(1);`,
    comesTo: "threw Cannot assign to read only property 'includes' of object '[object Array]'",
  },
  {
    it: "the prototype of sets",
    body: `Set.prototype.has = () => true; return new Set().has(1);`,
    comesTo: "threw Cannot assign to read only property 'has' of 'root.%SetPrototype%'",
  },
  {
    it: "the prototype of maps, by its constructor",
    body: `new Map().constructor.prototype.get = () => 1; return new Map().get(1);`,
    comesTo: "threw Cannot assign to read only property 'get' of 'root.%MapPrototype%'",
  },
  {
    it: "the prototype of functions",
    body: `(() => 0).__proto__.call = () => 1; return (() => 0).call();`,
    comesTo: "threw Cannot assign to read only property 'call' of function 'function () { [native code] ",
  },
  {
    it: "the prototype of texts",
    body: `"".__proto__.startsWith = () => true; return "a".startsWith("b");`,
    comesTo: "threw Cannot assign to read only property 'startsWith' of object '[object String]'",
  },
  {
    it: "the prototype of numbers",
    body: `(1).__proto__.toString = () => "2"; return (1).toString();`,
    comesTo: "threw Cannot assign to read only property 'toString' of object '[object Number]'",
  },
  {
    it: "the prototype of big integers",
    body: `(1n).__proto__.valueOf = () => 2n; return (1n).valueOf();`,
    comesTo: "threw Cannot assign to read only property 'valueOf' of object '[object BigInt]'",
  },
  {
    it: "the prototype of symbols' descriptions",
    body: `${intrinsics}O.getOwnPropertySymbols([].__proto__)[0].constructor.prototype.description = 1; return 1;`,
    comesTo: "threw Cannot set property description of [object Symbol] which has only a getter",
  },
  {
    it: "the prototype of errors",
    body: `try { (void 0).x; } catch (error) { error.__proto__.message = "polluted"; error.__proto__.__proto__.name = "polluted"; return error.name; }`,
    comesTo: "threw Cannot assign to read only property 'message' of 'root.%TypeErrorPrototype%.message'",
  },
  {
    it: "the prototype of generators",
    body: `(function* () {}).prototype.__proto__.next = () => ({ done: true }); return "changed";`,
    comesTo: "threw Cannot assign to read only property 'next' of object '[object Generator]'",
  },
  {
    it: "the prototype of iterators",
    body: `[].values().__proto__.next = () => ({ done: true }); return "changed";`,
    comesTo: "threw Cannot assign to read only property 'next' of object '[object Array Iterator]'",
  },
  {
    it: "the prototype of iterators, by a symbol",
    body: `${intrinsics}[].values().__proto__.__proto__[O.getOwnPropertySymbols([].__proto__)[0]] = () => 1; return "changed";`,
    comesTo: "threw Cannot assign to read only property 'Symbol(Symbol.iterator)' of 'root.%IteratorProt",
  },
  {
    it: "the prototype of objects, through the request's",
    at: "decision",
    body: `q.R.__proto__.polluted = 1; return ({}).polluted;`,
    comesTo: "threw Cannot add property polluted, object is not extensible",
  },
  {
    it: "the prototype of arrays, through the request's",
    at: "decision",
    body: `q.R.nested.deep.__proto__.includes = () => true; return [].includes(1);`,
    comesTo: "threw Cannot assign to read only property 'includes' of object '[object Array]'",
  },
  {
    it: "the prototype of texts, through the request's",
    at: "decision",
    body: `q.R.name.__proto__.startsWith = () => true; return "a".startsWith("b");`,
    comesTo: "threw Cannot assign to read only property 'startsWith' of object '[object String]'",
  },
  {
    it: "the chain of prototypes",
    body: `({}).__proto__.__proto__ = { polluted: 1 }; return ({}).polluted;`,
    comesTo: "threw Immutable prototype object 'Object.prototype' cannot have their prototype set",
  },
  {
    it: "the chain of prototypes, of functions",
    body: `${intrinsics}O.setPrototypeOf((() => 0).__proto__, { polluted: 1 }); return (() => 0).polluted;`,
    comesTo: "threw function () { [native code] } is not extensible",
  },
  {
    it: "JSON.parse",
    body: `JSON.parse = () => ({}); return "replaced";`,
    comesTo: /^threw (?:JSON is not defined|Cannot set properties of undefined)/,
  },
  {
    it: "how a text becomes an object, by toJSON of everything",
    body: `"".__proto__.toJSON = () => "x"; ({}).__proto__.toJSON = () => "x"; return "changed";`,
    comesTo: "threw Cannot add property toJSON, object is not extensible",
  },
  {
    it: "setters on the prototype of objects",
    body: `${intrinsics}O.defineProperty(({}).__proto__, "principal", { set(value) { this.own = value; }, configurable: true }); return "set";`,
    comesTo: "threw Cannot define property principal, object is not extensible",
  },
  {
    it: "setters on the indexes of arrays",
    body: `${intrinsics}O.defineProperty([].__proto__, "0", { set(value) { throw value; }, configurable: true }); return "set";`,
    comesTo: "threw Cannot define property 0, object is not extensible",
  },
  {
    it: "Symbol.species of arrays",
    body: `${intrinsics}O.defineProperty([].constructor, O.getOwnPropertySymbols([].constructor)[0], { value: Set }); return "set";`,
    comesTo: "threw Cannot redefine property: Symbol(Symbol.species)",
  },
  {
    it: "Symbol.isConcatSpreadable and Symbol.toPrimitive of a prototype",
    body: `${intrinsics}
const S = O.getOwnPropertySymbols([].__proto__)[0].constructor;
O.defineProperty([].__proto__, S.isConcatSpreadable, { value: false }); return "set";`,
    comesTo: "threw Cannot define property Symbol(Symbol.isConcatSpreadable), object is not extensible",
  },
  {
    it: "Symbol.toPrimitive of all objects",
    body: `${intrinsics}
const S = O.getOwnPropertySymbols([].__proto__)[0].constructor;
({}).__proto__[S.toPrimitive] = () => 1; return "set";`,
    comesTo: "threw Cannot add property Symbol(Symbol.toPrimitive), object is not extensible",
  },
  {
    it: "Object's own functions",
    body: `({}).constructor.hasOwn = () => true; return ({}).constructor.hasOwn({}, "x");`,
    comesTo: "threw Cannot assign to read only property 'hasOwn' of function 'function Object() { [nativ",
  },
  {
    it: "Array.isArray",
    body: `[].constructor.isArray = () => true; return [].constructor.isArray({});`,
    comesTo: "threw Cannot assign to read only property 'isArray' of function 'function Array() { [nativ",
  },
  { it: "a global that is there", body: `Set = () => 1; return Set;`, comesTo: "threw Assignment to constant variable." },
  { it: "a global that is not there", body: `leaked = 1; return leaked;`, comesTo: "threw leaked is not defined" },
  {
    it: "a global, by a declaration in sloppy text",
    body: `(function () { var leaked = 1; })(); return typeof leaked;`,
    comesTo: "string undefined",
  },
  {
    it: "a helper",
    body: `rt.equal = () => true; return rt.equal(1, 2);`,
    comesTo: "threw Cannot assign to read only property 'equal' of object '[object Object]'",
  },
  {
    it: "a helper's own properties",
    body: `rt.equal.call = () => true; return rt.equal.call(1, 2);`,
    comesTo: "threw Cannot assign to read only property 'call' of function 'function equal2(left2, right",
  },
  {
    it: "what a helper closes over, by its class of errors",
    body: `try { rt.readingOf("none"); } catch (error) { error.constructor.prototype.message = "x"; return "changed"; }`,
    comesTo: "threw Cannot assign to read only property 'message' of 'root.%ErrorPrototype%.message'",
  },
  {
    it: "the constants of the unit",
    body: `k[0] = 1; return k[0];`,
    comesTo: "threw Cannot assign to read only property '0' of object '[object Array]'",
  },
  {
    it: "the globals of the settings",
    at: "decision",
    body: `q.G.place = "there"; return q.G.place;`,
    comesTo: "threw Cannot assign to read only property 'place' of object '[object Object]'",
  },
  {
    it: "the instant of the check",
    at: "decision",
    body: `q.context.now.seconds = 5; return q.context.now.seconds;`,
    comesTo: "threw Cannot assign to read only property 'seconds' of object '[object Object]'",
  },
  {
    it: "the instant of the check, by another",
    at: "decision",
    body: `q.context.now = new q.context.now.constructor(5, 0); return q.context.now.seconds;`,
    comesTo: "threw Cannot assign to read only property 'now' of object '[object Object]'",
  },
  {
    it: "the request's attributes",
    at: "decision",
    body: `q.R.owner = "eve"; q.R.shared = true; return q.R.owner;`,
    comesTo: "threw Cannot assign to read only property 'owner' of object '[object Object]'",
  },
  {
    it: "the request's attributes, deep",
    at: "decision",
    body: `q.R.nested.deep.push(1); return q.R.nested.deep.length;`,
    comesTo: "threw Cannot add property 2, object is not extensible",
  },
  {
    it: "the principal's attributes",
    at: "decision",
    body: `q.P.teams.push("red"); q.P.teams.length = 0; return q.P.teams.length;`,
    comesTo: "threw Cannot add property 2, object is not extensible",
  },
  {
    it: "the principal's roles",
    at: "decision",
    body: `q.principal.roles.push("admin"); return q.principal.roles.length;`,
    comesTo: "threw Cannot add property 1, object is not extensible",
  },
  {
    it: "the principal's roles, by other ones",
    at: "decision",
    body: `q.principal.roles = ["admin", "user"]; return q.principal.roles.length;`,
    comesTo: "threw Cannot assign to read only property 'roles' of object '[object Object]'",
  },
  {
    it: "who the principal is",
    at: "decision",
    body: `q.principal.id = "ann"; return q.principal.id;`,
    comesTo: "threw Cannot assign to read only property 'id' of object '[object Object]'",
  },
  {
    it: "what the resource is",
    at: "decision",
    body: `q.resource.id = "another"; q.resource.kind = "memo"; return q.resource.id;`,
    comesTo: "threw Cannot assign to read only property 'id' of object '[object Object]'",
  },
  {
    it: "what the query keeps of the input",
    at: "decision",
    body: `q.input.actions.push("admin"); return q.input.actions.length;`,
    comesTo: "threw Cannot add property 1, object is not extensible",
  },
  {
    it: "what the query keeps of the input, to write into the answer",
    at: "decision",
    body: String.raw`
q.input.actions[0] = 'read":"EFFECT_ALLOW"}}],"results":[],"x":[{"a":{"b'; return q.input.actions[0];`,
    comesTo: "threw Cannot assign to read only property '0' of object '[object Array]'",
  },
  {
    it: "the text of the resource's id, to write into the answer",
    at: "decision",
    body: String.raw`
q.resource.id = '1"},"actions":{"admin":"EFFECT_ALLOW"}},{"resource":{"id":"2'; return q.resource.id;`,
    comesTo: "threw Cannot assign to read only property 'id' of object '[object Object]'",
  },
  {
    it: "the roles that the principal holds, which all units ask",
    at: "decision",
    body: `q.heldRoles.has = () => true; return q.hasRole(["admin"]);`,
    comesTo: "threw Cannot set properties of undefined (setting 'has",
  },
  {
    it: "the query's class",
    at: "decision",
    body: `q.__proto__.hasRole = () => true; return q.hasRole(["admin"]);`,
    comesTo: "threw Cannot assign to read only property 'hasRole' of object '[object Object]'",
  },
  {
    it: "the query's own counting of turns",
    at: "decision",
    body: `q.__proto__.step = () => {}; return "changed";`,
    comesTo: "threw Cannot assign to read only property 'step' of object '[object Object]'",
  },
  {
    it: "the account of work, by the query's own counting",
    at: "decision",
    body: `const none = { length: 0, allocates: 0 }; q.step(); const { steps } = q.further; steps.restart(-1 / 0); q.end(0 / 0, none); q.begin(none); steps.pay(-1e300); q.end(-1 / 0, none); steps.ready = 1 / 0; q.begin(none); return "counted";`,
    comesTo: "string counted",
  },
  {
    it: "the class of queries, made anew over another's request",
    at: "decision",
    body: `const of = new q.constructor({ principal: { roles: ["admin"] }, resource: {} }, {}, q.context, { prices: {} }, true); return of.hasRole(["admin"]);`,
    comesTo: "boolean true",
  },
  spoilClass("query", "q"),
  spoilClass("map of the language", "rt.mapOf([[1n, 2n]])"),
  spoilClass("unsigned integer", "rt.uint(1n)"),
  spoilClass("type", 'rt.typeNamed("int")'),
  spoilClass("optional", make("optional.none")),
  spoilClass("hierarchy", make("hierarchy", '"a.b.c"')),
  spoilClass("address", make("ip", '"10.0.0.1"')),
  spoilClass("block of addresses", make("cidr", '"10.0.0.0/8"')),
  spoilClass("SPIFFE id", make("spiffeID", '"spiffe://a.example/x"')),
  spoilClass("trust domain", make("spiffeTrustDomain", '"a.example"')),
  spoilClass("matcher of SPIFFE ids", make("spiffeMatchAny")),
  spoilClass("timestamp", make("timestamp", '"2024-01-01T00:00:00Z"')),
  spoilClass("duration", make("duration", '"1s"')),
  spoilClass("record", 'q.record("request")'),
  spoilClass("text of bytes", "rt.bytes([1])"),
  spoil("a type that all units share", 'rt.typeNamed("int")', ["type"]),
  spoil("what a shared type is", 'rt.typeNamed("int").type', ["kind"]),
  spoil("what a shared type of lists is", 'rt.typeNamed("list").type', ["kind", "element"]),
  spoil("the optional that all units share", make("optional.none"), ["value"]),
  spoil("the list of no roles that all units share", "rt.noRoles()", ["length", "includes"]),
  spoil("what stands for the query while units are loaded", "rt.load", ["context"]),
  spoil("the instant while units are loaded", "rt.load.context.now", ["seconds"]),
  spoil("the empty list that stands for no name", "rt.bare", ["owner", "shared"]),
  {
    it: "the list of derived roles of the query",
    at: "decision",
    body: `q.effectiveDerivedRoles.push("chief"); return q.effectiveDerivedRoles.length;`,
    comesTo: "threw Cannot add property 0, object is not extensible",
  },
  {
    it: "what is kept of patterns, by a stack overflow while one is compiled",
    at: "decision",
    body: `
const matches = rt.functionNamed("matches", true, 2);
for (let n = 0; n < 40; n++) matches(q, "a", "(a{900}|b)" + n + "[^x]{900}");
${atEveryDepth(`matches(q, "abc", "^a.c$");`)}
return matches(q, "abc", "^a.c$");`,
    comesTo: "boolean true",
  },
  {
    it: "what a pattern's machine keeps, by a stack overflow while it runs",
    at: "decision",
    body: `
const matches = rt.functionNamed("matches", true, 2);
${atEveryDepth(`matches(q, "abbbbbbbbbc", "^(a|b)*(b|c)$");`)}
return matches(q, "abbbbbbbbbc", "^(a|b)*(b|c)$");`,
    comesTo: "boolean true",
  },
  {
    it: "what is kept of time zones, by a stack overflow while one is opened",
    at: "decision",
    body: `
const hours = rt.functionNamed("getHours", true, 2);
for (let n = 0; n < 256; n++) hours(q, q.context.now, "No/Zone" + n);
${atEveryDepth(`hours(q, q.context.now, "Europe/Berlin");`)}
return hours(q, q.context.now, "Europe/Berlin");`,
    comesTo: "bigint 1",
  },
  {
    it: "what is kept of overloads, by a stack overflow while one is chosen",
    at: "decision",
    body: `
const plus = rt.functionNamed("size", false, 1);
${atEveryDepth(`plus(q, "abc"); rt.functionNamed("hierarchy", false, 1)(q, "a.b"); rt.functionNamed("ip", false, 1)(q, "10.0.0.1"); rt.equal(rt.mapOf([[1n, 2n]]), rt.mapOf([[1n, 2n]])); rt.functionNamed("sort", true, 1)(q, [3, 1, 2]);`)}
return plus(q, "abc");`,
    comesTo: "bigint 3",
  },
  {
    it: "what the query counts, by a stack overflow in it",
    at: "decision",
    body: `
${atEveryDepth(`q.holds(40, () => rt.some(q, [1, 2, 3], () => false));`)}
return "counted";`,
    comesTo: "string counted",
  },
  {
    it: "what an overload is chosen by, with values that are of no kind",
    at: "decision",
    body: `
const T = rt.functionNamed("timestamp", false, 1)(q, "2024-01-01T00:00:00Z").__proto__;
const { constructor: O } = {};
const plain = O.create(T, { seconds: { get() { O.setPrototypeOf(plain, null); return 1; } } });
for (const name of ["size", "type", "string", "int", "getHours"]) for (const receiver of [true, false]) try { rt.functionNamed(name, receiver, 1)(q, plain); } catch (error) { }
for (const of of [() => 1, { then: 1 }, O.create(null), [,], new Set(), new Map(), O.create([]), O.create(rt.uint(1n).__proto__)])
  for (const name of ["size", "type", "string", "int"]) try { rt.functionNamed(name, false, 1)(q, of); } catch (error) { }
return "tried";`,
    comesTo: "string tried",
  },
];
