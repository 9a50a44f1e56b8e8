/** The realm as it is: what crosses its door, and that nothing inside ends it or reaches out of it. */
import { describe, expect, test } from "vitest";
import { openRealm } from "../../../runtime/sandbox/realm.ts";
import type { Realm } from "../../../runtime/sandbox/realm.ts";
import { asking, bundleOf, deciding, open, openWithoutGate, texts } from "./open.ts";

// Programs of this file are written by hand, and most are hostile: the gate would refuse them before anything else is tried.
const realm = openWithoutGate();

/** Loads a program, asks once, and answers the answer or why the program was not loaded. */
const outcome = (program: string, body = asking(), of: Realm = realm): string => {
  try {
    of.load(JSON.stringify(bundleOf(program)));
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return error instanceof Error ? error.message : "";
  }
  return of.checkResources(body, "CALL", 0);
};

const allowed =
  '0{"results":[{"resource":{"id":"1","kind":"memo","policyVersion":"default"},"actions":{"view":"EFFECT_ALLOW"}}],"authzCallId":"CALL"}';
const denied = allowed.replace("ALLOW", "DENY");

/** Says what an expression is inside a unit's decision: reading a key of nothing names the key. */
const inside = (expression: string, body = asking()): string | undefined =>
  /reading 'seen:(.*)'/.exec(outcome(deciding(`return (void 0)["seen:" + (${expression})];`), body))?.[1];

const allow = deciding("return rt.ALLOW;");

describe("through the door", () => {
  test("nothing is answered before policies are loaded", () => {
    expect(open().checkResources(asking(), "CALL", 0)).toBe('e{"code":14,"message":"no policies are loaded yet"}');
  });

  test("a unit's decision comes out as text", () => {
    expect(outcome(allow)).toBe(allowed);
    expect(outcome(deciding("return rt.DENY;"))).toBe(denied);
    expect(outcome(deciding("return rt.NONE;"))).toBe(denied);
  });

  test("settings are taken, and what cannot be read keeps the old ones", () => {
    const own = openWithoutGate();
    own.configure('{"defaultScope":"acme"}');
    expect(() => own.configure("{")).toThrow(/^cannot take the settings: SyntaxError/);
    own.load(JSON.stringify(bundleOf(allow)));
    expect(own.checkResources(asking(), "CALL", 0)).toContain('"scope":"acme"');
  });

  test("a bundle that does not load says why in an error of ours, and the last good set goes on answering", () => {
    expect(outcome(allow)).toBe(allowed);
    for (const bad of ["{", "null", '{"units":7}', '{"shapes":{},"units":[{"shape":"gone"}]}']) {
      expect(() => realm.load(bad)).toThrow(/^cannot load the policies: /);
      expect(realm.checkResources(asking(), "CALL", 0)).toBe(allowed);
    }
  });

  test("a program is evaluated when it is first asked: one that is none fails the checks that need it, and no other", () => {
    expect(outcome("(rt, k) => {")).toMatch(/^d.*SyntaxError/);
    expect(outcome(allow, asking(), open())).toBe(
      'd{"code":13,"message":"the check failed: SyntaxError: line 2, column 1: more white space than the emitter writes, which the program of a unit may not hold"}',
    );
    expect(realm.checkResources(asking().replace("memo", "note"), "CALL", 0)).toBe(denied.replace("memo", "note"));
  });

  test("units that did not change are taken over from the set before", () => {
    const counting = (name: string): string => deciding("return count++ === 0 ? rt.ALLOW : rt.DENY;", `let count = 0; const ${name} = 1;`);
    expect(outcome(counting("one"))).toBe(allowed);
    expect(outcome(counting("one"))).toBe(denied);
    expect(outcome(counting("another"))).toBe(allowed);
  });

  test("a set that loads takes the place of the one before", () => {
    expect(outcome(allow)).toBe(allowed);
    expect(outcome(deciding("return rt.DENY;"))).toBe(denied);
  });
});

