/**
 * Starts exporting traces and metrics. Everything that needs the OpenTelemetry packages is imported by this file, which is loaded only
 * when something is exported.
 */
import { resources } from "@opentelemetry/sdk-node";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { version } from "../../version.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { listenToDiagnostics } from "./diagnostics.ts";
import { sendMetrics } from "./metrics.ts";
import type { Plan } from "./plan.ts";
import { openTraces, type Traces } from "./traces.ts";

/** A running export. */
export interface Export {
  readonly traces: Traces | undefined;
  readonly close: (milliseconds: number) => Promise<void>;
}

/** Starts to export. */
export async function startExport(plan: Plan, { metrics, log }: { readonly metrics: Metrics; readonly log: Log }): Promise<Export> {
  listenToDiagnostics(log);
  const resource = resources.defaultResource().merge(
    resources.resourceFromAttributes({
      "service.version": version,
      "service.instance.id": randomUUID(),
      "host.name": hostname(),
      "process.pid": process.pid,
      ...plan.resource,
    }),
  );
  const traces = plan.traces === undefined ? undefined : await openTraces(plan.traces, { resource, log });
  const sent = plan.metrics === undefined ? undefined : await sendMetrics(plan.metrics, { resource, metrics, log });
  const running = [traces, sent].filter((one) => one !== undefined);
  return {
    traces,
    close: async (milliseconds) => {
      const shut = Promise.all(running.map((one) => one.shutdown().catch(() => undefined))); // a failure is logged as a failed export
      await within(milliseconds, shut);
      for (const one of running) one.destroy();
    },
  };
}

/** Waits for a promise, at most the given number of milliseconds. */
async function within(milliseconds: number, what: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([what, end]);
  clearTimeout(timer);
}
