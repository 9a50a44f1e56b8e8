/** What stands before a destination: batches, troubles that are told and counted, and a bound, whatever waits and in which form. */
import { describe, expect, test } from "vitest";
import type { RecordedKind } from "../../src/audit/entry.ts";
import { openEntryQueue } from "../../src/audit/entry-queue.ts";
import { openLineQueue } from "../../src/audit/file/line-queue.ts";
import type { Batch, Delivery } from "../../src/audit/destination.ts";
import { openOutbox, type Outbox, type OutboxOptions, type Queue } from "../../src/audit/outbox.ts";
import type { Entry } from "../../src/audit/sink.ts";
import { eventually } from "../server/harness.ts";
import { entryAt, recordLog, type RecordedLog } from "./audit-harness.ts";

const now = Date.now();
const entries = (count: number, padding = 0): readonly Entry[] =>
  Array.from({ length: count }, (_, index) => entryAt(now + index, index % 2 === 0 ? "access" : "decision", padding));

interface Opened {
  readonly outbox: Outbox<Entry>;
  readonly heard: RecordedLog;
  /** How many entries each batch had. */
  readonly batches: number[];
}

/** Opens an outbox whose destination does to the batches, one after the other, what it is told, and takes all later ones. */
type Open = (
  does: readonly ((kinds: readonly RecordedKind[]) => Delivery)[],
  options?: Partial<OutboxOptions> & {
    readonly maintain?: () => Promise<void>;
    /** What a delivery and the end wait for. */
    readonly before?: (what: "deliver" | "close") => Promise<void>;
  },
) => Opened;

const anotherTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const opening =
  <Taken extends Batch>(queueOf: () => Queue<Entry, Taken>): Open =>
  (does, { maintain, before = anotherTurn, ...options } = {}) => {
    const heard = recordLog();
    const batches: number[] = [];
    const outbox = openOutbox<Entry, Taken>(
      queueOf(),
      {
        name: "there",
        deliver: async ({ kinds }) => {
          batches.push(kinds.length);
          const at = batches.length - 1;
          await before("deliver");
          return does[at]?.(kinds) ?? { delivered: kinds.length };
        },
        ...(maintain !== undefined && { maintain }),
        close: () => before("close"),
      },
      { ...heard, delayMilliseconds: 5, enoughEntries: Number.POSITIVE_INFINITY, enoughSize: 2 ** 18, ...options },
    );
    return { outbox, heard, batches };
  };

const full = new Error("full");
const nothing = (): Delivery => ({ delivered: 0, trouble: full });
const broken = (): Delivery => {
  throw full;
};
const some = (delivered: number, trouble?: unknown) => (): Delivery => ({ delivered, ...(trouble !== undefined && { trouble }) });
const messages = ({ heard }: Opened): readonly string[] => heard.messages().map((message) => message.replace(/;.*/, ""));
const troubled = "audit entries cannot be written to there: full";
const again = "audit entries are written to there again";

