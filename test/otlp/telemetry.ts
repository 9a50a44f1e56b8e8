/** Opens OpenTelemetry in this process with an environment of its own, and calls to tell it of. */
import { openMetrics, type Metrics } from "../../src/observe/metrics.ts";
import { logTo } from "../../src/observe/log.ts";
import { openTelemetry, type Telemetry } from "../../src/observe/telemetry/index.ts";
import type { Call } from "../../src/server/calls/call.ts";
type LogLine = { readonly [field: string]: unknown };

export interface OpenTelemetry extends Telemetry {
  readonly metrics: Metrics;
  readonly logged: () => readonly LogLine[];
  /** One whole call, from beginning to end; returns its id. */
  readonly call: (headers?: { readonly [name: string]: string }, code?: number) => string;
}

export type Environment = { readonly [name: string]: string };

/** Opens it; close it. */
export async function open(environment: Environment, settings: { readonly enabled?: boolean } = {}): Promise<OpenTelemetry> {
  const lines: string[] = [];
  const metrics = openMetrics({
    "storage.driver": "disk",
    "server.metricsEnabled": true,
    "telemetry.enabled": settings.enabled ?? true,
  });
  const log = logTo({ write: (line) => void lines.push(line) }, "info");
  const telemetry = await openTelemetry(environment, { metrics, log });
  let calls = 0;
  return {
    ...telemetry,
    metrics,
    logged: () => lines.map((line) => JSON.parse(line)),
    call: (headers = {}, code = 0) => {
      const callId = `call-${++calls}`;
      const begun = { method: "CheckResources" as const, callId, call: callWith(headers), body: "{}", at: Date.now() };
      const end = { reply: { code, text: "{}", resources: 1 }, milliseconds: 1 };
      telemetry.observer?.begin?.(begun);
      telemetry.beginSpan?.("decide", callId)();
      metrics.end(begun, end);
      telemetry.observer?.end(begun, end);
      return callId;
    },
  };
}

function callWith(headers: { readonly [name: string]: string }): Call {
  return {
    transport: "http",
    peer: "192.0.2.1:4321",
    headers: { get: (name) => headers[name], entries: () => Object.entries(headers).map(([name, value]) => [name, [value]] as const) },
  };
}
