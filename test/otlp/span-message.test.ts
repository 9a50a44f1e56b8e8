/** What is written of spans is what a collector reads, whatever the lengths. */
import { resources } from "@opentelemetry/sdk-node";
import { describe, expect, test } from "vitest";
import { kinds, nameOf, openBatches, sortOf, type EndedSpan } from "../../src/observe/telemetry/span-message.ts";
import { MessageBytes } from "../../src/observe/telemetry/message.ts";
import { exports, type Span } from "./received.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const usual: EndedSpan = {
  sort: sortOf("GET", kinds.client, { "http.request.method": "GET" }),
  context: { traceId, spanId: "00f067aa0ba902b7", traceFlags: 1 },
  parent: undefined,
  start: 1_795_000_000_123,
  end: 1_795_000_000_124,
  attributes: [],
  trouble: undefined,
};

function readBack(spans: readonly Partial<EndedSpan>[], attributes: Readonly<Record<string, string | number>> = {}): readonly Span[] {
  const begin = openBatches({ resource: resources.resourceFromAttributes(attributes), scope: { name: "authz", version: "1.2.3" } });
  const batch = begin();
  for (const span of spans) batch.add({ ...usual, ...span });
  expect(batch.spans()).toBe(spans.length);
  return exports[0]?.read(Buffer.from(batch.seal())).spans ?? [];
}

describe("a span has", () => {
  test.each<[what: string, span: Partial<EndedSpan>, read: object]>([
    ["a sort, and ids", {}, { name: "GET", kind: "CLIENT", traceId, spanId: "00f067aa0ba902b7", parentId: "", traceState: "" }],
    ["a parent", { parent: { traceId, spanId: "00000000000000ff", traceFlags: 1, isRemote: true } }, { parentId: "00000000000000ff" }],
    ["no trouble", {}, { status: { code: "UNSET", message: "" } }],
    ["trouble", { trouble: "broken" }, { status: { code: "ERROR", message: "broken" } }],
    ["long trouble", { trouble: "ö".repeat(20_000) }, { status: { code: "ERROR", message: "ö".repeat(20_000) } }],
    ["trouble without words", { trouble: "" }, { status: { code: "ERROR", message: "" } }],
    ["instants to the nanosecond", { start: 1, end: 1.5 }, { start: 1_000_000n, end: 1_500_000n }],
    [
      "instants that need 64 bits",
      { start: 4_611_686_018_427, end: 8_999_999_999_999 },
      { start: 4_611_686_018_427_000_000n, end: 8_999_999_999_999_000_000n },
    ],
    ["no end before its start", { end: 5 }, { start: 1_795_000_000_123_000_000n, end: 1_795_000_000_123_000_000n }],
  ])("%s", (_what, span, read) => {
    expect(readBack([span])).toMatchObject([read]);
  });

  const name = nameOf("key");
  test.each<[what: string, value: string | number, read: string | number]>([
    ["nothing", "", ""],
    ["text", "value", "value"],
    ["text of several bytes a letter", "größer 😀", "größer 😀"],
    ["text whose length takes one byte", "x".repeat(116), "x".repeat(116)],
    ["text whose length takes two where it is said first", "x".repeat(122), "x".repeat(122)],
    ["text whose length takes two", "x".repeat(128), "x".repeat(128)],
    ["more text than is kept", "ä".repeat(1025), "ä".repeat(1024)],
    ["zero", 0, 0],
    ["a number of one byte", 127, 127],
    ["a number of two", 128, 128],
    ["a large number", 2 ** 40 + 1, 2 ** 40 + 1],
  ])("an attribute: %s", (_what, value, read) => {
    expect(readBack([{ attributes: [[name, value]] }])[0]?.attributes).toEqual({ "http.request.method": "GET", key: read });
  });
});

test.each([0, 1, 100, 2000])("a batch of %d spans says once who sends it, and each of them in turn", (count) => {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const name = nameOf("number");
  const resource = { "service.name": "größer", "process.pid": 4711, long: "y".repeat(5000) };
  const spans = readBack(
    numbers.map((number) => ({ attributes: [[name, number]] })),
    resource,
  );
  expect(spans.map(({ attributes }) => attributes["number"])).toEqual(numbers);
  for (const span of spans) expect([span.resource, span.scope]).toEqual([resource, { name: "authz", version: "1.2.3" }]);
});

test("what is written does not depend on the memory that is there at first", () => {
  const written = (expected: number): Uint8Array => {
    const message = new MessageBytes(expected);
    const outer = message.open(1, 2);
    message.text(2, "größer");
    for (const room of [1, 2, 3]) {
      const small = message.open(3, room);
      message.fields(Uint8Array.of(16, 1));
      message.close(small, room);
    }
    const inner = message.open(4, 1);
    message.text(5, "x".repeat(130));
    message.close(inner, 1);
    message.instant(6, 1_795_000_000_123.5);
    message.close(outer, 2);
    message.fixed32(16, 0x301);
    return message.done();
  };
  const whole = written(1000);
  expect(
    Array.from({ length: 300 }, (_, expected) => expected).filter((expected) => !Buffer.from(whole).equals(written(expected))),
  ).toEqual([]);
});
