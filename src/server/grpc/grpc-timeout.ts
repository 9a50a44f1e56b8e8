/** Reads how long the caller of a gRPC call waits (`grpc-timeout`). */
import type { IncomingHttpHeaders } from "node:http2";

/** Milliseconds per unit of a timeout. */
const units: ReadonlyMap<string, number> = new Map([
  ["H", 3_600_000],
  ["M", 60_000],
  ["S", 1000],
  ["m", 1],
  ["u", 0.001],
  ["n", 0.000001],
]);
const longestTimer = 2 ** 31 - 1;

/** Returns milliseconds, `Infinity` where there is no deadline or it is further away than a timer can run; undefined when it is malformed. */
export function timeoutOf({ "grpc-timeout": written }: IncomingHttpHeaders): number | undefined {
  if (written === undefined) return Infinity;
  if (typeof written !== "string" || !/^\d{1,8}[HMSmun]$/.test(written)) return undefined;
  const milliseconds = Math.floor(Number(written.slice(0, -1)) * (units.get(written.slice(-1)) ?? Infinity));
  return milliseconds <= longestTimer ? milliseconds : Infinity;
}

/** Removes a deadline further away than a timer can run: grpc-js counts it in 32 bits, and may take it for one that has passed. */
export function removeDistantDeadline(headers: IncomingHttpHeaders): void {
  if (headers["grpc-timeout"] !== undefined && timeoutOf(headers) === Infinity) delete headers["grpc-timeout"];
}
