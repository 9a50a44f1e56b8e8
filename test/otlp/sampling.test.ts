/** Of the calls that come without a trace a part is traced, known beforehand from ids that the packages of OpenTelemetry agree with. */
import { ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import { tracing } from "@opentelemetry/sdk-node";
import { expect, test } from "vitest";
import { openTraceIds, samplerOf } from "../../src/observe/telemetry/sampling.ts";

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
  const ids = openTraceIds({ kind, ratio });
  const sampler = samplerOf({ kind, ratio });
  const drawn: string[] = [];
  for (let draw = 0; draw < draws; draw++) if (ids.drawSampled()) drawn.push(ids.generateTraceId());
  expect(drawn.length / draws).toBeGreaterThanOrEqual(least);
  expect(drawn.length / draws).toBeLessThanOrEqual(most);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn.filter((id) => !/^[\da-f]{32}$/.test(id))).toEqual([]);
  const decisions = drawn.map((id) => sampler.shouldSample(ROOT_CONTEXT, id, "call", SpanKind.SERVER, {}, []).decision);
  expect(decisions.filter((decision) => decision !== tracing.SamplingDecision.RECORD_AND_SAMPLED)).toEqual([]);
});

test("an id is drawn for one trace", () => {
  const ids = openTraceIds({ kind: "always_on", ratio: 1 });
  expect(ids.drawSampled()).toBe(true);
  expect(ids.generateTraceId()).not.toBe(ids.generateTraceId());
});

test("what is not drawn is as the packages would have had it", () => {
  const ids = openTraceIds({ kind: "always_off", ratio: 1 });
  expect(ids.drawSampled()).toBe(false);
  expect(ids.generateTraceId()).toMatch(/^[\da-f]{32}$/);
  expect(ids.generateSpanId()).toMatch(/^[\da-f]{16}$/);
});
