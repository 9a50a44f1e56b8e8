/** Of the calls that come without a trace a part is traced, and the packages of OpenTelemetry would have traced the same. */
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { tracing } from "@opentelemetry/sdk-node";
import { expect, test } from "vitest";
import { openSampling } from "../../src/observe/telemetry/sampling.ts";

const draws = 4000;

test.each([
  // sampler                    argument  part of all: least, most
  ["always_on", 1, 1, 1],
  ["always_off", 1, 0, 0],
  ["traceidratio", 0, 0, 0],
  ["traceidratio", 0.1, 0.05, 0.15],
  ["traceidratio", 0.5, 0.4, 0.6],
  ["traceidratio", 1, 1, 1],
  ["parentbased_always_on", 1, 1, 1],
  ["parentbased_always_off", 1, 0, 0],
  ["parentbased_traceidratio", 0.9, 0.85, 0.95],
] as const)("%s %d traces between %d and %d of them", (kind, ratio, least, most) => {
  const sampling = openSampling({ kind, ratio });
  const theirs = new tracing.TraceIdRatioBasedSampler(most === 1 ? 1 : most === 0 ? 0 : ratio);
  const isTheirs = (id: string): boolean => theirs.shouldSample(ROOT_CONTEXT, id).decision === tracing.SamplingDecision.RECORD_AND_SAMPLED;
  const drawn: string[] = [];
  for (let draw = 0; draw < draws; draw++) drawn.push(...[sampling.drawSampled()].filter((id) => id !== undefined));
  expect(drawn.length / draws).toBeGreaterThanOrEqual(least);
  expect(drawn.length / draws).toBeLessThanOrEqual(most);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn.filter((id) => !/^[\da-f]{32}$/.test(id) || !isTheirs(id))).toEqual([]);
  const others = Array.from({ length: draws }, () => sampling.traceId());
  expect(others.filter((id) => !/^[\da-f]{32}$/.test(id) || sampling.samples(id) !== isTheirs(id))).toEqual([]);
});

test("ids of spans are their own, and as long as they must be", () => {
  const { spanId } = openSampling({ kind: "always_off", ratio: 1 });
  const made = Array.from({ length: draws }, spanId);
  expect(made.filter((id) => !/^[\da-f]{16}$/.test(id))).toEqual([]);
  expect(new Set(made).size).toBe(draws);
});
