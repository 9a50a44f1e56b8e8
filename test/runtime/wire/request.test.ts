/** What the reader of requests accepts and what it refuses, with the place it names. */
import { describe, expect, test } from "vitest";
import { checkInputs, readCheckRequest } from "../../../runtime/wire/request.ts";
import type { CheckRequest } from "../../../runtime/wire/request.ts";

const limits = { maxResourcesPerRequest: 3, maxActionsPerResource: 3 };

const ann = '{"id":"ann","roles":["user"]}';
const memo = '{"actions":["view"],"resource":{"kind":"memo","id":"1"}}';
const whole = (more = "", principal = ann, resources = `[${memo}]`): string => `{"principal":${principal},"resources":${resources}${more}}`;
const withAttr = (attr: string): string => whole("", `{"id":"ann","roles":["user"],"attr":${attr}}`);

const accepted = (text: string): CheckRequest => {
  const request = readCheckRequest(text, limits);
  if (request.kind === "refusal") throw new Error(`refused: ${request.message}`);
  return request;
};
const refused = (text: string): string => {
  const refusal = readCheckRequest(text, limits);
  if (refusal.kind === "request") throw new Error("accepted");
  expect(refusal.code).toBe(3);
  expect(refusal.violations).toEqual([]);
  return refusal.message;
};

/** Takes the mark out of a body, and says where it stood. */
const marked = (body: string): { readonly text: string; readonly place: string } => {
  const [before = "", after = ""] = body.split("¦");
  const lines = before.split("\n");
  return { text: before + after, place: `line ${lines.length}, column ${[...(lines.at(-1) ?? "")].length + 1}` };
};

/** Expects the sentence at the marked place. */
const refusedAt = (body: string, sentence: string): void => {
  const { text, place } = marked(body);
  expect(refused(text)).toBe(`${place}: ${sentence}`);
};

