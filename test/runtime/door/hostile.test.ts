/** However hostile what is handed over: the quick way of reading finds what the plain way finds, and reads what that reads. */
import { inspect, isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSingleAction as readSingleSimply, readRequest as readSimply } from "../../../runtime/built/small-read-request.ts";
import { copyObject as copySimply } from "../../../runtime/built/small-snapshot.ts";
import { readSingleAction, readRequest } from "../../../runtime/door/read-request.ts";
import { openCopyState, copyObject } from "../../../runtime/door/snapshot.ts";
import { type Log, type Recipe, values } from "./hostile-values.ts";

/** What becomes of reading: what was read, or what was thrown; and what whoever made the values saw of it. */
interface Outcome {
  readonly log: Log;
  readonly read?: unknown;
  readonly threw?: unknown;
}

function outcomeOf(read: (log: Log) => unknown): Outcome {
  const log: Log = [];
  try {
    return { log, read: read(log) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const problems: unknown = "problems" in error ? error.problems : undefined;
    return { log, threw: { name: error.name, message: error.message, problems } };
  }
}

/** Whether nothing in it is anything but JSON of our own, which only data properties make up. */
function isOurs(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return ["string", "number", "boolean", "object"].includes(typeof value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype) return false;
  return (
    Object.entries(Object.getOwnPropertyDescriptors(value)).every(
      ([name, about]) =>
        "value" in about && ((Array.isArray(value) && name === "length") || (about.enumerable === true && isOurs(about.value))),
    ) && Object.getOwnPropertySymbols(value).length === 0
  );
}

/** Not `toStrictEqual`, to which a field called `constructor` is what made the object. */
function expectSame(found: Outcome, expected: Outcome): void {
  if (!isDeepStrictEqual(found, expected)) expect.fail(`${inspect(found, whole)}\nis not\n${inspect(expected, whole)}`);
}
const whole = { depth: 8 };

const ann = { id: "ann", roles: ["user"] };
const doc = { kind: "doc", id: "1" };

/** Where a value of any kind may stand in what is asked. */
const places: readonly (readonly [string, (value: unknown) => { readonly [name: string]: unknown }])[] = [
  ["attributes of the principal", (attr) => ({ principal: { ...ann, attr }, resource: doc })],
  ["attributes of the resource", (attr) => ({ principal: ann, resource: { ...doc, attr } })],
  ["one attribute", (a) => ({ principal: ann, resource: { ...doc, attr: { before: 1, a, after: "2" } } })],
  ["the principal", (principal) => ({ principal, resource: doc })],
  ["the resource", (resource) => ({ principal: ann, resource })],
  ["roles", (roles) => ({ principal: { id: "ann", roles }, resource: doc })],
  ["a role", (role) => ({ principal: { id: "ann", roles: ["user", role, "user"] }, resource: doc })],
  ["scope and version", (value) => ({ principal: { ...ann, scope: value }, resource: { ...doc, policyVersion: value } })],
  ["claims", (jwt) => ({ principal: ann, resource: doc, auxData: { jwt } })],
  ["named claims", (jwts) => ({ principal: ann, resource: doc, auxData: { jwts } })],
  ["the rest", (auxData) => ({ principal: ann, resource: doc, auxData })],
];

describe.each(places)("%s", (_, place) => {
  test("as the plain way", () => {
    fc.assert(
      fc.property(values, (recipe: Recipe) => {
        const plain = outcomeOf((log) => readSimply({ ...place(recipe(log)), actions: ["view"] }));
        const quick = outcomeOf((log) => readRequest({ ...place(recipe(log)), actions: ["view"] }));
        expectSame(quick, plain);
        for (const ask of [readSingleAction, readSingleSimply]) {
          const question = outcomeOf((log) => {
            const { principal, resource, auxData } = place(recipe(log));
            return ask(principal, resource, "view", auxData);
          });
          expectSame(question, plain);
        }
        if (quick.threw === undefined) expect(isOurs(quick.read)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

test("a whole request", () => {
  fc.assert(
    fc.property(values, (recipe: Recipe) => {
      expectSame(
        outcomeOf((log) => readRequest(recipe(log))),
        outcomeOf((log) => readSimply(recipe(log))),
      );
    }),
  );
});

test.each([
  ["attributes", false],
  ["globals, whose whole numbers are ints", true],
])("%s", (_, integers) => {
  fc.assert(
    fc.property(values, (recipe: Recipe) => {
      const [quick, plain] = [copyObject, copySimply].map((take) =>
        outcomeOf((log) => {
          const state = openCopyState(integers);
          const taken = take(recipe(log), "some", state);
          return { taken, ...state };
        }),
      );
      expectSame(quick ?? expect.fail(), plain ?? expect.fail());
    }),
    { numRuns: 1000 },
  );
});

test.each(["\uD800", "a\uDC00", "\u{1F600}"])("half a character anywhere: %j", (text) => {
  for (const place of [
    (): object => ({ principal: { ...ann, id: text } }),
    (): object => ({ principal: { ...ann, roles: ["user", text] } }),
    (): object => ({ principal: { ...ann, attr: { [text]: text } } }),
    (): object => ({ principal: { ...ann, attr: { ["__proto__"]: { a: [text] } } } }),
    (): object => ({ resource: { ...doc, kind: text, scope: text, policyVersion: text } }),
    (): object => ({ actions: [text] }),
    (): object => ({ requestId: text }),
    (): object => ({ auxData: { jwts: { [text]: { claims: { a: text } } } } }),
  ]) {
    const asked = { principal: ann, resource: doc, actions: ["view"], ...place() };
    const quick = outcomeOf(() => readRequest(asked));
    expectSame(
      quick,
      outcomeOf(() => readSimply(asked)),
    );
    if (!text.isWellFormed()) expect(quick.threw).toMatchObject({ message: expect.stringContaining("holds half a surrogate pair") });
  }
});

test("versions, whatever unit is in them", () => {
  for (let unit = 0; unit < 0x250; unit++)
    for (const policyVersion of [String.fromCharCode(unit), `a${String.fromCharCode(unit)}1`]) {
      const request = { principal: ann, resource: { ...doc, policyVersion }, actions: ["view"] };
      expectSame(
        outcomeOf(() => readRequest(request)),
        outcomeOf(() => readSimply(request)),
      );
    }
});

test("an action", () => {
  fc.assert(
    fc.property(values, (recipe: Recipe) => {
      const plain = outcomeOf((log) => readSimply({ principal: ann, resource: doc, actions: [recipe(log)] }));
      expectSame(
        outcomeOf((log) => readSingleAction(ann, doc, recipe(log), undefined)),
        plain,
      );
    }),
  );
});

class Secretive {
  readonly #b = 1;
  get b(): number {
    return this.#b;
  }
}
class Outspoken {
  readonly b = 1;
}

/** Says itself what it is: itself. */
function loop(): object {
  const circle = { toJSON: (): object => circle };
  return circle;
}

describe("what becomes of attributes", () => {
  const taken = (attr: unknown): unknown => readSingleAction(ann, { ...doc, attr }, "view", undefined).input.resource.attr;
  const counted = (): { readonly attr: object; readonly times: () => number } => {
    let times = 0;
    return {
      attr: {
        get a() {
          return `text ${++times}`;
        },
      },
      times: () => times,
    };
  };

  test.each<readonly [string, unknown, unknown]>([
    ["none, where there are no fields", {}, undefined],
    ["none, where all are undefined", { a: undefined }, undefined],
    ["nothing of what is inherited", Object.create({ a: 1 }, { b: { value: 2, enumerable: true } }), { b: 2 }],
    ["nothing of what is hidden", Object.defineProperty({ a: 1 }, "b", { value: 2 }), { a: 1 }],
    ["nothing under symbols", { a: 1, [Symbol("b")]: 2 }, { a: 1 }],
    ["a hole is a problem", { a: [1, , 3] }, "`resource.attr.a[1]` is not a JSON value: it is missing"], // oxlint-disable-line no-sparse-arrays
    ["fields of lists are not there", { a: Object.assign([1], { b: 2 }) }, { a: [1] }],
    ["numbers as names, in their order", { b: 1, 1: 2, 0: 3 }, { 0: 3, 1: 2, b: 1 }],
    ["what `toJSON` gives, at its place", { a: { toJSON: () => [Number.NaN] } }, "`resource.attr.a[0]` is not a JSON value: it is NaN"],
    ["a proxy as what it shows", new Proxy({ a: 1 }, { get: () => 2 }), { a: 2 }],
    ["half a character is a problem", { a: "\uD800" }, "`resource.attr.a` holds half a surrogate pair"],
    ["in a name, too", { "\uDC00": 1 }, "`resource.attr.\uDC00` holds half a surrogate pair"],
    ["whole characters, however many units they take", { a: "\u{1F600}é", "\u{1F600}": 1 }, { a: "\u{1F600}é", "\u{1F600}": 1 }],
    ["what `toJSON` of all of it gives", { toJSON: () => ({ a: 1 }) }, { a: 1 }],
    ["nothing, where that is null", { toJSON: () => null }, undefined],
    ["a `toJSON` that gives itself is a circle", loop(), "is nested deeper than 1000 levels, or circular"],
    ["a date is none", new Date(0), "`resource.attr` must be an object: it is a Date"],
    ["a Map is a problem, not nothing", new Map([["a", 1]]), "`resource.attr` is not a JSON value: it is a Map"],
    ["so is one with a field of its own", Object.assign(new Map(), { a: 1 }), "`resource.attr` is not a JSON value: it is a Map"],
    ["a Set", new Set([1]), "`resource.attr` is not a JSON value: it is a Set"],
    ["a promise that nobody waited for", Promise.resolve({ a: 1 }), "`resource.attr` is not a JSON value: it is a Promise"],
    ["the same within", { a: Promise.resolve(1) }, "`resource.attr.a` is not a JSON value: it is a Promise"],
    ["a text in a box", { a: Object("boxed") }, "`resource.attr.a` is not a JSON value: it is a String"],
    ["a number in a box", { a: Object(5) }, "`resource.attr.a` is not a JSON value: it is a Number"],
    ["what a class keeps to itself", { a: new Secretive() }, "`resource.attr.a` is not a JSON value: it is a Secretive"],
    ["only what is inherited", { a: Object.create({ b: 1 }) }, "`resource.attr.a` is not a JSON value"],
    ["an instance by its fields", { a: new Outspoken() }, { a: { b: 1 } }],
    ["an empty object of another realm", { a: runInNewContext("({})") }, { a: {} }],
    ["nor is an object without prototype one", { a: Object.create(null) }, { a: {} }],
    ["a problem deep inside", { a: [{ b: { c: [0, 5n] } }] }, "`resource.attr.a[0].b.c[1]` is not a JSON value: it is a bigint"],
    [
      "the problems of one place and of the next",
      { a: { b: [5n, { c: 5n }], d: 5n }, e: 5n },
      "`resource.attr.a.b[0]` is not a JSON value: it is a bigint; `resource.attr.a.b[1].c` is not a JSON value: it is a bigint; " +
        "`resource.attr.a.d` is not a JSON value: it is a bigint; `resource.attr.e` is not a JSON value: it is a bigint",
    ],
  ])("%s", (_, attr, expected) => {
    if (typeof expected === "string") expect(() => taken(attr)).toThrow(expected);
    else expect(taken(attr)).toStrictEqual(expected);
  });

  test("an accessor is read once", () => {
    const { attr, times } = counted();
    expect(taken(attr)).toEqual({ a: "text 1" });
    expect(times()).toBe(1);
  });

  test("a name that is taken away meanwhile is told as it is then, inherited or not", () => {
    const attr = {
      get a() {
        Reflect.deleteProperty(attr, "toString");
        return 1;
      },
      toString: "own",
      z: 2,
    };
    expect(() => taken(attr)).toThrow("`resource.attr.toString` is not a JSON value: it is a function");
  });

  test("`__proto__` is a name as others are", () => {
    const attr = taken(JSON.parse('{"__proto__": "x", "a": {"__proto__": {"b": 1}}}'));
    expect(Object.getPrototypeOf(attr)).toBe(Object.prototype);
    expect(JSON.stringify(attr)).toBe('{"__proto__":"x","a":{"__proto__":{"b":1}}}');
    expect(isOurs(attr)).toBe(true);
  });

  test("what the caller changes later is not seen", () => {
    const attr = { a: "1", list: [1, { b: 2 }], inner: { c: 3 } };
    const copy = taken(attr);
    attr.a = "2";
    attr.list.push(5);
    attr.inner.c = 4;
    Object.assign(attr.list[1] ?? {}, { b: 5 });
    expect(copy).toEqual({ a: "1", list: [1, { b: 2 }], inner: { c: 3 } });
  });
});

describe("the longest text counts, wherever it stands", () => {
  const long = "x".repeat(1_000);
  test.each<readonly [string, object, object]>([
    ["an id", { ...ann, id: long }, doc],
    ["a role", { ...ann, roles: [long] }, doc],
    ["one of several roles", { ...ann, roles: ["a", long] }, doc],
    ["a kind", ann, { ...doc, kind: long }],
    ["a version", ann, { ...doc, policyVersion: long }],
    ["a scope", { ...ann, scope: long }, doc],
    ["an attribute", { ...ann, attr: { a: long } }, doc],
    ["an attribute called `__proto__`", ann, { ...doc, attr: JSON.parse(`{"__proto__": "${long}"}`) }],
    [
      "an attribute of many",
      ann,
      { ...doc, attr: { ...Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`a${at}`, 1])), z: long } },
    ],
    ["an item", ann, { ...doc, attr: { a: [1, long] } }],
    ["a field within", ann, { ...doc, attr: { a: { b: long } } }],
  ])("%s", (_, principal, resource) => {
    expect(readSingleAction(principal, resource, "view", undefined).longestText).toBe(1_000);
    expect(readRequest({ principal, resource, actions: ["view"] }).longestText).toBe(1_000);
  });
  test("an action", () => expect(readSingleAction(ann, doc, long, undefined).longestText).toBe(1_000));
});

test.each(["id", "roles", "kind"])("a prototype that takes and gives `%s` is not asked", (name) => {
  const spoilt = { configurable: true, get: () => ["admin"], set: () => undefined };
  Reflect.defineProperty(Object.prototype, name, spoilt);
  try {
    const { input } = readSingleAction(ann, doc, "view", undefined);
    expect([input.principal.id, input.principal.roles[0], input.resource.kind, input.resource.id]).toEqual(["ann", "user", "doc", "1"]);
  } finally {
    Reflect.deleteProperty(Object.prototype, name);
  }
});
