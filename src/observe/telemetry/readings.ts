/** The readings of our own metrics -> the data that OpenTelemetry sends: same names, same labels, same buckets. */
import { ValueType, type HrTime } from "@opentelemetry/api";
import { metrics } from "@opentelemetry/sdk-node";
import type { Reading, Sample } from "../instrument.ts";

/** Between when and when something was counted. */
interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Turns readings into data: counters grow since the start, as do the buckets of histograms; gauges are as they are. */
export function metricDataOf(readings: readonly Reading[], span: Span): metrics.MetricData[] {
  return readings.map((reading) => metricOf(reading, span));
}

function metricOf({ name, help, type, samples }: Reading, span: Span): metrics.MetricData {
  const about = {
    descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: metrics.AggregationTemporality.CUMULATIVE,
  };
  switch (type) {
    case "counter":
      return { ...about, dataPointType: metrics.DataPointType.SUM, isMonotonic: true, dataPoints: points(samples, span, numberOf) };
    case "gauge":
      return { ...about, dataPointType: metrics.DataPointType.GAUGE, dataPoints: points(samples, span, numberOf) };
    case "histogram":
      return { ...about, dataPointType: metrics.DataPointType.HISTOGRAM, dataPoints: points(samples, span, histogramOf) };
  }
}

function points<Value>(samples: readonly Sample[], span: Span, valueOf: (sample: Sample) => Value): metrics.DataPoint<Value>[] {
  return samples.map((sample) => ({ ...span, attributes: { ...sample.labels }, value: valueOf(sample) }));
}

const numberOf = ({ value }: Sample): number => value;

function histogramOf({ value, distribution }: Sample): metrics.Histogram {
  const { bounds = [], counts = [], sum = 0 } = distribution ?? {};
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count: value };
}
