/** Values that programs may hand over, hostile ones included: recipes, of which the same value is made as often as it is needed. */
import fc from "fast-check";

/** Takes what is read of a value by those who made it so that they notice. */
export type Log = string[];

/** Makes a value anew. */
export type Recipe = (log: Log) => unknown;

const leaf = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.string({ maxLength: 4 }).map(
      (text): Recipe =>
        () =>
          text,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.double().map(
      (value): Recipe =>
        () =>
          value,
    ),
  },
  fc.constantFrom<Recipe>(
    () => "\uD800",
    () => "x".repeat(300),
    () => 7,
    () => -0,
    () => Number.POSITIVE_INFINITY,
    () => true,
    () => null,
    () => undefined,
    () => 5n,
    () => Symbol("s"),
    () => () => 1,
    () => new Date(0),
    () => new Date(Number.NaN),
    () => new Map([["a", 1]]),
    () => new Set([1]),
    () => new Uint8Array(2),
    () => /x/,
    () => Object("boxed"),
    () => new Intl.NumberFormat("en"),
    () => Object.create(null),
  ),
);

const names = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "id", "roles", "kind", "attr", "scope") },
  fc.constantFrom("", "__proto__", "constructor", "toString", "toJSON", "hasOwnProperty", "0", "10", "length", "policyVersion"),
);

/** How a field is there. */
const manners = fc.constantFrom("plain", "plain", "plain", "plain", "getter", "hidden", "symbol", "inherited", "eater", "thrower", "hider");

type Field = readonly [name: string, manner: string, value: Recipe];

function put(target: object, [name, manner, value]: Field, log: Log): void {
  const about = { enumerable: true, configurable: true };
  const read = (more: () => void) => ({
    ...about,
    get: () => {
      log.push(`get ${name}`);
      more();
      return value(log);
    },
  });
  if (manner === "getter")
    Object.defineProperty(
      target,
      name,
      read(() => undefined),
    );
  else if (manner === "thrower")
    Object.defineProperty(target, name, {
      ...about,
      get: () => {
        throw new Error(`no ${name}`);
      },
    });
  // What is read takes others away, or hides them.
  else if (manner === "eater")
    Object.defineProperty(
      target,
      name,
      read(() => void Reflect.deleteProperty(target, "c")),
    );
  else if (manner === "hider")
    Object.defineProperty(
      target,
      name,
      read(() => {
        if (Object.hasOwn(target, "b")) Object.defineProperty(target, "b", { enumerable: false });
        Object.defineProperty(target, "later", { ...about, value: 1 });
      }),
    );
  else if (manner === "symbol") Object.defineProperty(target, Symbol(name), { ...about, value: value(log) });
  else Object.defineProperty(target, name, { ...about, value: value(log), writable: true, enumerable: manner !== "hidden" });
}

function objectOf(fields: readonly Field[], log: Log, prototype: object | null = Object.prototype): object {
  const inherited = fields.filter(([, manner]) => manner === "inherited");
  const own = fields.filter(([, manner]) => manner !== "inherited");
  const made: object = Object.create(
    inherited.length === 0
      ? prototype
      : objectOf(
          inherited.map(([name, , value]) => [name, "plain", value]),
          log,
        ),
  );
  for (const field of own) put(made, field, log);
  return made;
}

/** Tells each value that is read of it, and nothing of what is only asked about it, as how long it is. */
const watched = (target: object, log: Log): object =>
  new Proxy(target, {
    get(of, name, receiver) {
      if (name !== "length") log.push(`read ${String(name)}`);
      return Reflect.get(of, name, receiver);
    },
  });

function within(target: object, depth: number): unknown {
  let value: unknown = target;
  for (let level = 0; level < depth; level++) value = level % 3 === 0 ? [value] : { in: value };
  return value;
}

const { value } = fc.letrec<{ value: Recipe; fields: readonly Field[] }>((tie) => ({
  fields: fc.array(fc.tuple(names, manners, tie("value")), { maxLength: 6 }),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    {
      weight: 4,
      arbitrary: tie("fields").map(
        (fields): Recipe =>
          (log) =>
            objectOf(fields, log),
      ),
    },
    {
      weight: 1,
      arbitrary: tie("fields").map(
        (fields): Recipe =>
          (log) =>
            objectOf(fields, log, null),
      ),
    },
    {
      weight: 2,
      arbitrary: tie("fields").map(
        (fields): Recipe =>
          (log) =>
            watched(objectOf(fields, log), log),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.array(tie("value"), { maxLength: 4 }).map(
        (items): Recipe =>
          (log) =>
            items.map((item) => item(log)),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.array(tie("value"), { maxLength: 3 }).map(
        (items): Recipe =>
          (log) =>
            watched(
              items.map((item) => item(log)),
              log,
            ),
      ),
    },
    // A list with a hole and a field; one that says itself what is in it; one that is written otherwise.
    {
      weight: 1,
      arbitrary: tie("value").map(
        (item): Recipe =>
          (log) =>
            Object.assign([item(log)], { 3: item(log), more: 1 }),
      ),
    },
    {
      weight: 1,
      arbitrary: tie("value").map(
        (item): Recipe =>
          (log) =>
            Object.assign([1, 2], { [Symbol.iterator]: () => [item(log)].values() }),
      ),
    },
    {
      weight: 1,
      arbitrary: tie("value").map((item): Recipe => (log) => ({ toJSON: () => item(log), a: 1 })),
    },
    {
      weight: 1,
      arbitrary: leaf.map((item): Recipe => (log) => {
        const circle: { a: unknown; self?: object } = { a: item(log) };
        circle.self = circle;
        return circle;
      }),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("fields"), fc.integer({ min: 990, max: 1_002 })).map(
        ([fields, depth]): Recipe =>
          (log) =>
            within(objectOf(fields, log), depth),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.integer({ min: 60, max: 70 }), tie("fields")).map(([many, fields]): Recipe => (log) => {
        const wide = Object.fromEntries(Array.from({ length: many }, (_, at) => [`n${at}`, at]));
        for (const field of fields) put(wide, field, log);
        return wide;
      }),
    },
  ),
}));

/** Any value. */
export const values: fc.Arbitrary<Recipe> = value;