describe.each<[name: string, open: Open]>([
  ["texts", opening(openEntryQueue)],
  ["lines", opening(() => openLineQueue([]))],
])("%s that wait", (_name, open) => {
  test.each<
    [what: string, does: Parameters<Open>[0], batches: readonly number[], failures: readonly RecordedKind[], told: readonly string[]]
  >([
    ["are delivered together", [], [4], [], []],
    ["are tried again after trouble, which is told, as is its end", [nothing], [4, 4], ["access", "decision"], [troubled, again]],
    ["are tried again after a fault, which is trouble, too", [broken], [4, 4], ["access", "decision"], [troubled, again]],
    ["are not tried again where they were taken", [some(3, full)], [4, 1], ["decision"], [troubled, again]],
    ["of which half was taken are in trouble, too", [some(2, full)], [4, 2], ["access", "decision"], [troubled, again]],
    ["are waited with where a reader is slow, and that is no trouble", [some(2), some(0)], [4, 2, 2], [], []],
    ["may all be taken, and there is trouble all the same", [some(4, full)], [4], [], [troubled]],
    ["tell of the same trouble once", [nothing, nothing], [4, 4, 4], ["access", "decision", "access", "decision"], [troubled, again]],
  ])("%s", async (_what, does, batches, failures, told) => {
    const opened = open(does);
    entries(4).forEach(opened.outbox.send);
    await eventually(
      () => opened.batches.length,
      (count) => count === batches.length,
    );
    await opened.outbox.close(1000);
    expect(opened.batches).toEqual(batches);
    expect(opened.heard.failures).toEqual(failures);
    expect(messages(opened)).toEqual(told);
  });

  test("are delivered one by one where each is larger than a batch", async () => {
    const opened = open([]);
    entries(2, 2 ** 20).forEach(opened.outbox.send);
    await opened.outbox.close(1000);
    expect(opened.batches).toEqual([1, 1]);
    expect(messages(opened)).toEqual([]);
  });

  test("are tried again soon as long as some are taken each time", async () => {
    const opened = open(Array.from({ length: 8 }, () => some(1, full)));
    const began = performance.now();
    entries(9).forEach(opened.outbox.send);
    await eventually(
      () => opened.batches.length,
      (count) => count === 9,
    );
    // Pauses that double come to more than seven seconds.
    expect(performance.now() - began).toBeLessThan(4000);
    await opened.outbox.close(1000);
  });

  test("are offered again soon to a reader who takes none for long", async () => {
    const opened = open(Array.from({ length: 14 }, () => some(0)));
    const began = performance.now();
    entries(2).forEach(opened.outbox.send);
    await eventually(
      () => opened.batches.length,
      (count) => count === 15,
    );
    // Pauses that double come to more than sixteen seconds.
    expect(performance.now() - began).toBeLessThan(8000);
    await opened.outbox.close(1000);
    expect(messages(opened)).toEqual([]);
  });

  test("are told of again when they are in trouble again", async () => {
    const opened = open([nothing, () => ({ delivered: 1 }), nothing]);
    for (const each of entries(2)) {
      opened.outbox.send(each);
      const tries = opened.batches.length + 2;
      await eventually(
        () => opened.batches.length,
        (count) => count === tries,
      );
    }
    await opened.outbox.close(1000);
    expect(messages(opened)).toEqual([troubled, again, troubled, again]);
  });

  test("are written beside trouble with what has to be done each second, which is told once until it is over", async () => {
    let tended = 0;
    const maintain = async (): Promise<void> => {
      if (++tended <= 2) throw full;
    };
    const opened = open([], { maintain });
    await eventually(
      () => {
        entries(1).forEach(opened.outbox.send);
        return tended;
      },
      (times) => times >= 4,
    );
    await opened.outbox.close(1000);
    expect(messages(opened)).toEqual([troubled, again]);
  });

  test("are in trouble until they are taken, though what has to be done each second is done", async () => {
    let tended = 0;
    const opened = open(
      Array.from({ length: 100 }, () => nothing),
      { maintain: async () => void tended++ },
    );
    entries(1).forEach(opened.outbox.send);
    await eventually(
      () => tended,
      (times) => times >= 2,
    );
    expect(messages(opened)).toEqual([troubled]);
    await opened.outbox.close(0);
  });

  test("do not keep from it what has to be done each second, however many come", async () => {
    let tended = 0;
    const maintain = async (): Promise<void> => void tended++;
    const opened = open([], { maintain, enoughSize: 1 });
    const until = setInterval(() => entries(50, 1000).forEach(opened.outbox.send), 0);
    try {
      await eventually(
        () => tended,
        (times) => times >= 2,
      );
    } finally {
      clearInterval(until);
    }
    await opened.outbox.close(1000);
  });

  test("are delivered, and what has to be done is done, one after the other to the end", async () => {
    const done: string[] = [];
    const during = async (what: string, milliseconds: number): Promise<void> => {
      done.push(`${what} begins`);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      done.push(`${what} ends`);
    };
    const opened = open([], {
      maintain: () => during("maintain", 200),
      before: (what) => during(what, what === "deliver" ? 1500 : 0),
    });
    entries(1).forEach(opened.outbox.send);
    await eventually(
      () => done.filter((what) => what === "maintain begins").length,
      (count) => count === 2,
    );
    await opened.outbox.close(5000);
    const begun = done.filter((what) => what.endsWith(" begins"));
    expect(done).toEqual(begun.flatMap((what) => [what, what.replace("begins", "ends")]));
    expect(done.at(-1)).toBe("close ends");
  });

  test("are delivered also where they come while something else is done", async () => {
    let isSent = false;
    const maintain = async (): Promise<void> => {
      await anotherTurn();
      if (!isSent) entries(2).forEach(opened.outbox.send);
      isSent = true;
    };
    const opened = open([], { maintain });
    await eventually(
      () => opened.batches,
      ([count]) => count === 2,
    );
    await opened.outbox.close(1000);
  });

  test("are too many for long, which is told once", async () => {
    const opened = open([], { maxSize: 2 ** 22, enoughSize: 1 });
    for (let round = 0; round < 30; round++) {
      entries(20, 300_000).forEach(opened.outbox.send);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(opened.batches.length).toBeGreaterThan(5);
    await opened.outbox.close(1000);
    expect(messages(opened)).toEqual(["audit entries cannot be written to there: more entries come than it takes", again]);
  });

  test("wait for others after a batch as before it", async () => {
    const opened = open([], { delayMilliseconds: 60_000 });
    const [first, ...others] = entries(3);
    if (first === undefined) throw new Error("there are entries");
    opened.outbox.send(first);
    await opened.outbox.flush();
    others.forEach(opened.outbox.send);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(opened.batches).toEqual([1]);
    await opened.outbox.close(1000);
    expect(opened.batches).toEqual([1, 2]);
  });

  test.each<[what: string, options: Partial<OutboxOptions>]>([
    ["of them", { enoughEntries: 3, enoughSize: Number.POSITIVE_INFINITY }],
    ["to write", { enoughSize: 250 }],
  ])("are written without further delay where there is enough %s", async (_what, options) => {
    const opened = open([], { delayMilliseconds: 60_000, ...options });
    entries(3).forEach(opened.outbox.send);
    await eventually(
      () => opened.batches,
      ([count]) => count === 3,
    );
    await opened.outbox.close(1000);
  });

  test("are all written when they are to be, however many batches that takes", async () => {
    const opened = open([], { enoughSize: Number.POSITIVE_INFINITY, delayMilliseconds: 60_000 });
    for (const each of entries(40, 100_000)) opened.outbox.send(each);
    await opened.outbox.flush();
    expect(opened.batches.length).toBeGreaterThan(1);
    expect(opened.batches.reduce((sum, count) => sum + count, 0)).toBe(40);
    await opened.outbox.close(1000);
  });

  test("are written when they are to be, and those that come meanwhile are not waited for", async () => {
    const opened = open([], {
      delayMilliseconds: 60_000,
      before: async (what) => {
        if (what === "deliver") entries(1).forEach(opened.outbox.send);
        await anotherTurn();
      },
    });
    entries(3).forEach(opened.outbox.send);
    await opened.outbox.flush();
    expect(opened.batches).toEqual([3]);
    await opened.outbox.close(1000);
  });

  test("are lost where they are too many, and counted; but one may always wait, however large", async () => {
    const opened = open([], { maxSize: 10_000, delayMilliseconds: 60_000 });
    const [large, last, small] = [...entries(1, 20_000), ...entries(2, 10)];
    for (const each of [large, small]) if (each !== undefined) opened.outbox.send(each);
    expect(opened.heard.failures).toEqual(["decision"]);
    await opened.outbox.flush();
    if (last !== undefined) opened.outbox.send(last);
    await opened.outbox.close(1000);
    expect(opened.batches).toEqual([1, 1]);
    expect(opened.heard.failures).toEqual(["decision"]);
  });

  test("are counted as lost anew, once it was told how many were", async () => {
    const opened = open([], { maxSize: 10_000, delayMilliseconds: 60_000 });
    for (let time = 0; time < 2; time++) {
      for (const each of [...entries(1, 20_000), ...entries(2, 10)]) opened.outbox.send(each);
      await opened.outbox.flush();
    }
    await opened.outbox.close(1000);
    expect(opened.heard.messages().filter((message) => message.includes("lost"))).toEqual(Array(2).fill(`${again}; lost meanwhile: 2`));
  });

  test("are counted as lost when they were not taken before the end", async () => {
    const opened = open(Array.from({ length: 100 }, () => nothing));
    entries(3).forEach(opened.outbox.send);
    await opened.outbox.close(20);
    expect(opened.heard.failures.slice(-3)).toEqual(["access", "decision", "access"]);
    expect(opened.heard.messages().at(-1)).toContain("3 audit entries were lost");
  });

  test("are not tried any more after the end, where they were not taken before it", async () => {
    const opened = open(Array.from({ length: 100 }, () => nothing));
    entries(3).forEach(opened.outbox.send);
    await opened.outbox.close(20);
    const tried = opened.batches.length;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(opened.batches.length).toBe(tried);
  });

  test("are counted as lost when they come after the end, which is no trouble of who takes them", async () => {
    const opened = open([]);
    await opened.outbox.close(1000);
    entries(2).forEach(opened.outbox.send);
    expect(opened.heard.failures).toEqual(["access", "decision"]);
    expect(opened.heard.messages()).toEqual([]);
    expect(opened.batches).toEqual([]);
  });
});
