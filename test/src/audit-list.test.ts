/** ListAuditLogEntries: which questions are understood, and every reason why one is not. */
import { describe, expect, test } from "vitest";
import { openAuditEntries } from "../../src/admin/audit-entries.ts";
import type { AuditQuery } from "../../src/audit/audit-log.ts";
import type { Reply } from "../../src/server/calls/reply.ts";

const past = "2026-01-01T00:00:00Z";
const isReply = (answer: Reply | AsyncIterable<string>): answer is Reply => "code" in answer;

function ask(body: string): { readonly asked: AuditQuery | undefined; readonly answer: Reply | AsyncIterable<string> } {
  const queries: AuditQuery[] = [];
  const list = openAuditEntries({
    enabled: true,
    query: async function* (query) {
      queries.push(query);
      yield '{"callId":"a"}';
      yield '{"callId":"b"}';
    },
  });
  const answer = list(body);
  // The query begins when its first entry is asked for.
  if (!isReply(answer)) void answer[Symbol.asyncIterator]().next();
  return { asked: queries[0], answer };
}

describe("is understood", () => {
  test.each<[body: object, wanted: AuditQuery]>([
    [
      { kind: "KIND_ACCESS", tail: 2 },
      { kind: "access", filter: { kind: "tail", count: 2 } },
    ],
    [
      { kind: 2, tail: "1000" },
      { kind: "decision", filter: { kind: "tail", count: 1000 } },
    ],
    [
      { kind: 1, since: "3600s" },
      { kind: "access", filter: { kind: "since", milliseconds: 3_600_000 } },
    ],
    [
      { kind: 1, since: "1h" },
      { kind: "access", filter: { kind: "since", milliseconds: 3_600_000 } },
    ],
    [
      { kind: "KIND_DECISION", between: { start: past, end: "2026-01-01T02:00:00.5+01:00" } },
      { kind: "decision", filter: { kind: "between", start: Date.parse(past), end: Date.parse("2026-01-01T01:00:00.5Z") } },
    ],
    [
      { kind: 1, lookup: "01ARZ3NDEKTSV4RRFFQ69G5FAV", tail: null },
      { kind: "access", filter: { kind: "lookup", callId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" } },
    ],
  ])("%j", (body, wanted) => {
    expect(ask(JSON.stringify(body)).asked).toEqual(wanted);
  });
});

describe("breaks rules", () => {
  test.each<[body: object, violations: readonly (readonly [path: string, rule: string])[]]>([
    [{ tail: 1 }, [["kind", "required"]]],
    [{ kind: "KIND_UNSPECIFIED", tail: 1 }, [["kind", "required"]]],
    [{ kind: 3, tail: 1 }, [["kind", "enum.in"]]],
    [{ kind: 1 }, [["filter", "required"]]],
    [
      {},
      [
        ["kind", "required"],
        ["filter", "required"],
      ],
    ],
    [{ kind: 1, tail: 0 }, [["tail", "uint32.gte_lte"]]],
    [{ kind: 1, tail: 1001 }, [["tail", "uint32.gte_lte"]]],
    [
      { kind: 1, between: {} },
      [
        ["between.start", "required"],
        ["between.end", "required"],
      ],
    ],
    [{ kind: 1, between: { start: past, end: "9999-01-01T00:00:00Z" } }, [["between.end", "timestamp.lt_now"]]],
    [{ kind: 1, lookup: "abc" }, [["lookup", "string.pattern"]]],
    [{ kind: 1, lookup: "01ARZ3NDEKTSV4RRFFQ69G5FAU" }, [["lookup", "string.pattern"]]],
  ])("%j: %j", (body, violations) => {
    const { answer } = ask(JSON.stringify(body));
    const reply = isReply(answer) ? JSON.parse(answer.text) : undefined;
    expect(reply?.code).toBe(3);
    expect(reply?.details[0]["@type"]).toBe("type.googleapis.com/buf.validate.Violations");
    expect(reply?.details[0].violations.map((each: { fieldPath: string; ruleId: string }) => [each.fieldPath, each.ruleId])).toEqual(
      violations,
    );
  });
});

describe("is no request", () => {
  test.each<[body: string, word: string]>([
    ["[]", "JSON object"],
    ["{", "JSON object"],
    ['{"kind":"nope","tail":1}', "kind"],
    ['{"kind":1,"tail":1,"since":"10s"}', "exclude each other"],
    ['{"kind":1,"tail":1.5}', "tail"],
    ['{"kind":1,"tail":"x"}', "tail"],
    ['{"kind":1,"since":"soon"}', "since"],
    ['{"kind":1,"since":["1s","2s"]}', "since"],
    ['{"kind":1,"between":{"start":"yesterday","end":"2026-01-01T00:00:00Z"}}', "between.start"],
    ['{"kind":1,"between":{"start":"2026-02-30T00:00:00Z","end":"2026-03-10T00:00:00Z"}}', "between.start"],
    ['{"kind":1,"between":{"start":"2026-01-01T00:00:00Z","end":"2026-01-01T24:00:00Z"}}', "between.end"],
    ['{"kind":1,"between":{"begin":1}}', "begin"],
    ['{"kind":1,"lookup":5}', "lookup"],
    ['{"kind":1,"tail":1,"limit":5}', "unknown field `limit`"],
    ['{"kind":1,"limit":5}', "unknown field `limit`"],
    ['{"kind":1.5,"tail":1}', "`kind` must be KIND_ACCESS or KIND_DECISION"],
    ['{"kind":true,"tail":1}', "`kind` must be KIND_ACCESS or KIND_DECISION"],
    ['{"kind":1,"tail":-1}', "`tail` must be a whole number"],
    ['{"kind":1,"tail":4294967296}', "`tail` must be a whole number"],
    ['{"kind":1,"tail":[1]}', "`tail` must be a whole number"],
    ['{"kind":1,"between":"2026"}', "`between` must be an object with start and end"],
    ['{"kind":1,"between":{"start":5,"end":6}}', "between.start"],
  ])("%s", (body, word) => {
    const { answer } = ask(body);
    expect(isReply(answer) && answer.code).toBe(3);
    expect(isReply(answer) && JSON.parse(answer.text).message).toContain(word);
  });
});

describe("entries come", () => {
  test.each([
    [1, "accessLogEntry"],
    [2, "decisionLogEntry"],
  ])("kind %d as %s", async (kind, name) => {
    const { answer } = ask(JSON.stringify({ kind, tail: 2 }));
    const entries: unknown[] = [];
    if (!isReply(answer))
      for await (const text of openAuditEntries({
        enabled: true,
        query: async function* () {
          yield '{"callId":"a"}';
        },
      })(`{"kind":${kind},"tail":1}`) as AsyncIterable<string>)
        entries.push(JSON.parse(text));
    expect(entries).toEqual([{ [name]: { callId: "a" } }]);
  });
});

test.each<[what: string, audit: Parameters<typeof openAuditEntries>[0]]>([
  ["audit is off", { enabled: false, query: undefined }],
  [
    "audit is off, whatever could be asked",
    {
      enabled: false,
      query: async function* () {
        yield "{}";
      },
    },
  ],
  ["the backend cannot be asked", { enabled: true, query: undefined }],
])("is not supported where %s, but a bad request is still told first", (_what, audit) => {
  const list = openAuditEntries(audit);
  const codeOf = (body: string): number | undefined => {
    const answer = list(body);
    return isReply(answer) ? answer.code : undefined;
  };
  expect([codeOf('{"kind":1,"tail":1}'), codeOf('{"kind":1}')]).toEqual([12, 3]);
});