describe("a unit does not see", () => {
  test.each([
    "process",
    "require",
    "module",
    "global",
    "globalThis",
    "window",
    "self",
    "fetch",
    "setTimeout",
    "queueMicrotask",
    "structuredClone",
    "Buffer",
    "console",
    "Object",
    "Function",
    "Array",
    "String",
    "Number",
    "Symbol",
    "Error",
    "Promise",
    "Proxy",
    "Reflect",
    "JSON",
    "Math",
    "RegExp",
    "eval",
    "Date",
    "Intl",
    "performance",
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "WeakRef",
    "FinalizationRegistry",
    "ArrayBuffer",
    "Uint8Array",
    "DataView",
    "WeakMap",
    "WeakSet",
    "Iterator",
    "Compartment",
    "lockdown",
    "harden",
    "assert",
    "repairIntrinsics",
    "getStackString",
    "authzDoor",
    "escape",
    "parseInt",
  ])("%s", (name) => {
    expect(inside(`typeof ${name}`)).toBe("undefined");
  });

  test("any object of the host: not its Object, not what its Object, JSON or functions carry", () => {
    const marked: readonly object[] = [Object, Object.prototype, Function.prototype, Array.prototype, JSON];
    for (const of of marked) Object.defineProperty(of, "hostsOwn", { value: true, configurable: true });
    try {
      expect(inside("typeof ({}).constructor.hostsOwn")).toBe("undefined");
      for (const reached of [
        "rt",
        "rt.equal",
        "rt.constructor",
        "rt.equal.constructor",
        "k",
        "k.constructor",
        "q",
        "q.constructor",
        "q.R",
        "q.R.constructor",
        "q.R.list",
        "q.R.list.constructor",
        "q.principal",
        "q.context",
        "action",
      ]) {
        expect(inside(`typeof ${reached}.hostsOwn`, asking('{"list":[1]}'))).toBe("undefined");
      }
    } finally {
      for (const of of marked) Reflect.deleteProperty(of, "hostsOwn");
    }
  });

  test("`this`", () => {
    expect(inside("typeof (function () { return this; })()")).toBe("undefined");
  });
});

const constructorless = /Function\.prototype\.constructor is not a valid constructor/;

describe("a unit makes no program", () => {
  test.each([
    ["through an arrow function", '(() => 0).constructor("return 1")()'],
    ["through a function it is given", 'rt.equal.constructor("return 1")()'],
    ["through the query's methods", 'q.holds.constructor("return 1")()'],
    ["through the request's lists", 'q.R.list.filter.constructor("return 1")()'],
    ["through a generator", '(function* () {}).constructor("yield 1")()'],
    [
      "through its own error",
      '(() => { try { return (void 0).x; } catch (error) { return error.constructor.constructor("return 1")(); } })()',
    ],
    [
      "through a stack overflow's error",
      '(() => { const deep = () => deep() + 1; try { return deep(); } catch (error) { return error.constructor.constructor("return 1")(); } })()',
    ],
  ])("%s", (_way, expression) => {
    expect(outcome(deciding(`return ${expression};`), asking('{"list":[]}'))).toMatch(constructorless);
  });

  test.each([
    ["import()", 'return import("node:fs");', /import expression rejected/],
    ["import() in a string", 'return ["import("];', /import expression rejected/],
    ["eval()", 'return eval("1");', /eval expression rejected/],
    ["an HTML comment", "return 1 <!-- 2\n;", /HTML comment rejected/],
    ["import.meta", "return import.meta;", /SyntaxError/],
    ["a with statement", "with (q) { return rt.ALLOW; }", /SyntaxError/],
  ])("%s is refused", (_what, statement, why) => {
    expect(outcome(deciding(statement))).toMatch(why);
    expect(realm.checkResources(asking(), "CALL", 0)).not.toContain("EFFECT_ALLOW");
  });
});