describe("a sound request is read as", () => {
  test("inputs, one for each entry, in order", () => {
    const request = accepted(
      whole(
        ',"requestId":"r1","includeMeta":true',
        '{"id":"ann","roles":["user","admin"],"attr":{"a":1},"policyVersion":"v2","scope":"acme.hr"}',
        `[${memo},{"resource":{"id":"2","kind":"memo","attr":{"owner":"ann"},"scope":"."},"actions":["view","edit"]}]`,
      ),
    );
    expect(request.requestId).toBe("r1");
    expect(request.includeMeta).toBe(true);
    const principal = { id: "ann", roles: ["user", "admin"], attr: { a: 1 }, policyVersion: "v2", scope: "acme.hr" };
    expect(checkInputs(request, undefined)).toEqual([
      { requestId: "r1", principal, resource: { kind: "memo", id: "1" }, actions: ["view"] },
      { requestId: "r1", principal, resource: { kind: "memo", id: "2", attr: { owner: "ann" }, scope: "." }, actions: ["view", "edit"] },
    ]);
  });

  test("inputs that carry verified claims, once they are handed in", () => {
    const auxData = { jwt: { sub: "ann" } };
    expect(checkInputs(accepted(whole()), auxData)).toEqual([expect.objectContaining({ auxData })]);
  });

  test("tokens that nobody has verified yet", () => {
    expect(accepted(whole(',"auxData":{"jwt":{"token":"abc","keySetId":"ks"}}')).tokens).toEqual({ jwt: { token: "abc", keySetId: "ks" } });
    expect(accepted(whole(',"aux_data":{"jwts":{"a":{"token":"x","key_set_id":"k"},"b":{"token":"y"}}}')).tokens).toEqual({
      jwts: new Map([
        ["a", { token: "x", keySetId: "k" }],
        ["b", { token: "y", keySetId: "" }],
      ]),
    });
    expect(accepted(whole(',"auxData":{}')).tokens).toBeUndefined();
  });

  test("annotations for the audit log", () => {
    expect(accepted(whole(',"requestContext":{"annotations":{"ticket":[1,null]}}')).annotations).toEqual({ ticket: [1, null] });
  });

  test.each([
    ["the proto names", whole(',"request_id":"r","include_meta":true', '{"id":"a","roles":["b"],"policy_version":"v"}')],
    [
      "null for every field that may be unset",
      whole(
        ',"requestId":null,"includeMeta":null,"auxData":null,"requestContext":null',
        '{"id":"a","roles":["b"],"attr":null,"policyVersion":null,"scope":null}',
      ),
    ],
    ["null inside tokens and context", whole(',"auxData":{"jwt":null,"jwts":null},"requestContext":{"annotations":null}')],
    ["white space everywhere", ` \t\r\n${whole().replace(/([{}[\],:])/g, " $1\n ")} \n`],
    ["names spelled with escapes", whole(',"request\\u0049d":"r"')],
    ["a whole surrogate pair, escaped", whole(',"requestId":"\\ud83d\\ude00"')],
    ["a whole surrogate pair, raw", whole(',"requestId":"\u{1f600}"')],
    ["a backslash before what looks like an escape", whole(',"requestId":"\\\\ud800"')],
    ["strings that look like keys", withAttr('{"a":":b","c":"d\\":e","\\":":1}')],
    ["a null character, escaped", whole(',"requestId":"a\\u0000b"')],
    ["single spaces as id and role", whole("", '{"id":" ","roles":[" "]}')],
    ["any characters in kinds and actions", whole("", ann, '[{"actions":["view:*","a b","é"],"resource":{"kind":"a*b/c","id":"1"}}]')],
    ["an empty name below the top of attr", withAttr('{"a":{"":1}}')],
    ["a number too small for a double", withAttr('{"a":1e-400}')],
    ["a resource asked about twice", whole("", ann, `[${memo},${memo}]`)],
    ["as many resources as allowed", whole("", ann, `[${memo},${memo},${memo}]`)],
  ])("%s", (_what, text) => {
    expect(accepted(text).entries.length).toBeGreaterThan(0);
  });

  test("attributes whose names belong to prototypes elsewhere", () => {
    const { principal } = accepted(withAttr('{"__proto__":{"admin":true},"constructor":1,"toString":2,"hasOwnProperty":3,"length":4}'));
    expect(Object.keys(principal.attr ?? {})).toEqual(["__proto__", "constructor", "toString", "hasOwnProperty", "length"]);
    expect(Object.getPrototypeOf(principal.attr)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("admin");
  });

  test("attributes down to a thousand levels", () => {
    expect(accepted(withAttr(`{"a":${"[".repeat(997)}${"]".repeat(997)}}`)).principal.attr).toHaveProperty("a");
  });

  test("no attributes where the map is empty or null", () => {
    for (const attr of ["{}", "null"]) expect(accepted(withAttr(attr)).principal).toEqual({ id: "ann", roles: ["user"] });
  });
});

describe("what is no JSON is refused where it stops being JSON (¦)", () => {
  test.each([
    ['{"requestId":¦', "expected a value, found the end of the text: the text ends too early, as if it were cut off"],
    [
      '{"requestId":"r¦',
      "expected the closing quote of a string, found the end of the text: the text ends too early, as if it were cut off",
    ],
    ['{"requestId":"x",¦}', "expected a field name in double quotes, found `}`: remove the comma before it"],
    [
      "{¦'requestId':'x'}",
      'expected a field name in double quotes or "}", found `\'`: JSON has " around strings and names, and no other quotes',
    ],
    ['{"requestId" ¦"x"}', 'expected ":" after a field name, found `"`'],
    ['{"resources":[1 ¦2]}', 'expected "," or "]", found `2`'],
    ['{"a":¦NaN}', "expected a value, found `N`: JSON has no such number: leave it out, or write null or a string"],
    ['{"a":true¦th}', 'expected "," or "}", found `t`'],
    ['{"a":-¦}', "expected a digit, found `}`"],
    ['{"a":0¦1}', 'expected "," or "}", found `1`'],
    ['{"a":1¦.}', 'expected "," or "}", found `.`'],
    ['{"a":"\\¦x"}', "expected an escape, found `x`"],
    ['{"a":"¦\\u12"}', "expected four hexadecimal digits after \\u"],
    ['{"a":"b¦\tc"}', "the control character U+0009 must be escaped inside a string"],
    ["\n\n  ¦/* x */{}", "expected a value, found `/`: JSON has no comments"],
    ["¦\ufeff{}", "expected a value, found U+FEFF: remove the byte order mark"],
    ["¦\u00a0{}", "expected a value, found U+00A0: remove the special space (only ordinary spaces, tabs and line breaks may be there)"],
    ["¦\u200b{}", "expected a value, found U+200B: remove the special space (only ordinary spaces, tabs and line breaks may be there)"],
    ["¦\u202e{}", "expected a value, found U+202E"],
    ["¦\u{1F600}{}", "expected a value, found `\u{1F600}`"],
    ['{"requestId":"\u{1F600}\u{1F600}é"¦1}', 'expected "," or "}", found `1`'],
    [`${whole()}¦xyz`, "expected the end of the text, found `x`"],
    [`${whole()} ¦{}`, "expected the end of the text, found `{`"],
    ['{"a":"¦\\ud800"}', "half a surrogate pair is not a character"],
    ['{"a":"¦\\ud800\\ud800"}', "half a surrogate pair is not a character"],
    ['{"a":"¦\\udc00"}', "half a surrogate pair is not a character"],
    ['{"a":"x¦\ud800"}', "half a surrogate pair is not a character"],
    ['{"¦\\udfff":1}', "half a surrogate pair is not a character"],
    [whole(',"requestId":"¦\\udabc!"'), "half a surrogate pair is not a character"],
    [withAttr('{"a":"¦\ud83d"}'), "half a surrogate pair is not a character"],
    [withAttr('{"a":¦1e400}'), "the number `1e400` is too large"],
    [withAttr('{"a":[{"b":¦-1e999}]}'), "the number `-1e999` is too large"],
  ])("%s", refusedAt);

  test("or where it nests too deep, however deep that is", () => {
    // As deep as may be, wherever attributes are.
    const deep = (more: number): string => `{"a":${"[".repeat(997 + more)}${"]".repeat(997 + more)}}`;
    const ofResource = (attr: string): string => whole("", ann, `[{"actions":["x"],"resource":{"kind":"k","id":"1","attr":${attr}}}]`);
    accepted(withAttr(deep(0)));
    accepted(ofResource(deep(-2)));
    refusedAt(ofResource(`{"a":${"[".repeat(995)}¦[]${"]".repeat(995)}}`), "nested deeper than 1000 levels");
    refusedAt(withAttr(`{"a":${"[".repeat(997)}¦[]${"]".repeat(997)}}`), "nested deeper than 1000 levels");
    refusedAt(withAttr(`{"a":${'{"b":'.repeat(997)}¦{}${"}".repeat(997)}}`), "nested deeper than 1000 levels");
    refusedAt(`${"[".repeat(1_000)}¦${"[".repeat(90_000)}`, "nested deeper than 1000 levels");
  });
});

describe("a name given twice is refused, wherever it is (¦)", () => {
  test.each([
    ['{"requestId":"a",¦"requestId":"b"}', "duplicate field `requestId`"],
    ['{"requestId":"a",¦"request_id":"b"}', "duplicate field `request_id`: it is the same as `requestId`"],
    ['{"requestId":null,¦"request_id":null}', "duplicate field `request_id`: it is the same as `requestId`"],
    [whole("", '{"id":"a","roles":["b"],¦"id":"c"}'), "duplicate field `id`"],
    [
      whole("", '{"id":"a","roles":["b"],"policyVersion":"",¦"policy_version":""}'),
      "duplicate field `policy_version`: it is the same as `policyVersion`",
    ],
    [withAttr('{"a":1,¦"a":2}'), "duplicate field `a`"],
    [withAttr('{"a":1,¦"\\u0061":2}'), "duplicate field `a`"],
    [withAttr('{"a":1,¦"a"\t:2}'), "duplicate field `a`"],
    [withAttr('{"a":1,¦"a"\r\n:2}'), "duplicate field `a`"],
    [withAttr('{"a":[{"b":{"c":1,"d":2,\n ¦"c":3}}]}'), "duplicate field `c`"],
    [withAttr('{"a":{"b":{"c":1}},¦"a":{}}'), "duplicate field `a`"],
    [withAttr('{"__proto__":1,¦"__proto__":2}'), "duplicate field `__proto__`"],
    [withAttr('{"a" :1,"b":":",\n¦"a"\t:2}'), "duplicate field `a`"],
    [withAttr('{"a":":",":":"\\":",¦"a":2}'), "duplicate field `a`"],
    [whole(',"requestContext":{"annotations":{"a":1,¦"a":2}}'), "duplicate field `a`"],
    [whole(',"auxData":{"jwts":{"a":{"token":"x"},¦"a":{"token":"y"}}}'), "duplicate field `a`"],
    [whole(',"includeMeta":true,¦"include_meta":false'), "duplicate field `include_meta`: it is the same as `includeMeta`"],
    [whole(',"aux_data":{},¦"auxData":{"jwt":{"token":"x"}}'), "duplicate field `auxData`: it is the same as `aux_data`"],
    [whole(',"requestContext":{},¦"request_context":{}'), "duplicate field `request_context`: it is the same as `requestContext`"],
    [
      '{"principal":{"id":"a","roles":["b"]},"resources":[{"actions":["c"],"resource":{"kind":"d","id":"1","policy_version":"v",¦"policyVersion":"w"}}]}',
      "duplicate field `policyVersion`: it is the same as `policy_version`",
    ],
    [
      whole(',"auxData":{"jwt":{"token":"x","keySetId":"a",¦"key_set_id":"b"}}'),
      "duplicate field `key_set_id`: it is the same as `keySetId`",
    ],
    [
      whole(',"auxData":{"jwts":{"n":{"token":"x","key_set_id":"a",¦"keySetId":"b"}}}'),
      "duplicate field `keySetId`: it is the same as `key_set_id`",
    ],
  ])("%s", refusedAt);
});

const inRequest = "in the request (it may have requestId, includeMeta, principal, resources, auxData, requestContext)";

describe("what the contract does not have is refused with its place (¦)", () => {
  test.each([
    ["¦null", "a request must be an object, but this is null"],
    [" ¦[]", "a request must be an object, but this is a list"],
    ['¦"x"', "a request must be an object, but this is a string"],
    ["¦1e5", "a request must be an object, but this is a number"],
    [whole(',¦"foo":1'), `unknown field \`foo\` ${inRequest}`],
    [whole(',¦"RequestId":"x"'), `unknown field \`RequestId\` ${inRequest}`],
    [whole(',¦"__proto__":{}'), `unknown field \`__proto__\` ${inRequest}`],
    [
      whole("", '{"id":"a","roles":["b"],¦"constructor":1}'),
      "unknown field `constructor` in `principal` (it may have id, policyVersion, roles, attr, scope)",
    ],
    [whole("", ann, `[${memo},{¦"action":"view"}]`), "unknown field `action` in `resources[1]` (it may have actions, resource)"],
    [
      whole("", ann, '[{"actions":["a"],"resource":{"kind":"k","id":"1",¦"type":"x"}}]'),
      "unknown field `type` in `resources[0].resource` (it may have kind, policyVersion, id, attr, scope)",
    ],
    [whole(',"aux_data":{¦"token":"x"}'), "unknown field `token` in `aux_data` (it may have jwt, jwts)"],
    [whole(',"auxData":{"jwt":{¦"key":"x"}}'), "unknown field `key` in `auxData.jwt` (it may have token, keySetId)"],
    [whole(',"requestContext":{¦"note":"x"}'), "unknown field `note` in `requestContext` (it may have annotations)"],
    [whole(',"requestId":¦5'), "`requestId` must be a string, but is a number"],
    [whole(',"requestId":¦false'), "`requestId` must be a string, but is a boolean"],
    [whole(',"includeMeta": ¦"true"'), "`includeMeta` must be true or false, but is a string"],
    [whole("", '¦"ann"'), "`principal` must be an object, but is a string"],
    [whole("", '{"id":¦5,"roles":["b"]}'), "`principal.id` must be a string, but is a number"],
    [whole("", '{"id":"x","roles":¦"b"}'), "`principal.roles` must be a list of strings, but is a string"],
    [whole("", '{"id":"x","roles":["b",¦null]}'), "`principal.roles[1]` must be a string, but is null"],
    [whole("", '{"id":"x","roles":["b"],"attr":¦[]}'), "`principal.attr` must be an object, but is a list"],
    [whole("", '{"id":"x","roles":["b"],"policy_version":¦1}'), "`principal.policy_version` must be a string, but is a number"],
    [whole("", ann, "¦{}"), "`resources` must be a list, but is an object"],
    [whole("", ann, "[¦null]"), "`resources[0]` must be an object, but is null"],
    [whole("", ann, `[${memo},\n¦[]]`), "`resources[1]` must be an object, but is a list"],
    [
      whole("", ann, '[{"actions":[¦{}],"resource":{"kind":"k","id":"1"}}]'),
      "`resources[0].actions[0]` must be a string, but is an object",
    ],
    [whole("", ann, '[{"actions":["a"],"resource":¦"memo:1"}]'), "`resources[0].resource` must be an object, but is a string"],
    [whole(',"auxData":{"jwts":{"a":¦"token"}}'), "`auxData.jwts.a` must be an object, but is a string"],
  ])("%s", refusedAt);

  test("a long name is cut where it would drown the sentence", () => {
    refusedAt(whole(`,¦"${"x".repeat(5_000)}":1`), `unknown field \`${"x".repeat(60)}...\` ${inRequest}`);
  });

  test("the first misreading alone, because what follows from it would mislead", () => {
    refusedAt('{¦"principle":{"id":5},"resources":[]}', `unknown field \`principle\` ${inRequest}`);
  });
});

describe("the limits of one request", () => {
  test.each([
    [
      "resources",
      whole("", ann, `[${memo},${memo},${memo},${memo}]`),
      "the request asks about 4 resources, but at most 3 are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)",
    ],
    [
      "actions",
      whole("", ann, `[${memo},{"actions":["a","b","c","d"],"resource":{"kind":"k","id":"1"}}]`),
      "`resources[1].actions` asks for 4 actions, but at most 3 are allowed for one resource (setting server.requestLimits.maxActionsPerResource)",
    ],
  ])("on %s name both numbers", (_what, text, message) => {
    expect(refused(text)).toBe(message);
  });
});
