/** What workers say that they have counted: nonsense is refused as what is no message, and the rest is right all the same. */
import { deserialize, serialize } from "node:v8";
import { describe, expect, test } from "vitest";
import type { Reading, Sample } from "../../src/observe/instrument.ts";
import { openMetrics } from "../../src/observe/metrics.ts";
import { metricTable } from "../../src/observe/metric-table.ts";
import { areReadings } from "../../src/workers/are-readings.ts";
import { openChannel } from "../../src/workers/channel.ts";
import type { WorkerProcess } from "../../src/workers/worker-process.ts";
import type { PrimaryRequests, WorkerRequests } from "../../src/workers/messages.ts";
import { openMergedMetrics, type MergedMetrics } from "../../src/workers/merged-metrics.ts";

const labels = { status: "success" };
const counted = (value: unknown, name = "calls"): object => ({ name, type: "counter", help: "", samples: [{ labels: {}, value }] });
const sampled = (sample: unknown, type = "counter"): unknown => [{ name: "calls", type, help: "", samples: [sample] }];
const spread = (distribution: unknown, value: unknown = 3): unknown => sampled({ labels, value, distribution }, "histogram");
const ofTable = ({ name, type, bounds }: (typeof metricTable)["checkBatchSize"], change: object): unknown => [
  {
    name,
    type,
    help: "",
    samples: [{ labels, value: 0, distribution: { bounds, counts: [...bounds.map(() => 0), 0], sum: 0 } }],
    ...change,
  },
];
const hole: unknown[] = [];
hole.length = 1;

const config = { "storage.driver": "disk", "server.metricsEnabled": true, "telemetry.enabled": true } as const;

describe("are readings", () => {
  test.each<[sentence: string, said: unknown]>([
    ["none at all", []],
    ["one without samples", [{ name: "calls", type: "counter", help: "", samples: [] }]],
    ["a count", [counted(3)]],
    ["what is held, though it be less than nothing", sampled({ labels, value: -1 }, "gauge")],
    ["what is held, though nobody has measured it yet", sampled({ labels, value: NaN }, "gauge")],
    ["a histogram", spread({ bounds: [1, 5], counts: [1, 2, 0], sum: 7 })],
    ["a histogram of our own", ofTable(metricTable.checkBatchSize, {})],
  ])("%s", (_sentence, said) => {
    expect(areReadings(deserialize(serialize(said)))).toBe(true);
  });

  test.each([true, false])("all that a process says that answers calls: %s", async (answers) => {
    const metrics = openMetrics(config, answers);
    metrics.watchCaches(() => [{ kind: "jwt", hits: 2, misses: 3, live: 1, max: Infinity }]);
    metrics.workerLost();
    const readings = await metrics.collect();
    expect(readings.length).toBeGreaterThan(20);
    expect(readings.filter((reading) => !areReadings([reading])).map(({ name }) => name)).toEqual([]);
  });
});