describe("a unit changes nothing that others use", () => {
  const notAllowed =
    /Cannot (?:add property|define property|assign to read only property)|leaked is not defined|Immutable prototype|Assignment to constant/;

  test.each([
    ["a global", "leaked = 1;"],
    ["a global that is there", "Set = () => 1;"],
    ["the prototype of objects", "({}).__proto__.polluted = 1;"],
    ["it through a constructor", "({}).constructor.prototype.polluted = 1;"],
    ["it through defineProperty", '({}).constructor.defineProperty(({}).__proto__, "polluted", { value: 1 });'],
    ["it through a getter", '({}).__proto__.__defineGetter__("polluted", () => 1);'],
    ["the prototype of lists", "[].__proto__.polluted = 1;"],
    ["a method of lists", "[].constructor.prototype.map = () => [];"],
    ["the prototype of functions", "rt.equal.__proto__.polluted = 1;"],
    ["the prototype of sets", "Set.prototype.has = () => true;"],
    ["the prototype of strings", "action.__proto__.polluted = 1;"],
    ["the prototype of the request's objects", "q.R.__proto__.polluted = 1;"],
    ["the prototype of the query", "q.__proto__.holds = () => true;"],
    ["the runtime it is given", "rt.equal = () => true;"],
    ["a function of it", "rt.equal.polluted = 1;"],
    ["its constants", "k.push(1);"],
    ["the globals of the settings", "q.G.polluted = 1;"],
    ["a value's class", "rt.uint(1n).__proto__.polluted = 1;"],
    ["the chain of prototypes", "({}).__proto__.__proto__ = { polluted: 1 };"],
  ])("%s", (_what, statement) => {
    const names = Reflect.ownKeys(Object.prototype);
    expect(outcome(deciding(`${statement} return rt.ALLOW;`))).toMatch(notAllowed);
    expect(inside("typeof ({}).polluted + typeof [].polluted + typeof (() => 0).polluted + typeof action.polluted")).toBe(
      "undefinedundefinedundefinedundefined",
    );
    expect(outcome(deciding("return q.holds(0, (of) => false) ? rt.ALLOW : rt.DENY;"))).toBe(denied);
    expect(Reflect.ownKeys(Object.prototype)).toEqual(names);
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("what the runtime itself needs works locked down", () => {
  test.each([
    ["regular expressions", 'rt.functionNamed("matches", true, 2)(q, "abc", "^a.c$")', "true"],
    ["time zones", 'rt.functionNamed("getHours", true, 2)(q, q.context.now, "Europe/Berlin")', "1"],
    ["maps and equality", "rt.equal(rt.mapOf([[1n, 2]]), rt.mapOf([[1, 2]]))", "true"],
    ["integers", "rt.add(1n, 2n)", "3"],
    ["strings beyond ASCII", 'rt.functionNamed("size", true, 1)(q, "\u00e9\ud83d\ude00")', "2"],
  ])("%s", (_what, expression, value) => {
    expect(inside(expression)).toBe(value);
  });
});

describe("names that prototypes own are data", () => {
  test.each(["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "length", "__defineGetter__"])(
    "%s as an attribute",
    (name) => {
      const attr = `{${JSON.stringify(name)}:"mine"}`;
      expect(inside(`rt.owns(q.R, ${JSON.stringify(name)}) + ":" + rt.get(q.R, ${JSON.stringify(name)})`, asking(attr))).toBe("true:mine");
      expect(inside(`rt.owns(q.R, ${JSON.stringify(name)}) + ":" + typeof rt.get(q.R, ${JSON.stringify(name)})`, asking("{}"))).toBe(
        "false:undefined",
      );
    },
  );

  test.each(["__proto__", "constructor", "toString"])("%s as an action, a kind, an id", (name) => {
    expect(outcome(allow, asking("{}", name))).toBe(allowed.replace('"view"', JSON.stringify(name)));
    expect(realm.checkResources(asking().replace('"memo"', JSON.stringify(name)), "CALL", 0)).toBe(
      denied.replace('"memo"', JSON.stringify(name)),
    );
  });
});

describe("a unit that fails ends one check, not the realm", () => {
  test.each([
    ["an error", "return (void 0).x;", "TypeError: Cannot read properties of undefined (reading 'x')"],
    ["a string", 'throw "boom";', "something that is not an error was thrown"],
    ["nothing", "throw void 0;", "something that is not an error was thrown"],
    [
      "an object that shouts when it is looked at",
      "throw { get message() { throw 1; }, toString() { throw 2; } };",
      "something that is not an error was thrown",
    ],
    [
      "an error that fails when it is read",
      "let error; try { (void 0).x; } catch (caught) { error = { __proto__: caught, get message() { throw 1; } }; } throw error;",
      "an error that cannot be read was thrown",
    ],
    ["a stack overflow", "const deep = (n) => deep(n + 1) + 1; return deep(0);", "RangeError: Maximum call stack size exceeded"],
  ])("by throwing %s", (_what, statement, reason) => {
    expect(outcome(deciding(statement))).toBe(`d${JSON.stringify({ code: 13, message: `the check failed: ${reason}` })}`);
    expect(outcome(allow)).toBe(allowed);
  });

  test("when it is loaded as little as when it decides", () => {
    expect(outcome(allow)).toBe(allowed);
    for (const before of ["(void 0).x;", 'throw "boom";', "const deep = () => deep() + 1; deep();"]) {
      expect(outcome(deciding("return rt.ALLOW;", before))).toMatch(/Cannot read properties|not an error|call stack/);
    }
    expect(outcome(allow)).toBe(allowed);
  });

  test("whatever it answers instead of an effect, the action is not allowed", () => {
    for (const answer of ['"EFFECT_ALLOW"', "true", "({})", "({ toString: () => rt.ALLOW })", "[1]", "1n", "void 0", "4", "NaN"]) {
      expect(outcome(deciding(`return ${answer};`))).not.toContain("EFFECT_ALLOW");
    }
  });
});

describe("the host's own realm", () => {
  test("is not locked down", () => {
    for (const of of [Object, Object.prototype, Array.prototype, Function.prototype, JSON, Error, globalThis])
      expect(Object.isFrozen(of)).toBe(false);
    expect(globalThis).not.toHaveProperty("lockdown");
    expect(globalThis).not.toHaveProperty("Compartment");
    expect(globalThis).not.toHaveProperty("authzDoor");
  });

  test("gets texts from the realm, whatever was asked", () => {
    for (const body of ["", "{", asking(), "\ud800", "[".repeat(100_000), `{"requestId":${JSON.stringify("x".repeat(1_000_000))}}`]) {
      expect(typeof realm.checkResources(body, "CALL", Number.NaN)).toBe("string");
    }
  });
});

describe("a guest that is not ours", () => {
  const strange = (door: string): Realm =>
    openRealm({ ...texts, guest: `Object.defineProperty(globalThis, "authzDoor", { value: ${door}, configurable: true });` });
  const silence = 'd{"code":13,"message":"the check failed: the realm did not answer"}';

  test.each([
    ["that throws", "{ checkResources: () => { throw { get message() { throw 1; } }; } }"],
    ["that answers an object", '{ checkResources: () => ({ toString: () => "0{}" }) }'],
    ["that answers a function", "{ checkResources: () => () => 1 }"],
    ["that answers a promise", "{ checkResources: () => Promise.resolve(1) }"],
    ["that is no function", '{ checkResources: "0{}" }'],
    ["that is not there", "{}"],
  ])("%s gets no object out", (_what, door) => {
    expect(strange(door).checkResources("{}", "CALL", 0)).toBe(silence);
  });

  test("that throws when it is asked to load is an error of ours", () => {
    const throwing = strange("{ load: () => { throw 1; }, configure: () => 7 }");
    expect(() => throwing.load("{}")).toThrow(new Error("cannot load the policies: the realm did not answer"));
    expect(() => throwing.configure("{}")).toThrow(new Error("cannot take the settings: the realm did not answer"));
  });

  test.each([
    ["its own text fails", { ...texts, guest: "throw { message: 1 }" }, "cannot open the sandbox: guest failed"],
    ["its text opens no door", { ...texts, guest: "" }, "cannot open the sandbox: door failed"],
    ["the realm is not locked", { ...texts, lockdown: "" }, "cannot open the sandbox: lockdown failed"],
  ])("does not open when %s", (_why, broken, message) => {
    expect(() => openRealm(broken)).toThrow(new Error(message));
  });
});
