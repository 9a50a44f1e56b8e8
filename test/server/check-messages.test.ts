/** A check that is read and answered as the bytes of its message comes to what its JSON text comes to, or is left to that. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CheckResourcesRequestSchema } from "../../proto/gen/authz/request/v1/request_pb.js";
import { CheckResourcesResponseSchema } from "../../proto/gen/authz/response/v1/response_pb.js";
import type { ActionDecision, Decision } from "../../runtime/decide/decision.ts";
import { writeMessageReply } from "../../runtime/wire/message-reply.ts";
import { readCheckMessage } from "../../runtime/wire/message-request.ts";
import { writeReply } from "../../runtime/wire/reply.ts";
import { type CheckRequest, readCheckRequest } from "../../runtime/wire/request.ts";
import { MessageReply, requestIdIn } from "../../src/server/calls/message-reply.ts";
import { asking as askingText, bundleOf, deciding, openWithoutGate } from "../runtime/sandbox/open.ts";
import { damaged, delimited, frame, messageBytes, slowBytes, slowJson, words } from "./random-messages.ts";
import { valueMessage } from "./request-message.ts";

const limits = { maxResourcesPerRequest: 4, maxActionsPerResource: 5, maxValuesPerRequest: 100_000 };
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** Mostly a field that is there and holds. */
const text = (number: number, values: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc.option(values, { nil: "", freq: 30 }).map((value) => (value === "" ? frame() : delimited(number, Buffer.from(value))));
const names = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom("user", "view", "edit", "album", "x:y", "ann") },
  { weight: 1, arbitrary: words },
);
const ids = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("1", "e-1", "a b", "x".repeat(40), "y".repeat(300)) },
  { weight: 1, arbitrary: words },
);
const values = fc.oneof({ weight: 12, arbitrary: words }, { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
const attributeNames = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("a", "b", "7", "é", "a name", "owner") },
  { weight: 1, arbitrary: words },
);
/** Mostly each only once. */
const mostlyUnique = <T>(item: fc.Arbitrary<T>, nameOf: (item: T) => string, sizes: fc.ArrayConstraints): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.uniqueArray(item, { ...sizes, selector: nameOf }) },
    { weight: 1, arbitrary: fc.array(item, sizes) },
  );
const attributes = mostlyUnique(fc.tuple(attributeNames, values), ([name]) => name, { maxLength: 5 }).map((entries) =>
  frame(...entries.map(([name, value]) => delimited(4, frame(delimited(1, Buffer.from(name)), delimited(2, valueMessage(value)))))),
);
const list = (number: number, most: number): fc.Arbitrary<Uint8Array> =>
  mostlyUnique(names, (name) => name, { minLength: 1, maxLength: most }).map((items) =>
    frame(...items.map((item) => delimited(number, Buffer.from(item)))),
  );
const version = fc.constantFrom("v1", "default", "2024", "v2", "v3", "_", "", "", "no version");
const scope = fc.constantFrom("acme", "acme.hr", ".", "acme.x", "a", "", "", "", "no scope");
const message = (number: number, ...parts: readonly fc.Arbitrary<Uint8Array>[]): fc.Arbitrary<Uint8Array> =>
  fc.tuple(...parts).map((written) => delimited(number, frame(...written)));

const principal = message(3, text(1, ids), text(2, version), list(3, 3), attributes, text(5, scope));
const resource = message(2, text(1, names), text(2, version), text(3, ids), attributes, text(5, scope));
const flag = fc.constantFrom(frame(), Uint8Array.of(0x10, 1), Uint8Array.of(0x10, 0));
const token = fc.tuple(text(1, ids), text(2, names)).map((fields) => frame(...fields));
const namedTokens = mostlyUnique(fc.tuple(names, token), ([name]) => name, { minLength: 1, maxLength: 3 }).map((tokens) =>
  frame(...tokens.map(([name, sent]) => delimited(2, frame(delimited(1, Buffer.from(name)), delimited(2, sent))))),
);
const auxData = fc.oneof(
  { weight: 20, arbitrary: fc.constant(frame()) },
  { weight: 5, arbitrary: token.map((sent) => delimited(5, delimited(1, sent))) },
  { weight: 5, arbitrary: namedTokens.map((tokens) => delimited(5, tokens)) },
  { weight: 1, arbitrary: fc.tuple(token, namedTokens).map(([sent, tokens]) => delimited(5, frame(delimited(1, sent), tokens))) },
  { weight: 1, arbitrary: fc.constant(delimited(5, frame())) },
);
const likely = fc
  .tuple(text(1, ids), flag, principal, fc.array(message(4, list(1, 5), resource), { minLength: 1, maxLength: 3 }), auxData)
  .map(([id, meta, who, entries, tokens]) => frame(id, meta, who, ...entries, tokens));
