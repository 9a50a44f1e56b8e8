/** Laws of the reader of requests, over random text and random requests. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkInputs, readCheckRequest } from "../../../runtime/wire/request.ts";
import { countKeyColons, scanJson } from "../../../runtime/wire/scan.ts";

const limits = { maxResourcesPerRequest: 50, maxActionsPerResource: 50 };

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }),
  fc.constantFrom("__proto__", "constructor", "toString", "length", "a:b", '":', "\\", "\u0000", "é", "\u{1f600}"),
);
const attributes = fc.option(fc.dictionary(name, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 }), { nil: undefined });
const version = fc.constantFrom(undefined, "", "v1", "default", "2024_01");
const scope = fc.constantFrom(undefined, "", ".", "acme", "acme.hr-1");

const principal = fc.record({
  id: name,
  roles: fc.uniqueArray(name, { minLength: 1, maxLength: 20 }),
  attr: attributes,
  policyVersion: version,
  scope,
});
const resource = fc.record({ kind: name, id: name, attr: attributes, policyVersion: version, scope });
const entry = fc.record({ resource, actions: fc.uniqueArray(name, { minLength: 1, maxLength: 20 }) });
const request = fc.record({
  requestId: fc.option(name, { nil: undefined }),
  includeMeta: fc.option(fc.boolean(), { nil: undefined }),
  principal,
  resources: fc.array(entry, { minLength: 1, maxLength: 4 }),
});

/** What protobuf's JSON means: what is unset, null, "" and {} is absent; attributes are what JSON.parse makes of them. */
const meaning = (message: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([key, value]) => value !== undefined && value !== "" && !(key === "attr" && Object.keys(Object(value)).length === 0),
    ),
  );

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("a valid request reads back as what protobuf's JSON means by it", () => {
  fc.assert(
    fc.property(request, fc.constantFrom(undefined, 1, "\t"), (asked, indent) => {
      const read = readCheckRequest(JSON.stringify(asked, undefined, indent), limits);
      if (read.kind === "refusal") throw new Error(read.message);
      expect(read.requestId).toBe(asked.requestId ?? "");
      expect(read.includeMeta).toBe(asked.includeMeta ?? false);
      expect(read.tokens).toBeUndefined();
      expect(checkInputs(read, undefined)).toEqual(
        asked.resources.map(({ resource: of, actions }) => ({
          requestId: asked.requestId ?? "",
          principal: throughJson(meaning(asked.principal)),
          resource: throughJson(meaning(of)),
          actions,
        })),
      );
    }),
    { numRuns: 300 },
  );
});

test("the proto names mean the same", () => {
  fc.assert(
    fc.property(request, (asked) => {
      const text = JSON.stringify(asked);
      const snake = text
        .replace(/"requestId":/, '"request_id":')
        .replace(/"includeMeta":/, '"include_meta":')
        .replace(/"policyVersion":/g, '"policy_version":');
      // Where parts can be copied from a text is another matter.
      expect({ ...readCheckRequest(snake, limits), source: undefined }).toEqual({ ...readCheckRequest(text, limits), source: undefined });
    }),
    { numRuns: 100 },
  );
});

// Text that is nearly a request: pieces of JSON and of the contract in any order.
const piece = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  '"',
  " ",
  "\n",
  "null",
  "true",
  "1",
  "-",
  "1e400",
  '"a"',
  '"principal"',
  '"resources"',
  '"actions"',
  '"id"',
  '"roles"',
  '"attr"',
  '"auxData"',
  '"jwt"',
  '"\\ud800"',
  "\\",
  "\\u00",
  "\ud800",
  '{"principal":{"id":"a","roles":["b"]},',
  '"resources":[{"actions":["a"],"resource":{"kind":"k","id":"1"}}]',
);
const nearly = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));

test("any text is read or refused, and never throws", () => {
  fc.assert(
    fc.property(fc.oneof(nearly, fc.string({ unit: "binary" }), fc.json()), (text) => {
      const read = readCheckRequest(text, limits);
      if (read.kind === "refusal") {
        expect(read.code).toBe(3);
        expect(read.message).not.toBe("");
      } else {
        expect(read.entries.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 2_000 },
  );
});

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

// What JSON.parse lets pass and the scan does not.
const stricter = /duplicate field|half a surrogate|too large|nested deeper/;

test("the scan agrees with JSON.parse about what is JSON", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nearly,
        fc.json(),
        fc.json().map((text) => `${text}]`),
        fc.string(),
      ),
      (text) => {
        const problem = scanJson(text);
        if (problem === undefined) expect(parses(text)).toBe(true);
        else if (!stricter.test(problem.sentence)) expect(parses(text)).toBe(false);
      },
    ),
    { numRuns: 2_000 },
  );
});

const keysOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0;
  const below = Object.values(value).reduce((sum: number, item) => sum + keysOf(item), 0);
  return below + (Array.isArray(value) ? 0 : Object.keys(value).length);
};

test("the count of key colons never misses a key", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(countKeyColons(text)).toBeGreaterThanOrEqual(keysOf(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});

test("a key given twice anywhere in the attributes is found", () => {
  const twice = (value: unknown, key: string): string =>
    Array.isArray(value) && value.length > 0
      ? `[${value.map((item, i) => (i === 0 ? twice(item, key) : JSON.stringify(item))).join(",")}]`
      : `{${JSON.stringify(key)}:${JSON.stringify(value)},"${key.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}":null}`;
  fc.assert(
    fc.property(fc.jsonValue(), name, (value, key) => {
      const attr = `{"x":${twice(value, key)}}`;
      const read = readCheckRequest(
        `{"principal":{"id":"a","roles":["b"],"attr":${attr}},"resources":[{"actions":["a"],"resource":{"kind":"k","id":"1"}}]}`,
        limits,
      );
      expect(read).toMatchObject({ kind: "refusal", message: expect.stringContaining("duplicate field") });
    }),
    { numRuns: 300 },
  );
});
