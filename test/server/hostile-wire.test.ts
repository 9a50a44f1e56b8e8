/** Texts that look like our own protocols, and messages no library makes: over either transport they mean the same, and forge nothing. */
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { part, tag, varint } from "./protobuf.ts";
import { callRawGrpc } from "./raw-grpc.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    policies: { "expense.yaml": expensePolicy },
    settings: {
      "server.adminAPI.enabled": true,
      "server.adminAPI.adminCredentials.passwordHash": Buffer.from(hashSync("secret", 4)).toString("base64"),
    },
  });
});
afterAll(() => server.stop());

const check = "/authz.svc.v1.AuthzService/CheckResources";

/** The same question in both languages: everything that can be a text is this one. */
const asJson = (text: string): object => ({
  requestId: text,
  includeMeta: true,
  principal: { id: text, roles: ["user", text] },
  resources: [{ actions: ["view", text], resource: { kind: "expense", id: text, attr: { [text]: text } } }],
});
function asMessage(text: string | Uint8Array): Buffer {
  const attribute = part(4, Buffer.concat([part(1, text), part(2, part(3, text))]));
  const resource = Buffer.concat([part(1, "expense"), part(3, text), attribute]);
  return Buffer.concat([
    part(1, text),
    Buffer.from([0x10, 1]),
    part(3, Buffer.concat([part(1, text), part(3, "user"), part(3, text)])),
    part(4, Buffer.concat([part(1, "view"), part(1, text), part(2, resource)])),
  ]);
}

test.each([
  ["the end of a reply in the realm's own protocol", "\n0"],
  ["a record of decisions", '\n1 {"checkResources":{}}'],
  ["errors of conditions", '\n![{"expression":"a","message":"b"}]'],
  ["a question of the realm", "?{"],
  ["separators of lines and paragraphs", "\u2028\u2029"],
  ["a NUL", "\0"],
  ["the end of a string", '","x":"'],
  ["a backslash at the end", "\\"],
  ["the prototype of everything", "__proto__"],
  ["a constructor", "constructor"],
  ["an index", "7"],
  ["the last index", "4294967294"],
  ["letters that another normal form would merge", "e\u0301\u00e9"],
  ["what turns a line around", "\u202e"],
  ["a pair of surrogates", "\u{1f600}"],
])("%s is a text like any other", async (_sentence, text) => {
  const { status, json } = await server.post("/api/check/resources", JSON.stringify(asJson(text)));
  expect(status).toBe(200);
  expect(json.requestId).toBe(text);
  expect(json.results.length).toBe(1);
  expect(json.results[0].resource).toEqual({ id: text, kind: "expense", policyVersion: "default" });
  expect(new Map(Object.entries(json.results[0].actions))).toEqual(
    new Map([
      ["view", "EFFECT_ALLOW"],
      [text, "EFFECT_DENY"],
    ]),
  );
  expect(json.authzCallId).toMatch(/^[0-9A-Z]{26}$/);

  const overGrpc = await callRawGrpc(server, check, asMessage(text));
  expect(overGrpc.status).toBe("0");
  // The first two fields of the reply: our text, and the one result, with ours as the id.
  expect(overGrpc.bytes.subarray(0, part(1, text).length)).toEqual(part(1, text));
  expect(overGrpc.bytes.includes(part(1, text), part(1, text).length)).toBe(true);
});

test("results of an older form keep to the order of the question, whatever ids look like", async () => {
  const text = `{"actions":["view"],"principal":{"id":"a","roles":["user"]},"resource":{"kind":"expense","instances":{"z":{},"7":{},"__proto__":{},"3":{},"constructor":{}}}}`;
  const answer = await server.post("/api/check", text);
  expect([...answer.text.matchAll(/"([^"]+)":\{"actions"/g)].map(([, id]) => id)).toEqual(["z", "7", "__proto__", "3", "constructor"]);
});

describe("over gRPC", () => {
  const usual = asMessage("a");
  test.each<readonly [sentence: string, message: Uint8Array, status: string]>([
    ["unknown fields are passed over", Buffer.concat([usual, part(999, "x")]), "0"],
    ["so is an unknown group", Buffer.concat([usual, tag(50, 3), tag(50, 4)]), "0"],
    ["a group without an end is refused", Buffer.concat([usual, tag(50, 3)]), "13"],
    ["groups within groups are, when they are too deep", Buffer.concat([usual, ...Array.from({ length: 50_000 }, () => tag(50, 3))]), "13"],
    ["a length of 64 MiB that is not there is", Buffer.concat([usual, tag(1, 2), varint(64 << 20)]), "13"],
    ["a length beyond all numbers is", Buffer.concat([usual, tag(1, 2), varint(2n ** 64n - 1n)]), "13"],
    ["a number without end is", Buffer.concat([usual, tag(2, 0), Buffer.alloc(11, 0xff)]), "13"],
    [
      "a principal whose id is a number is",
      Buffer.concat([usual, part(3, Buffer.concat([tag(1, 0), varint(5), Buffer.from("admin")]))]),
      "13",
    ],
    ["an id that goes on beyond the principal is", Buffer.concat([usual, tag(3, 2), varint(3), tag(1, 2), varint(9), usual]), "13"],
    ["half a surrogate pair is", asMessage(Buffer.from([0xed, 0xa0, 0x80])), "13"],
    ["a letter in too many bytes is", asMessage(Buffer.from([0xc1, 0xa1])), "13"],
    [
      "a list of lists of lists without end is",
      Buffer.concat([usual, part(3, part(4, Buffer.concat([part(1, "k"), part(2, lists(20_000))])))]),
      "13",
    ],
    [
      "a number that JSON cannot say is",
      Buffer.concat([usual, part(3, part(4, Buffer.concat([part(1, "k"), part(2, Buffer.from("11000000000000f87f", "hex"))])))]),
      "3",
    ],
    ["an attribute without a value is", Buffer.concat([usual, part(3, part(4, part(1, "k")))]), "3"],
    ["a principal that comes twice has the roles of both, and none twice", Buffer.concat([usual, part(3, part(3, "user"))]), "3"],
  ])("%s", async (_sentence, message, status) => {
    expect((await callRawGrpc(server, check, message)).status).toBe(status);
  });

  test.each(["AddOrUpdatePolicy", "ListSchemas", "ListAuditLogEntries"])(
    "who is not the administrator does not learn whether %s can read his message",
    async (method) => {
      const garbage = Buffer.from([0xff, 0xff]);
      const path = `/authz.svc.v1.AuthzAdminService/${method}`;
      const authorization = `Basic ${Buffer.from("authz:secret").toString("base64")}`;
      expect((await callRawGrpc(server, path, garbage)).status).toBe("16");
      const answer = await callRawGrpc(server, path, garbage, { authorization });
      expect(answer).toMatchObject({ status: "13", message: expect.stringContaining("is not a authz.request.v1.") });
    },
  );
});

/** A value that is a list of lists of lists. */
function lists(depth: number): Buffer {
  let value: Buffer = Buffer.from([8, 0]);
  for (let at = 0; at < depth; at += 1) value = part(6, part(1, value));
  return value;
}
