/** Metrics of calls: duration and batch size of checks, and requests and bytes of either transport. */
import { unaryMethods, type UnaryMethod } from "../server/calls/call.ts";
import { codes } from "../server/calls/reply.ts";
import type { CallObserver, HttpExchange } from "./events.ts";
import { openHistogram, type Reading } from "./instrument.ts";
import { metricTable as table } from "./metric-table.ts";

const isCheck: { readonly [Method in UnaryMethod]?: true } = { CheckResources: true, CheckResourceSet: true, CheckResourceBatch: true };

/** Requests that are refused as invalid, or cancelled, do not count as checks. */
const noChecks: ReadonlySet<number> = new Set([codes.INVALID_ARGUMENT.code, codes.CANCELLED.code]);

/** The instruments that calls are counted with. */
export interface CallMetrics {
  readonly end: CallObserver["end"];
  readonly http: (exchange: HttpExchange) => void;
  readonly read: () => readonly Reading[];
}

/** Opens them, empty. */
export function openCallMetrics(): CallMetrics {
  const latency = openHistogram(table.checkLatency);
  const succeeded = latency.with({ status: "success" });
  const failed = latency.with({ status: "failure" });
  const batchSizes = openHistogram(table.checkBatchSize);
  const batchSize = batchSizes.with({});
  const durations = openHistogram(table.rpcDuration);
  const duration = remembering((method: UnaryMethod, code) =>
    durations.with({
      rpc_system: "grpc",
      rpc_service: unaryMethods[method],
      rpc_method: method,
      rpc_grpc_status_code: String(code),
    }),
  );
  const exchanges = [table.httpDuration, table.httpRequestSize, table.httpResponseSize].map((row) => openHistogram(row));
  const exchanged = remembering((method: string, status) =>
    exchanges.map((histogram) =>
      histogram.with({ http_request_method: method, http_response_status_code: String(status), network_protocol_name: "http" }),
    ),
  );
  return {
    end: ({ method, call }, { reply, milliseconds }) => {
      if (isCheck[method] === true && !noChecks.has(reply.code)) (reply.code === 0 ? succeeded : failed).record(milliseconds);
      if (reply.resources !== undefined) batchSize.record(reply.resources);
      if (call.transport === "grpc") duration(method, reply.code).record(milliseconds);
    },
    http: ({ method, status, milliseconds, requestBytes, responseBytes }) => {
      const [seconds, requestSize, responseSize] = exchanged(knownMethods.has(method) ? method : "_OTHER", status);
      seconds?.record(milliseconds / 1000);
      requestSize?.record(requestBytes);
      responseSize?.record(responseBytes);
    },
    read: () => [latency, batchSizes, ...exchanges, durations].map((one) => one.read()),
  };
}

/** The methods that are used as labels. All others share one label, because labels must not be chosen by clients. */
const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

/** Caches what is made for a name and a number. */
function remembering<Name extends string, T>(make: (name: Name, number: number) => T): (name: Name, number: number) => T {
  const known = new Map<Name, Map<number, T>>();
  return (name, number) => {
    let ofName = known.get(name);
    if (ofName === undefined) known.set(name, (ofName = new Map()));
    let one = ofName.get(number);
    if (one === undefined) ofName.set(number, (one = make(name, number)));
    return one;
  };
}