const nonsense: readonly (readonly [sentence: string, said: unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a word", "calls"],
  ["a number", 7],
  ["an object", { 0: counted(1), length: 1 }],
  ["a set", new Set([counted(1)])],
  ["a list with a hole", hole],
  ["a list of lists", [[counted(1)]]],
  ["a reading without a name", [counted(1, undefined), { type: "counter", help: "", samples: [] }]],
  ["a name that ends its line", [counted(1, "calls 1\nauthz_dev_engine_check_batch_size")]],
  ["a name that is empty", [counted(1, "")]],
  ["no help", [{ name: "calls", type: "counter", samples: [] }]],
  ["an unknown type", sampled({ labels, value: 1 }, "summary")],
  ["a type that is a list", [{ name: "calls", type: ["counter"], help: "", samples: [] }]],
  ["samples that are a word", [{ name: "calls", type: "counter", help: "", samples: "none" }]],
  ["samples with a hole", [{ name: "calls", type: "counter", help: "", samples: hole }]],
  ["a sample that is a number", sampled(1)],
  ["a sample without labels", sampled({ value: 1 })],
  ["labels that are a list", sampled({ labels: ["a"], value: 1 })],
  ["labels that are a map", sampled({ labels: new Map([["a", "b"]]), value: 1 })],
  ["a label that is a number", sampled({ labels: { status: 1 }, value: 1 })],
  ["a label whose name is another line", sampled({ labels: { 'a="b"} 1\nc{d': "e" }, value: 1 })],
  ["a count that is a text", [counted("1")]],
  ["a count that is no number", [counted(NaN)]],
  ["a count that never ends", [counted(Infinity)]],
  ["a count below zero", [counted(-1)]],
  ["a count of another kind of number", [counted(1n)]],
  ["what is held as a text", sampled({ labels, value: "1" }, "gauge")],
  ["a histogram without buckets", sampled({ labels, value: 1 }, "histogram")],
  ["a histogram with too few buckets", spread({ bounds: [1, 5], counts: [1, 2], sum: 7 })],
  ["a histogram with too many", spread({ bounds: [1], counts: [1, 2, 0], sum: 7 })],
  ["a histogram whose bucket is a text", spread({ bounds: [1, 5], counts: [1, "2", 0], sum: 7 })],
  ["a histogram with a bucket below zero", spread({ bounds: [1, 5], counts: [4, -1, 0], sum: 7 })],
  ["a histogram with a hole", spread({ bounds: [], counts: hole, sum: 7 }, 0)],
  ["a histogram that counts otherwise than its buckets", spread({ bounds: [1, 5], counts: [1, 2, 0], sum: 7 }, 4)],
  ["a histogram without a sum", spread({ bounds: [1, 5], counts: [1, 2, 0] })],
  ["a histogram whose sum is no number", spread({ bounds: [1, 5], counts: [1, 2, 0], sum: NaN })],
  ["a histogram whose bounds are words", spread({ bounds: ["1", "5"], counts: [1, 2, 0], sum: 7 })],
  ["a metric of ours of another type", ofTable(metricTable.checkBatchSize, { type: "counter", samples: [] })],
  [
    "a metric of ours with other buckets",
    ofTable(metricTable.checkBatchSize, {
      samples: [{ labels: {}, value: 3, distribution: { bounds: [1, 5], counts: [1, 2, 0], sum: 7 } }],
    }),
  ],
];

/** A worker at the other end of a channel, that answers what it is told to. */
function worker(number: number, refused: (received: unknown) => void): { readonly workerProcess: WorkerProcess; says: unknown } {
  const ours = {
    says: [counted(0)] as unknown,
    workerProcess: {
      number,
      pid: number,
      ask: ((name, asks) => near.ask(name, asks)) as WorkerProcess["ask"],
      hasExited: () => false,
      exited: new Promise<string>(() => undefined),
      disconnect: () => undefined,
      kill: () => undefined,
    },
  };
  const crossing = (message: unknown): unknown => deserialize(serialize(message));
  const near = openChannel<WorkerRequests, Pick<PrimaryRequests, "look">>({
    send: (message): void => far.receive(crossing(message)),
    handlers: { look: () => undefined },
    accepted: { readings: areReadings, stop: areReadings },
    refused,
  });
  const far = openChannel<Pick<PrimaryRequests, "look">, Pick<WorkerRequests, "readings" | "stop">>({
    send: (message): void => near.receive(crossing(message)),
    handlers: { readings: () => ours.says as readonly Reading[], stop: () => ours.says as readonly Reading[] },
    refused: () => undefined,
  });
  return ours;
}

describe("a worker that answers", () => {
  const calls = async (merged: MergedMetrics): Promise<readonly Sample[] | undefined> =>
    (await merged.collect()).find(({ name }) => name === "calls")?.samples;

  test.each(nonsense)(
    "%s is passed over: what it had counted before goes on counting, and the text is as it was",
    async (_sentence, said) => {
      const refused: unknown[] = [];
      const workers = [1, 2].map((number) => worker(number, (received) => void refused.push(received)));
      const [sound, broken] = workers;
      if (sound === undefined || broken === undefined) throw new Error("there are two");
      const own = openMetrics(config, false);
      const merged = openMergedMetrics({ ...own, collect: async () => [] }, () => workers.map(({ workerProcess }) => workerProcess));
      [sound.says, broken.says] = [[counted(3)], [counted(4)]];
      expect(await calls(merged)).toEqual([{ labels: {}, value: 7 }]);
      const text = await merged.text();

      broken.says = said;
      expect(await merged.text()).toBe(text);
      expect(refused).toHaveLength(1);

      sound.says = [counted(5)];
      expect(await calls(merged)).toEqual([{ labels: {}, value: 9 }]);

      // Its last words are no better.
      await broken.workerProcess.ask("stop", undefined).then(
        (last) => merged.ended(broken.workerProcess, last),
        () => merged.ended(broken.workerProcess),
      );
      workers.pop();
      expect(await calls(merged)).toEqual([{ labels: {}, value: 9 }]);
      expect(refused).toHaveLength(3);
    },
  );

  test("in time and in form again is counted again", async () => {
    const broken = worker(1, () => undefined);
    const merged = openMergedMetrics({ ...openMetrics(config, false), collect: async () => [] }, () => [broken.workerProcess]);
    const found: unknown[] = [];
    for (const said of ["nonsense", [counted(2)], "nonsense", [counted(6)]]) {
      broken.says = said;
      found.push((await calls(merged))?.[0]?.value);
    }
    expect(found).toEqual([undefined, 2, 2, 6]);
  });
});