const requests = fc.oneof(
  { weight: 4, arbitrary: likely },
  { weight: 2, arbitrary: damaged(likely) },
  { weight: 1, arbitrary: damaged(messageBytes(CheckResourcesRequestSchema, 0, { odd: true })) },
);

/** Objects in the order of their names, and every zero with its sign. */
const exactly = (request: CheckRequest): string =>
  JSON.stringify(request, (_, value: unknown) => (Object.is(value, -0) ? "-0" : value === undefined ? "none" : value));

/** What its JSON text is read to; only a text has parts that can be copied. */
function asText(bytes: Uint8Array): ReturnType<typeof readCheckRequest> {
  const read = readCheckRequest(slowJson(CheckResourcesRequestSchema, bytes) ?? "", limits);
  return read.kind === "request" ? { ...read, source: undefined } : read;
}

test("a request is what its JSON text is read to, or left to that", () => {
  let read = 0;
  fc.assert(
    fc.property(requests, (bytes) => {
      const request = readCheckMessage(latin1(bytes), limits);
      if (request === undefined) return;
      read++;
      const expected = asText(bytes);
      expect(request).toStrictEqual(expected);
      expect(exactly(request)).toBe(exactly(expected.kind === "request" ? expected : request));
    }),
    { numRuns: 6_000 },
  );
  expect(read).toBeGreaterThan(500);
});

const effects = fc.constantFrom<ActionDecision["effect"]>("EFFECT_ALLOW", "EFFECT_DENY");
const decided = fc.record({
  effect: effects,
  matchedPolicy: fc.constantFrom("resource.album.vdefault", "NO_MATCH", "resource.é.v1"),
  matchedScope: fc.constantFrom("", "acme"),
});
const decision = fc.record({
  decided: fc.array(decided, { minLength: 1, maxLength: 3 }),
  effectiveDerivedRoles: fc.constantFrom([], [], ["owner"], ["owner", "x"], ["é"]),
  outputs: fc.oneof(
    { weight: 9, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([{ src: "a#b", action: "c", val: 1 }]) },
  ),
  validationErrors: fc.oneof(
    { weight: 9, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([{ path: "/a", message: "no", source: "SOURCE_RESOURCE" as const }]) },
  ),
});
const defaults = fc.record({
  defaultPolicyVersion: fc.constantFrom("default", "default", "v1", "é"),
  defaultScope: fc.constantFrom("", "acme"),
});

