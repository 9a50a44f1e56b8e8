/** Audit entries on their way to a worker that lists them: page by page, each list for itself. */
import { describe, expect, test } from "vitest";
import type { AuditQuery } from "../../src/audit/sink.ts";
import { openEntryLists, type EntryLists } from "../../src/workers/entry-lists.ts";
import { openRelayedSink } from "../../src/workers/relayed-sink.ts";
import { configWith, recordLog } from "./audit-harness.ts";

/** What is asked for: so many entries. */
const tail = (count: number): AuditQuery => ({ kind: "access", filter: { kind: "tail", count } });

function opened(): { readonly lists: EntryLists; readonly ended: () => number } {
  let ended = 0;
  const lists = openEntryLists(async function* ({ filter }) {
    try {
      for (let at = 0; filter.kind === "tail" && at < filter.count; at++) yield `${filter.count}:${at}`;
    } finally {
      ended++;
    }
  });
  return { lists, ended: () => ended };
}

describe("a list of entries", () => {
  test.each<[count: number, pages: readonly number[]]>([
    [0, []],
    [1, [1]],
    [99, [99]],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])("of %d has pages of %j, and all of them in order", async (count, pages) => {
    const { lists, ended } = opened();
    const list = lists.begin(tail(count));
    const found: (readonly string[])[] = [];
    for (let page = await lists.next(list); page.length > 0; page = await lists.next(list)) found.push(page);
    expect(found.map((page) => page.length)).toEqual(pages);
    expect(found.flat()).toEqual(Array.from({ length: count }, (_, at) => `${count}:${at}`));
    expect([await lists.next(list), ended()]).toEqual([[], 1]);
  });

  test("is not mixed with another that is read meanwhile", async () => {
    const { lists } = opened();
    const [one, other] = [lists.begin(tail(150)), lists.begin(tail(120))];
    const found = await Promise.all([one, other, one, other].map((list) => lists.next(list)));
    expect(found.map((page) => [page[0], page.length])).toEqual([
      ["150:0", 100],
      ["120:0", 100],
      ["150:100", 50],
      ["120:100", 20],
    ]);
  });

  test("that is forgotten is read no further, and has nothing more", async () => {
    const { lists, ended } = opened();
    const list = lists.begin(tail(1000));
    await lists.next(list);
    expect(ended()).toBe(0);
    await lists.forget(list);
    expect(ended()).toBe(1);
    expect(await lists.next(list)).toEqual([]);
    await lists.forget(list);
  });

  test("is forgotten with its worker, which begins no other", async () => {
    const { lists, ended } = opened();
    for (const list of [150, 120].map((count) => lists.begin(tail(count)))) await lists.next(list);
    await lists.close();
    expect(ended()).toBe(2);
    expect(() => lists.begin(tail(1))).toThrow("whose worker has ended");
  });

  test("that nobody began is empty", async () => {
    expect(await opened().lists.next(7)).toEqual([]);
  });

  test("is refused where entries cannot be read", () => {
    expect(() => openEntryLists(undefined).begin(tail(1))).toThrow("the audit log cannot be queried");
  });
});

describe("a worker that reads a list", () => {
  /** A worker's sink over the lists of the primary. */
  function reading(lists: EntryLists): NonNullable<ReturnType<typeof openRelayedSink>["query"]> {
    const answers: { readonly [name: string]: (asks: never) => unknown } = {
      "find entries": lists.begin,
      "next entries": lists.next,
      "forget entries": lists.forget,
    };
    const ask = async (name: string, asks: unknown): Promise<unknown> => answers[name]?.(asks as never);
    const config = configWith({ "audit.backend": "local", "audit.local.storagePath": "/nowhere" });
    const { query } = openRelayedSink(config, recordLog(), { ask: ask as Parameters<typeof openRelayedSink>[2]["ask"] });
    return query ?? expect.fail("the database can be queried");
  }

  test.each<[sentence: string, upTo: number, seen: number]>([
    ["to its end", Number.POSITIVE_INFINITY, 250],
    ["up to the end of a page", 100, 100],
    ["and stops within a page", 103, 103],
  ])("%s leaves none behind in the primary", async (_sentence, upTo, seen) => {
    const { lists, ended } = opened();
    const found: string[] = [];
    for await (const text of reading(lists)(tail(250))) {
      found.push(text);
      if (found.length === upTo) break;
    }
    expect(found).toEqual(Array.from({ length: seen }, (_, at) => `250:${at}`));
    expect([ended(), await lists.next(1)]).toEqual([1, []]);
  });
});
