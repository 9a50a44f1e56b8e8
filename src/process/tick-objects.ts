/** Keeps `process.nextTick` fast after garbage collections. */
import { executionAsyncResource } from "node:async_hooks";

const kept: object[] = [];

/**
 * Keeps one of the objects that Node makes for each `process.nextTick`, for as long as the process lives. V8 forgets what such objects
 * look like when it collects garbage while none is alive; from then on Node makes each by the slow way, for good: a tick takes three
 * times as long, a request 4 % more of the processor (`bench/PROFILE.md`).
 */
export function keepTickObject(): void {
  process.nextTick(() => kept.push(executionAsyncResource()));
}