test("a reply is what its JSON text is turned into, or that text", () => {
  let written = 0;
  fc.assert(
    fc.property(likely, fc.array(decision, { minLength: 4, maxLength: 4 }), defaults, (bytes, come, used) => {
      const request = readCheckMessage(latin1(bytes), limits);
      if (request === undefined) return;
      const decisions = request.entries.map(({ actions, resource: { id } }, index): Decision => {
        const { decided: all = [], ...rest } = come[index] ?? {};
        const none: ActionDecision = { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" };
        return {
          requestId: "",
          resourceId: id,
          actions: new Map(actions.map((action, at) => [action, all[at % all.length] ?? none])),
          effectiveDerivedRoles: [],
          outputs: [],
          validationErrors: [],
          evaluationErrors: [],
          effectivePolicies: new Map(),
          ...rest,
        };
      });
      const json = writeReply(request, decisions, used, "CALL");
      const reply = writeMessageReply(request, decisions, used, "CALL");
      if (reply.startsWith("{")) {
        expect(reply).toBe(json);
        return;
      }
      written++;
      const colon = reply.indexOf(":");
      const replied = reply.slice(colon + 1);
      expect(Number.parseInt(reply.slice(0, colon), 36)).toBe(replied.length);
      expect(Buffer.from(replied, "latin1").toString("hex")).toBe(slowBytes(CheckResourcesResponseSchema, json)?.toString("hex"));
      expect(new MessageReply(replied, undefined, undefined).text).toBe(json);
      expect(requestIdIn(replied) ?? "").toBe(request.requestId.length > 256 ? "" : request.requestId);
    }),
    { numRuns: 3_000 },
  );
  expect(written).toBeGreaterThan(200);
});

const entry = (name: string, value: Uint8Array): Uint8Array => delimited(4, frame(delimited(1, Buffer.from(name)), delimited(2, value)));
const part = (number: number, value: string): Uint8Array => delimited(number, Buffer.from(value));
const asking = (...attr: readonly Uint8Array[]): Uint8Array =>
  frame(
    delimited(3, frame(part(1, "ann"), part(3, "user"), ...attr)),
    delimited(4, frame(part(1, "view"), delimited(2, frame(part(1, "album"), part(3, "1"))))),
  );
const named = (name: string, ...sent: readonly Uint8Array[]): Uint8Array =>
  delimited(2, frame(part(1, name), delimited(2, frame(...sent))));
const nested = (levels: number): Uint8Array => (levels === 0 ? Uint8Array.of(0x08, 0) : delimited(6, delimited(1, nested(levels - 1))));
const many = Array.from({ length: 4 }, () => delimited(4, frame(part(1, "view"), delimited(2, frame(part(1, "album"), part(3, "1"))))));

test.each<readonly [sentence: string, bytes: Uint8Array, isRead: boolean]>([
  ["a check", asking(entry("a", valueMessage(1)), entry("b", valueMessage({ c: [null, true, "é"] }))), true],
  ...[512, 513, 5000].flatMap((length): readonly (readonly [string, Uint8Array, boolean])[] => [
    [
      `a text of ${length} letters, and more behind it`,
      asking(entry("a", valueMessage("x".repeat(length))), entry("b", valueMessage("y"))),
      true,
    ],
    [`a name of ${length} letters`, asking(entry("x".repeat(length), valueMessage(1)), entry("b", valueMessage("y"))), true],
    [
      `a text of ${length} characters that are no letters`,
      asking(entry("a", valueMessage("é".repeat(length))), entry("b", valueMessage("y"))),
      true,
    ],
  ]),
  [
    "something behind the value of an attribute",
    asking(delimited(4, frame(part(1, "a"), delimited(2, valueMessage(1)), part(3, "x"))), entry("b", valueMessage("y"))),
    false,
  ],
  [
    "something behind the kind of a value",
    asking(delimited(4, frame(part(1, "a"), delimited(2, frame(valueMessage(1), part(9, "x")))))),
    false,
  ],
  ["a value of two kinds", asking(delimited(4, frame(part(1, "a"), delimited(2, frame(valueMessage(1), valueMessage("x")))))), false],
  ["names that objects put first", asking(entry("b", valueMessage(1)), entry("1", valueMessage(2))), true],
  ["a negative zero, which JavaScript prints as zero", asking(entry("a", valueMessage(-0))), false],
  ["free JSON as deep as usual", asking(entry("a", nested(32))), true],
  ["free JSON that is deeper", asking(entry("a", nested(33))), false],
  ["a name that is given twice", asking(entry("a", valueMessage(1)), entry("a", valueMessage(2))), false],
  ["a name that every object answers to", asking(entry("toString", valueMessage(1))), false],
  ["the name of what objects inherit from", asking(entry("__proto__", valueMessage({ admin: true }))), false],
  ["a number that JSON does not have", asking(entry("a", valueMessage(Number.NaN))), false],
  ["a value that is not set", asking(entry("a", frame())), false],
  ["a text that is none", asking(entry("a", delimited(3, Uint8Array.of(0xed, 0xa0, 0x80)))), false],
  ["a name that is no text", asking(delimited(4, frame(delimited(1, Uint8Array.of(0xff)), delimited(2, valueMessage(1))))), false],
  ["an attribute without a name", asking(entry("", valueMessage(1))), false],
  ["a field that nobody knows", frame(asking(), part(9, "x")), false],
  ["a field that is given twice", frame(part(1, "a"), part(1, "b"), asking()), false],
  ["a token", frame(asking(), delimited(5, delimited(1, part(1, "t")))), true],
  ["a token of a key set", frame(asking(), delimited(5, delimited(1, frame(part(1, "t"), part(2, "k"))))), true],
  ["a token that needs escapes", frame(asking(), delimited(5, delimited(1, part(1, '"')))), true],
  ["tokens by name", frame(asking(), delimited(5, frame(named("a", part(1, "t")), named("b", part(1, "u"), part(2, "k"))))), true],
  ["tokens whose names objects put first", frame(asking(), delimited(5, frame(named("b", part(1, "t")), named("1", part(1, "u"))))), true],
  ["a token of the name of what objects inherit from", frame(asking(), delimited(5, named("__proto__", part(1, "t")))), false],
  ["no token where there could be some", frame(asking(), delimited(5, frame())), true],
  ["an empty token", frame(asking(), delimited(5, delimited(1, part(2, "k")))), false],
  ["an empty token by name", frame(asking(), delimited(5, named("a"))), false],
  ["a token by no name", frame(asking(), delimited(5, named("", part(1, "t")))), false],
  ["a token by no name that is given", frame(asking(), delimited(5, delimited(2, delimited(2, part(1, "t"))))), false],
  ["a name of no token", frame(asking(), delimited(5, delimited(2, part(1, "a")))), false],
  ["a name of two tokens", frame(asking(), delimited(5, frame(named("a", part(1, "t")), named("a", part(1, "u"))))), false],
  ["a token of two key sets", frame(asking(), delimited(5, delimited(1, frame(part(1, "t"), part(2, "k"), part(2, "l"))))), false],
  ["a token and tokens by name", frame(asking(), delimited(5, frame(delimited(1, part(1, "t")), named("a", part(1, "u"))))), false],
  ["two tokens", frame(asking(), delimited(5, frame(delimited(1, part(1, "t")), delimited(1, part(1, "u"))))), false],
  ["a token that ends too early", frame(asking(), Uint8Array.of(0x2a, 0x05, 0x0a, 0x03, 0x0a, 0x04, 0x61)), false],
  ["annotations", frame(asking(), delimited(6, frame())), false],
  ["nobody who asks", asking().slice(16), false],
  ["more resources than are allowed", frame(asking(), ...many), false],
  ["nothing", frame(), false],
  ["a message that ends too early", asking().slice(0, -1), false],
  ["a length of more bytes than it needs", frame(Uint8Array.of(0x0a, 0x81, 0x80, 0x00, 0x61), asking()), true],
  ["a length of more bytes than any", frame(Uint8Array.of(0x0a, 0x81, 0x80, 0x80, 0x80, 0x00, 0x61), asking()), false],
])("%s", (_, bytes, isRead) => {
  const request = readCheckMessage(latin1(bytes), limits);
  expect(request !== undefined).toBe(isRead);
  if (request !== undefined) expect(request).toStrictEqual(asText(bytes));
});

test("what could hold more values than are allowed is left to its text", () => {
  const bytes = latin1(asking());
  expect(readCheckMessage(bytes, { ...limits, maxValuesPerRequest: bytes.length + 1 })).toBeDefined();
  expect(readCheckMessage(bytes, { ...limits, maxValuesPerRequest: bytes.length })).toBeUndefined();
});

function openCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("the collector cannot be called");
  return () => void collect();
}

