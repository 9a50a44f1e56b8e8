/** What several processes need besides each other: how many they are, how their metrics add up, and how they ask each other. */
import { describe, expect, test } from "vitest";
import { refusal } from "../../src/refusal.ts";
import type { Reading } from "../../src/observe/instrument.ts";
import { openMetrics, type Metrics } from "../../src/observe/metrics.ts";
import { openChannel } from "../../src/workers/channel.ts";
import { workerCount, type Resources } from "../../src/workers/worker-count.ts";
import type { WorkerProcess } from "../../src/workers/worker-process.ts";
import { watchHeartbeats } from "../../src/workers/heartbeats.ts";
import { withoutGauges, sumReadings } from "../../src/workers/sum-readings.ts";
import { openMergedMetrics } from "../../src/workers/merged-metrics.ts";
import { eventually } from "../server/harness.ts";

const mebi = 2 ** 20;
const roomy: Resources = { cores: 8, quota: undefined, memory: undefined };

describe("how many workers serve", () => {
  const cases: readonly (readonly [sentence: string, setting: number, resources: Partial<Resources>, count: number])[] = [
    ["as many as are set", 3, {}, 3],
    ["as many as are set, whatever there is room for", 3, { cores: 1, memory: mebi }, 3],
    ["one for each core", 0, {}, 8],
    ["one for each core that a share of time begins", 0, { quota: 2.5 }, 3],
    ["one where there is a quarter of a core", 0, { quota: 0.25 }, 1],
    ["as many as memory lasts for", 0, { memory: 512 * mebi }, 2],
    ["one at least", 0, { memory: 64 * mebi }, 1],
    ["not more than there are cores", 0, { quota: 64, memory: 2 ** 40 }, 8],
  ];
  test.each(cases)("%s", (_sentence, setting, resources, count) => {
    expect(workerCount(setting, { ...roomy, ...resources })).toBe(count);
  });
});

describe("metrics of several processes", () => {
  const reading = (name: string, type: Reading["type"], ...samples: Reading["samples"]): Reading => ({ name, type, help: "", samples });
  const numbers = (name: string, type: Reading["type"], value: number): Reading => reading(name, type, { labels: {}, value });
  const cases: readonly (readonly [sentence: string, name: string, values: readonly number[], together: number])[] = [
    ["what is counted adds up", "authz_dev_engine_check_batch_size_count", [1, 2, 4], 7],
    ["what is held adds up", "process_resident_memory_bytes", [10, 20, 30], 60],
    ["the worst lag counts", "nodejs_eventloop_lag_p99_seconds", [0.1, 0.5, 0.2], 0.5],
    ["and the least of the least", "nodejs_eventloop_lag_min_seconds", [0.3, 0.1, 0.2], 0.1],
    ["also under a name that every object has", "valueOf", [1, 2, 4], 7],
    ["the first process says since when", "process_start_time_seconds", [5, 6, 7], 5],
    ["and how many descriptors one may have", "process_max_fds", [1024, 1024, 1024], 1024],
  ];
  test.each(cases)("%s", (_sentence, name, values, together) => {
    const [found] = sumReadings(values.map((value) => [numbers(name, "gauge", value)]));
    expect(found?.samples).toEqual([{ labels: {}, value: together }]);
  });

  test("labels are kept apart, in whatever order they come, and histograms add up bucket by bucket", () => {
    const bounds = [1, 5];
    const one = reading("h", "histogram", {
      labels: { a: "1", b: "2" },
      value: 3,
      distribution: { bounds, counts: [1, 2, 0], sum: 7 },
    });
    const other = reading(
      "h",
      "histogram",
      { labels: { b: "2", a: "1" }, value: 1, distribution: { bounds, counts: [0, 0, 1], sum: 9 } },
      { labels: { a: "1", b: "3" }, value: 0, distribution: { bounds, counts: [0, 0, 0], sum: 0 } },
    );
    expect(sumReadings([[one], [other]])).toEqual([
      reading(
        "h",
        "histogram",
        { labels: { a: "1", b: "2" }, value: 4, distribution: { bounds, counts: [1, 2, 1], sum: 16 } },
        { labels: { a: "1", b: "3" }, value: 0, distribution: { bounds, counts: [0, 0, 0], sum: 0 } },
      ),
    ]);
  });

  test("of a process that is gone what it counted is kept, not what it held", () => {
    expect(
      withoutGauges([numbers("a", "counter", 1), numbers("b", "gauge", 1), reading("c", "histogram")]).map(({ name }) => name),
    ).toEqual(["a", "c"]);
  });
});

const workerProcess = (number: number, readings: () => readonly Reading[]): WorkerProcess => ({
  number,
  pid: number,
  ask: async () => readings(),
  hasExited: () => false,
  exited: new Promise(() => undefined),
  disconnect: () => undefined,
  kill: () => undefined,
});

