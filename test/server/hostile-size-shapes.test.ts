/** Many keys, deep nesting, names given twice, halves of characters, numbers at the edge: data, or refused with a sentence. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { askBoth, askGrpc, askHttp } from "./ask-both.ts";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { part } from "./protobuf.ts";
import { requestMessage, type Asked, type Attributes } from "./request-message.ts";

const conditions: { readonly [action: string]: string } = {
  "has ten thousand keys": "R.attr.size() == 10000",
  "has the last of them": 'R.attr["k9999"] == 9999.0',
  "has one more": '"k10000" in R.attr',
  "has a key of every object": '"constructor" in R.attr || "__proto__" in R.attr',
  "names add up": 'R.attr.filter(k, k.startsWith("k")).size() == 10000',
  "are alike": "R.attr == P.attr",
  "is a hundred thousand": "R.attr.list.size() == 90000",
  "is zero": "R.attr.n == 0.0 && R.attr.n == 0 && R.attr.n >= 0.0 && R.attr.n <= 0.0",
  "is two to the sixty-third": "R.attr.n == 9223372036854775808.0",
  "is an integer": "int(R.attr.n) > 0",
  "is more than any integer": "R.attr.n > 9223372036854775807",
  "is the largest double": "R.attr.n == 1.7976931348623157e308 && R.attr.n * 2.0 > R.attr.n",
  "is the smallest double": "R.attr.n > 0.0 && R.attr.n / 2.0 == 0.0",
  "is sent": 'has(R.attr.a) && R.attr.a != ""',
};
const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: shape
  version: default
  rules:
${Object.entries(conditions)
  .map(
    ([action, expr]) =>
      `    - {actions: ["${action}"], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: ${JSON.stringify(expr)}}}}`,
  )
  .join("\n")}
`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ policies: { "expense.yaml": expensePolicy, "shape.yaml": policy }, settings: { "audit.enabled": false } });
});
afterEach(async () => {
  expect((await server.post("/api/check/resources", request)).status).toBe(200); // whatever was asked before
});
afterAll(() => server.stop());

const actions = Object.keys(conditions);
const asked = (attr: Attributes, ofPrincipal: Attributes = attr): Asked => ({
  principal: { id: "ann", roles: ["user"], attr: ofPrincipal },
  resources: [{ actions, resource: { kind: "shape", id: "1", attr } }],
});
const withAttr = (text: string): string =>
  `{"principal":{"id":"ann","roles":["user"]},"resources":[{"actions":${JSON.stringify(actions)},"resource":{"kind":"shape","id":"1","attr":${text}}}]}`;

const keys: Attributes = Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at] as const);
const lists = (levels: number, inner: unknown): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};
const objects = (levels: number, inner: unknown): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};

describe("is data, over either transport:", () => {
  test.each<readonly [sentence: string, question: Asked, holds: readonly string[]]>([
    ["ten thousand keys", asked(keys), ["has ten thousand keys", "has the last of them", "names add up", "are alike"]],
    [
      "ten thousand keys, and another order",
      asked(keys, keys.toReversed()),
      ["has ten thousand keys", "has the last of them", "names add up", "are alike"],
    ],
    [
      "ten thousand keys, one of them another",
      asked(keys, [["x", 1], ...keys.slice(1)]),
      ["has ten thousand keys", "has the last of them", "names add up"],
    ],
    ["500 levels of lists", asked([["a", lists(500, "data")]]), ["are alike", "is sent"]],
    ["500 levels of lists, another at the bottom", asked([["a", lists(500, "data")]], [["a", lists(500, "other")]]), ["is sent"]],
    ["500 levels of objects", asked([["a", objects(500, "data")]]), ["are alike", "is sent"]],
    ["500 levels of objects, another at the bottom", asked([["a", objects(500, 1)]], [["a", objects(500, 2)]]), ["is sent"]],
    ["990 levels of lists", asked([["a", lists(990, "data")]]), ["are alike", "is sent"]],
    ["990 levels of objects", asked([["a", objects(990, "data")]]), ["are alike", "is sent"]],
    ["a list of ninety thousand", asked([["list", Array.from({ length: 90_000 }, () => 1)]], []), ["is a hundred thousand"]],
    ["-0", asked([["n", -0]], [["n", 0]]), ["are alike", "is zero"]],
    ["2^63, which is one more than any integer, and as a double equal to that", asked([["n", 2 ** 63]], []), ["is two to the sixty-third"]],
    ["2^64", asked([["n", 2 ** 64]], []), ["is more than any integer"]],
    ["the largest double", asked([["n", Number.MAX_VALUE]], []), ["is more than any integer", "is the largest double"]],
    ["the smallest double", asked([["n", Number.MIN_VALUE]], []), ["is the smallest double"]],
    ["an integer", asked([["n", 7]], []), ["is an integer"]],
    ["whole characters of two halves", asked([["a", "\u{1f600}"]]), ["are alike", "is sent"]],
  ])("%s", async (_sentence, question, holds) => {
    for (const { code, message, allowed } of await askBoth(server, question)) {
      expect([code, message]).toEqual([0, ""]);
      expect([...(allowed[0] ?? [])].toSorted()).toEqual([...holds].toSorted());
    }
  });
});

describe("is refused over HTTP, with a sentence that says what and where:", () => {
  const tooMany = "the request holds more than 100000 values";
  test.each<readonly [sentence: string, body: string, message: string]>([
    ["a name given twice", withAttr('{"a":1,"a":2}'), "duplicate field `a`"],
    ["__proto__ given twice", withAttr('{"__proto__":1,"__proto__":2}'), "duplicate field `__proto__`"],
    ["a name given twice, once in other letters", withAttr('{"__proto__":1,"\\u005f_proto__":2}'), "duplicate field `__proto__`"],
    ["a name given twice, deep down", withAttr(`{"a":${"[".repeat(500)}{"then":1,"then":1}${"]".repeat(500)}}`), "duplicate field `then`"],
    ["a name given twice among ten thousand", withAttr(`{${keys.map(([name]) => `"${name}":1`).join()},"k5":2}`), "duplicate field `k5`"],
    [
      "__proto__ as a field of the request",
      '{"__proto__":{"principal":{"id":"ann","roles":["user"]}}}',
      "unknown field `__proto__` in the request",
    ],
    [
      "constructor as a field of the principal",
      '{"principal":{"id":"a","roles":["b"],"constructor":{}}}',
      "unknown field `constructor` in `principal`",
    ],
    [
      "toString as a field of a resource",
      '{"resources":[{"resource":{"toString":"x"}}]}',
      "unknown field `toString` in `resources[0].resource`",
    ],
    ["a lone surrogate as a value", withAttr('{"a":"\\ud800"}'), "half a surrogate pair is not a character"],
    ["a lone surrogate as a name", withAttr('{"\\udc00":1}'), "half a surrogate pair is not a character"],
    ["1e400", withAttr('{"n":1e400}'), "the number `1e400` is too large"],
    ["-1e400, deep down", withAttr('{"n":[{"a":[-1e400]}]}'), "the number `-1e400` is too large"],
    ["NaN", withAttr('{"n":NaN}'), "expected a value, found `N`"],
    ["10,000 levels of lists", withAttr(`{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`), "nested deeper than 1000 levels"],
    ["10,000 levels of objects", withAttr(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`), "nested deeper than 1000 levels"],
    ["10,000 levels that never close", withAttr("[".repeat(10_000)), "nested deeper than 1000 levels"],
    [
      "a hundred thousand keys and more",
      withAttr(`{${Array.from({ length: 100_001 }, (_, at) => `"${at.toString(36)}":1`).join()}}`),
      tooMany,
    ],
    ["a million empty resources", `{"resources":[${"{},".repeat(1_000_000)}{}]}`, tooMany],
    ["a million levels", withAttr("[".repeat(1_000_000)), tooMany],
    ["two million commas", withAttr(`[${",".repeat(2_000_000)}]`), tooMany],
  ])("%s", async (_sentence, body, message) => {
    const told = await askHttp(server, body);
    expect(told).toMatchObject({ code: 3, message: expect.stringContaining(message) });
    expect(told.message.length).toBeLessThan(1000);
  });

  test("half a character in bytes", async () => {
    const [before = "", after = ""] = withAttr('{"a":"¦"}').split("¦");
    const told = await askHttp(server, Buffer.concat([Buffer.from(before), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(after)]));
    expect(told).toEqual({ code: 3, message: "the request body is not UTF-8 text", allowed: [] });
  });

  test("but commas and brackets in texts are no values", async () => {
    const told = await askHttp(server, withAttr(`{"a":${JSON.stringify('[{,\\"'.repeat(200_000))}}`));
    expect(told).toEqual({ code: 0, message: "", allowed: [["is sent"]] });
  });
});

describe("is refused over gRPC, with a sentence:", () => {
  const usual = requestMessage(asked([["a", "data"]]));
  const attr = (name: string | Uint8Array, value: Uint8Array): Buffer => part(3, part(4, Buffer.concat([part(1, name), part(2, value)])));
  const list = (items: Uint8Array): Buffer => part(6, items);
  const tooMany = "the request holds more than 100000 values";
  const repeated = (unit: Uint8Array, times: number): Buffer => Buffer.alloc(unit.length * times, unit);
  const listsOfLists = (levels: number): Buffer => {
    let value: Buffer = Buffer.from([8, 0]);
    for (let level = 0; level < levels; level++) value = list(part(1, value));
    return value;
  };
  const infinite = Buffer.from("11000000000000f07f", "hex");

  test.each<readonly [sentence: string, message: Uint8Array, code: number, words: string]>([
    ["two million empty resources", repeated(part(4, ""), 2_000_000), 3, tooMany],
    ["two million roles", part(3, repeated(part(3, ""), 2_000_000)), 3, tooMany],
    ["a list of a million", Buffer.concat([usual, attr("a", list(repeated(part(1, Buffer.from([8, 0])), 1_000_000)))]), 3, tooMany],
    ["a million kinds of one value", Buffer.concat([usual, attr("a", repeated(list(Buffer.alloc(0)), 1_000_000))]), 3, tooMany],
    ["a million fields that nobody knows", Buffer.concat([usual, repeated(Buffer.from([0x78, 1]), 1_000_000)]), 3, tooMany],
    [
      "a million fields in a group",
      Buffer.concat([usual, Buffer.from([0x7b]), repeated(Buffer.from([0x78, 1]), 1_000_000), Buffer.from([0x7c])]),
      3,
      tooMany,
    ],
    [
      "a list of as much as a message may hold, and one more than a text",
      attr("a", list(repeated(part(1, Buffer.from([8, 0])), 100_001))),
      3,
      tooMany,
    ],
    ["infinity", Buffer.concat([usual, attr("n", infinite)]), 3, "the request holds a value that JSON cannot hold"],
    [
      "half a character",
      Buffer.concat([usual, attr("a", part(3, Buffer.from([0xed, 0xa0, 0x80])))]),
      13,
      "is not a authz.request.v1.CheckResourcesRequest",
    ],
    ["10,000 levels of lists", attr("a", listsOfLists(10_000)), 13, "nested deeper than 1000 levels"],
    ["1,000 levels of lists", Buffer.concat([usual, attr("a", listsOfLists(1000))]), 3, "nested deeper than 1000 levels"],
  ])("%s", async (_sentence, message, code, words) => {
    const told = await askGrpc(server, message);
    expect(told).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(told.message.length).toBeLessThan(1000);
  });

  test("and what could not be read is in the log, at the level of what a caller can mend", async () => {
    await askGrpc(server, Buffer.from([0xff, 0xff]));
    const line = server.logged().findLast((each) => each["authz.method"] === "CheckResources");
    expect(line).toMatchObject({
      "log.level": "info",
      "authz.code": "INTERNAL",
      "error.message": expect.stringContaining("the request is not a authz.request.v1.CheckResourcesRequest"),
      "network.protocol": "grpc",
    });
  });

  test("while a name given twice is, as everywhere in its messages, what it was the last time", async () => {
    const twice = Buffer.concat([
      part(4, Buffer.concat([part(1, "n"), part(2, part(3, "x"))])),
      part(4, Buffer.concat([part(1, "n"), part(2, Buffer.from("110000000000001c40", "hex"))])),
    ]);
    const resource = Buffer.concat([part(1, "shape"), part(3, "1"), twice]);
    const message = Buffer.concat([
      part(3, Buffer.concat([part(1, "ann"), part(3, "user")])),
      part(4, Buffer.concat([part(1, "is an integer"), part(2, resource)])),
    ]);
    expect(await askGrpc(server, message)).toEqual({ code: 0, message: "", allowed: [["is an integer"]] });
  });
});