test("what is kept of a request keeps no more of it", () => {
  const collect = openCollector();
  const large = entry("large", valueMessage("x".repeat(2 ** 20)));
  const kept: unknown[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let each = 0; each < 32; each++) {
    const bytes = frame(
      part(1, `a request of its own, number ${each}`),
      asking(large, entry(`attribute number ${each}`, valueMessage(each))),
    );
    const request = readCheckMessage(latin1(bytes), { ...limits, maxValuesPerRequest: Infinity });
    kept.push(request?.requestId, request?.principal.id, Object.keys(request?.principal.attr ?? {})[1]);
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 2 ** 20);
  expect(kept).toHaveLength(96);
});

test.each([60, 100, 400])("a made-up kind of %d characters is remembered without its message", (length) => {
  const collect = openCollector();
  const realm = openWithoutGate();
  realm.load(JSON.stringify(bundleOf(deciding("return rt.ALLOW;"))));
  const large = entry("large", valueMessage("x".repeat(90_000)));
  const ask = (number: number): void => {
    const kind = `kind${number}_`.padEnd(length, "k");
    const resource = delimited(4, frame(part(1, "view"), delimited(2, frame(part(1, kind), part(3, "1")))));
    realm.checkResources(
      latin1(frame(delimited(3, frame(part(1, "ann"), part(3, "user"), large)), resource)),
      "CALL",
      0,
      "CheckResources message",
    );
  };
  ask(0);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let number = 1; number <= 300; number++) ask(number);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 2 ** 20);
});