test("sums of fractions never shrink, in whatever order they are added", async () => {
  const taken = (seconds: number): readonly Reading[] => [
    { name: "taken", type: "counter", help: "", samples: [{ labels: { in: "all" }, value: seconds }] },
    {
      name: "spread",
      type: "histogram",
      help: "",
      samples: [{ labels: {}, value: 1, distribution: { bounds: [], counts: [1], sum: seconds } }],
    },
    { name: "held", type: "gauge", help: "", samples: [{ labels: {}, value: seconds }] },
  ];
  const own = openMetrics({ "storage.driver": "disk", "server.metricsEnabled": true, "telemetry.enabled": true }, false);
  const workers = [workerProcess(1, () => taken(0.2)), workerProcess(2, () => taken(0.3))];
  const merged = openMergedMetrics({ ...own, collect: async () => taken(0.1) }, () => workers);
  const shown = async (): Promise<readonly unknown[]> =>
    (await merged.collect()).map(({ samples }) => samples[0]?.distribution?.sum ?? samples[0]?.value);
  expect(await shown()).toEqual([0.1 + 0.2 + 0.3, 0.1 + 0.2 + 0.3, 0.1 + 0.2 + 0.3]);
  for (const gone of workers.splice(0)) merged.ended(gone);
  expect(0.1 + (0.2 + 0.3)).toBeLessThan(0.1 + 0.2 + 0.3);
  expect(await shown()).toEqual([0.1 + 0.2 + 0.3, 0.1 + 0.2 + 0.3, 0.1]);
});

test("a worker that ends while the others are asked is counted once", async () => {
  const calls = (value: number): readonly Reading[] => [{ name: "calls", type: "counter", help: "", samples: [{ labels: {}, value }] }];
  const own = openMetrics({ "storage.driver": "disk", "server.metricsEnabled": true, "telemetry.enabled": true }, false);
  const first = workerProcess(1, () => calls(3));
  const second = workerProcess(2, () => {
    setImmediate(() => merged.ended(first));
    return calls(4);
  });
  const slow: Metrics = {
    ...own,
    collect: async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return [];
    },
  };
  const merged = openMergedMetrics(slow, () => [first, second]);
  expect(await merged.collect()).toMatchObject([{ samples: [{ value: 7 }] }]);
});

test("a worker that has said its last, and answers once more before it ends, is counted once", async () => {
  const calls = (value: number): readonly Reading[] => [{ name: "calls", type: "counter", help: "", samples: [{ labels: {}, value }] }];
  const own = openMetrics({ "storage.driver": "disk", "server.metricsEnabled": true, "telemetry.enabled": true }, false);
  const leaving = workerProcess(1, () => calls(3));
  const merged = openMergedMetrics({ ...own, collect: async () => [] }, () => [leaving]);
  merged.ended(leaving, calls(3));
  expect(await merged.collect()).toMatchObject([{ samples: [{ value: 3 }] }]);
});

