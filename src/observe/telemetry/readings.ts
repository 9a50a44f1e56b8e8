/** Converts readings of our metrics to OpenTelemetry's data: same names, labels and buckets. */
import { ValueType, type HrTime } from "@opentelemetry/api";
import { metrics } from "@opentelemetry/sdk-node";
import type { Reading, Sample } from "../instrument.ts";

/** The period of a measurement. */
interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Converts readings. Counters and histogram buckets are cumulative since the start. */
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