test("the realm answers a message with a message, and asks for the text of what is odd or cannot be answered yet", () => {
  const realm = openWithoutGate();
  const memo = delimited(4, frame(part(1, "view"), delimited(2, frame(part(1, "memo"), part(3, "1")))));
  const bytes = frame(delimited(3, frame(part(1, "ann"), part(3, "user"))), memo);
  const ask = (message: Uint8Array): string => realm.checkResources(latin1(message), "CALL", 0, "CheckResources message");
  expect(ask(bytes)).toBe("~");
  realm.load(JSON.stringify(bundleOf(deciding('return action === "view" ? rt.ALLOW : rt.DENY;'))));
  const json = realm.checkResources(askingText(), "CALL", 0).slice(1);
  const message = latin1(slowBytes(CheckResourcesResponseSchema, json) ?? frame());
  expect(ask(bytes)).toBe(`0${message.length.toString(36)}:${message}`);
  expect(ask(frame(bytes, part(9, "x")))).toBe("~");
  expect(ask(bytes.slice(0, -1))).toBe("~");
});

test("the realm waits for the claims of a message, and answers with a message then", () => {
  const realm = openWithoutGate();
  realm.load(JSON.stringify(bundleOf(deciding('return q.input.auxData.jwt.sub === "ann" ? rt.ALLOW : rt.DENY;'))));
  const memo = delimited(4, frame(part(1, "view"), delimited(2, frame(part(1, "memo"), part(3, "1")))));
  const bytes = frame(delimited(3, frame(part(1, "ann"), part(3, "user"))), memo, delimited(5, delimited(1, part(1, "a token"))));
  const answered = (claims: string): string => {
    const answer = realm.checkResources(latin1(bytes), "CALL", 0, "CheckResources message");
    expect(answer.charAt(0)).toBe("?");
    const { handle, tokens } = JSON.parse(answer.slice(1));
    expect(tokens).toEqual({ jwt: { token: "a token", keySetId: "" } });
    return realm.resume(handle, claims, "CALL", 0);
  };
  const decidedAs = (effect: string): string => {
    const resource = { id: "1", kind: "memo", policyVersion: "default" };
    const json = { results: [{ resource, actions: { view: effect } }], authzCallId: "CALL" };
    const message = latin1(slowBytes(CheckResourcesResponseSchema, JSON.stringify(json)) ?? frame());
    return `0${message.length.toString(36)}:${message}`;
  };
  expect(answered('{"auxData":{"jwt":{"sub":"ann"}},"invalid":null,"validation":[]}')).toBe(decidedAs("EFFECT_ALLOW"));
  expect(answered('{"auxData":{"jwt":{"sub":"bob"}},"invalid":null,"validation":[]}')).toBe(decidedAs("EFFECT_DENY"));
  expect(answered('{"auxData":null,"invalid":"expired","validation":[]}')).toMatch(/^3\{.*invalid auxData: expired/);
});
