/** What the host is made of, as far as it could be changed: surveyed before and after an attack. */

/** Everything that a survey found: a name for each place, and what stands there. */
export type Survey = ReadonlyMap<string, unknown>;

/** Marks what the host owns, so that a unit can tell it when it gets hold of it; answers how to take the marks away. */
export function markHost(): () => void {
  const marked = [...intrinsics().values()];
  for (const object of marked) Object.defineProperty(object, "hostsOwn", { value: true, configurable: true });
  return () => {
    for (const object of marked) Reflect.deleteProperty(object, "hostsOwn");
  };
}

/** Lists every own property of the host's intrinsics, of its global object and of its process. */
export function survey(): Survey {
  const found = new Map<string, unknown>();
  for (const [name, object] of intrinsics()) {
    found.set(`the prototype of ${name}`, Object.getPrototypeOf(object));
    found.set(`whether ${name} can be extended`, Object.isExtensible(object));
    for (const key of Reflect.ownKeys(object)) {
      const descriptor = Object.getOwnPropertyDescriptor(object, key);
      // What a value is matters where it is code; a counter of the process may count.
      const [value, get, set]: readonly unknown[] = ["value", "get", "set"].map((part) => Reflect.get(descriptor ?? {}, part));
      found.set(`${name}.${String(key)}`, typeof value === "function" ? value : (get ?? set ?? typeof value));
    }
  }
  return found;
}

/** Names the places where two surveys differ. */
export function differences(before: Survey, after: Survey): readonly string[] {
  const places = new Set([...before.keys(), ...after.keys()]);
  return [...places].filter((place) => before.has(place) !== after.has(place) || before.get(place) !== after.get(place));
}

const hidden = (): readonly (readonly [string, object])[] => {
  const asyncFunction = async (): Promise<void> => {};
  function* generator(): Generator<number> {
    yield 1;
  }
  async function* asyncGenerator(): AsyncGenerator<number> {
    yield 1;
  }
  const prototypes: readonly (readonly [string, object])[] = [
    ["%AsyncFunction.prototype%", asyncFunction],
    ["%GeneratorFunction.prototype%", generator],
    ["%AsyncGeneratorFunction.prototype%", asyncGenerator],
    ["%Generator.prototype%", generator.prototype],
    ["%AsyncGenerator.prototype%", asyncGenerator.prototype],
    ["%ArrayIterator.prototype%", [][Symbol.iterator]()],
    ["%MapIterator.prototype%", new Map()[Symbol.iterator]()],
    ["%StringIterator.prototype%", ""[Symbol.iterator]()],
    ["%TypedArray%", Uint8Array],
  ];
  return prototypes.map(([name, object]) => [name, Object.getPrototypeOf(object)] as const);
};

/** The built-in constructors, namespaces and prototypes of this realm, and what belongs to the program alone. */
function intrinsics(): ReadonlyMap<string, object> {
  const found = new Map<string, object>([["globalThis", globalThis], ["process", process], ...hidden()]);
  for (const name of standard) {
    const object: unknown = Reflect.get(globalThis, name);
    if (typeof object !== "function" && (typeof object !== "object" || object === null)) continue;
    found.set(name, object);
    const prototype: unknown = Reflect.get(object, "prototype");
    if (typeof prototype === "object" && prototype !== null) found.set(`${name}.prototype`, prototype);
  }
  found.set("Function.prototype", Function.prototype);
  return found;
}

const standard = [
  "Object",
  "Function",
  "Array",
  "String",
  "Number",
  "Boolean",
  "BigInt",
  "Symbol",
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "ReferenceError",
  "EvalError",
  "URIError",
  "AggregateError",
  "Promise",
  "Proxy",
  "Reflect",
  "JSON",
  "Math",
  "RegExp",
  "Date",
  "Intl",
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "WeakRef",
  "FinalizationRegistry",
  "ArrayBuffer",
  "SharedArrayBuffer",
  "Atomics",
  "DataView",
  "Uint8Array",
  "Int32Array",
  "Float64Array",
  "BigInt64Array",
  "WebAssembly",
  "Iterator",
  "Buffer",
  "URL",
  "console",
  "eval",
  "queueMicrotask",
  "setTimeout",
  "structuredClone",
  "performance",
  "TextEncoder",
  "AbortController",
] as const;