describe("two ends of a channel", () => {
  interface Asked {
    readonly half: { readonly asks: number; readonly answers: number };
  }
  interface AskedOfNobody {
    readonly nothing: { readonly asks: undefined; readonly answers: undefined };
  }
  const refused = (received: unknown): void => {
    throw new Error(`nobody says ${JSON.stringify(received)}`);
  };
  const connect = (answer: (asks: number) => number | Promise<number>) => {
    // What crosses is a copy, as between processes.
    const ends = {
      left: openChannel<Asked, AskedOfNobody>({
        send: (message): void => ends.right.receive(structuredClone(message)),
        handlers: { nothing: () => undefined },
        refused,
      }),
      right: openChannel<AskedOfNobody, Asked>({
        send: (message): void => ends.left.receive(structuredClone(message)),
        handlers: { half: answer },
        refused,
      }),
    };
    return ends.left;
  };

  test("answer each question with its own answer", async () => {
    const channel = connect(async (asks) => {
      await new Promise((resolve) => setTimeout(resolve, asks));
      return asks / 2;
    });
    expect(await Promise.all([20, 2, 10].map((asks) => channel.ask("half", asks)))).toEqual([10, 1, 5]);
  });

  test("tell refusals from mistakes", async () => {
    const refusing = connect(() => {
      throw refusal("no such thing");
    });
    await expect(refusing.ask("half", 1)).rejects.toMatchObject({ name: "Refusal", message: "no such thing" });
    const failing = connect(() => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    });
    await expect(failing.ask("half", 1)).rejects.toMatchObject({ name: "Error", message: "full", code: "ENOSPC" });
  });

  test("leave nobody waiting when one is gone", async () => {
    const channel = connect(() => new Promise(() => undefined));
    const asked = channel.ask("half", 1);
    channel.close(refusal("it is gone"));
    await expect(asked).rejects.toThrow("it is gone");
    await expect(channel.ask("half", 1)).rejects.toThrow("it is gone");
  });

  const garbage: readonly (readonly [sentence: string, received: unknown])[] = [
    ["nothing", undefined],
    ["null", null],
    ["a word", "listening"],
    ["a number", 7],
    ["a list", [{ kind: "answer", id: 1 }]],
    ["an object of another kind", {}],
    ["an unknown kind", { kind: "tell", id: 1 }],
    ["an answer to nothing", { kind: "answer" }],
    ["an answer whose number is a text", { kind: "answer", id: "1" }],
    ["a question without a name", { kind: "ask", id: 1 }],
    ["a question whose name is an object", { kind: "ask", id: 1, name: { toString: 1 } }],
    ["a failure that says nothing", { kind: "failed", id: 1 }],
    ["a failure whose code is an object", { kind: "failed", id: 1, message: "a", code: {}, isRefusal: false }],
  ];
  test.each(garbage)("pass over what is no message, and say so: %s", async (_sentence, received) => {
    const passedOver: unknown[] = [];
    const sent: unknown[] = [];
    const end = openChannel<Asked, AskedOfNobody>({
      send: (message) => void sent.push(message),
      handlers: { nothing: () => undefined },
      refused: (one) => void passedOver.push(one),
    });
    const asked = end.ask("half", 2);
    end.receive(received);
    expect(passedOver).toEqual([received]);
    end.receive({ kind: "answer", id: 1, answer: 1 });
    expect([await asked, sent.length]).toEqual([1, 1]);
  });

  const unanswerable: readonly (readonly [sentence: string, name: string])[] = [
    ["a question that nobody answers", "third"],
    ["what every object has", "toString"],
    ["what no object has", "__proto__"],
  ];
  test.each(unanswerable)("answer with a failure, and go on: %s", async (_sentence, name) => {
    const sent: unknown[] = [];
    const end = openChannel<Asked, AskedOfNobody>({
      send: (message) => void sent.push(message),
      handlers: { nothing: () => undefined },
      refused,
    });
    end.receive({ kind: "ask", id: 5, name, asks: null });
    end.receive({ kind: "answer", id: 99, answer: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([{ kind: "failed", id: 5, message: `nobody answers \`${name}\``, code: undefined, isRefusal: false }]);
  });
});

describe("the heartbeats of workers", () => {
  /** From which round of questions on a worker is silent, and in which it answers what it was asked. */
  type Silence = readonly [from: number, to: number];
  interface Watched {
    readonly name: string;
    readonly ask: () => Promise<never>;
  }
  const milliseconds = 2;
  const maxMissed = 3;

  /** Who is given up, and in which round. */
  async function givenUp(silencesOf: { readonly [name: string]: readonly Silence[] }, rounds: number, each = (): void => undefined) {
    let now = 0;
    const found: string[] = [];
    const open: { readonly to: number; readonly answer: (answer: never) => void }[] = [];
    const watched: Watched[] = Object.entries(silencesOf).map(([name, silences]) => ({
      name,
      ask: () =>
        new Promise((resolve) => {
          const silence = silences.find(([from, to]) => from <= now && now < to);
          if (silence === undefined) setImmediate(() => resolve(undefined as never));
          else open.push({ to: silence[1], answer: resolve });
        }),
    }));
    const workers = (): readonly Watched[] => {
      now++;
      for (const { to, answer } of open) if (to === now) answer(undefined as never);
      each();
      return watched.filter(({ name }) => !found.some((line) => line.endsWith(name)));
    };
    const stop = watchHeartbeats({ workers, milliseconds, maxMissed, stuck: ({ name }) => void found.push(`${now} ${name}`) });
    await eventually(
      () => now,
      (round) => round >= rounds,
    );
    stop();
    return found;
  }

  const cases: readonly (readonly [
    sentence: string,
    workers: { readonly [name: string]: readonly Silence[] },
    rounds: number,
    found: readonly string[],
  ])[] = [
    ["nobody who answers is given up", { a: [], b: [] }, 20, []],
    ["who is silent for three rounds is given up in the next", { a: [], b: [[1, Infinity]] }, 10, ["4 b"]],
    ["at whatever time that begins", { a: [[5, Infinity]], b: [] }, 10, ["8 a"]],
    [
      "a silence that ends in time counts for nothing",
      {
        a: [
          [1, 3],
          [5, 7],
          [9, 11],
        ],
      },
      20,
      [],
    ],
    ["of several one is given up in a round", { a: [[1, Infinity]], b: [[1, Infinity]], c: [[1, Infinity]] }, 10, ["4 a", "5 b", "6 c"]],
    ["and who answers meanwhile is kept", { a: [[1, Infinity]], b: [[1, 4]], c: [[1, Infinity]] }, 10, ["4 a", "5 c"]],
    ["who has been silent for longest is the first", { a: [[2, Infinity]], b: [[1, Infinity]] }, 10, ["4 b", "5 a"]],
  ];
  test.each(cases)("%s", async (_sentence, workers, rounds, found) => {
    expect(await givenUp(workers, rounds)).toEqual(found);
  });

  test("nobody is given up because the primary stood still, or the machine slept", async () => {
    const stand = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * milliseconds);
    expect(await givenUp({ a: [], b: [] }, 20, stand)).toEqual([]);
  });
});
