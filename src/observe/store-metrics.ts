/** Metrics of the store and of the set in force. */
import type { StoreEvent } from "./events.ts";
import { openCounterOrGauge, openHistogram, type Reading } from "./instrument.ts";
import { metricTable as table } from "./metric-table.ts";

/** A request to a store that lasts longer than this many milliseconds counts as disagreement, from its beginning. */
const shortExchange = 1000;

/** The instruments that events of the store are counted with. */
export interface StoreMetrics {
  readonly event: (event: StoreEvent) => void;
  readonly read: () => readonly Reading[];
}

/** Opens them for a kind of store, at zero. */
export function openStoreMetrics(driver: string): StoreMetrics {
  const polls = openCounterOrGauge(table.storePollCount);
  const syncErrors = openCounterOrGauge(table.storeSyncErrorCount);
  const refresh = openCounterOrGauge(table.storeLastSuccessfulRefresh);
  const agreement = openCounterOrGauge(table.storeSecondsSinceAgreement);
  const compilations = openHistogram(table.compileDuration);
  const entries = openCounterOrGauge(table.indexEntryCount);
  const crud = openCounterOrGauge(table.indexCrudCount);
  const bundleReads = openHistogram(table.bundleOpLatency);
  const bundleErrors = openCounterOrGauge(table.bundleFetchErrorsCount);
  const bundleTrials = openHistogram(table.bundleTrialDuration);
  const bundleUpdates = openCounterOrGauge(table.bundleUpdatesCount);
  for (const one of [polls, syncErrors, refresh, agreement]) one.with({ driver });
  /** Since when store and server disagree, on a monotonic clock; undefined while they agree. */
  let apartSince: number | undefined;
  /** When the current or last request to the store began. */
  let askedAt: number | undefined;
  let isAsked = false;
  const secondsApart = (): number => {
    const now = performance.now();
    if (apartSince !== undefined) return (now - apartSince) / 1000;
    const waited = isAsked && askedAt !== undefined ? now - askedAt : 0;
    return waited > shortExchange ? waited / 1000 : 0;
  };
  return {
    event: (event) => {
      switch (event.kind) {
        case "polled":
          polls.with({ driver }).add(1);
          break;
        case "asked":
          askedAt = performance.now();
          isAsked = true;
          break;
        case "answered":
          isAsked = false;
          break;
        case "failed":
          syncErrors.with({ driver }).add(1);
          apartSince ??= askedAt ?? performance.now();
          if (event.compileMilliseconds !== undefined) compilations.with({ status: "failure" }).record(event.compileMilliseconds);
          break;
        case "passed":
          if (event.compileMilliseconds !== undefined) compilations.with({ status: "failure" }).record(event.compileMilliseconds);
          break;
        case "bundle read":
          bundleReads.with({}).record(event.milliseconds);
          if (event.result === "failed") bundleErrors.with({}).add(1);
          if (event.result === "updated") bundleUpdates.with({}).add(1);
          break;
        case "bundle tried":
          bundleTrials.with({ status: event.result === "passed" ? "success" : "failure" }).record(event.milliseconds);
          break;
        case "loaded":
          apartSince = undefined;
          refresh.with({ driver }).set(event.at);
          entries.with({}).set(event.policies);
          if (event.compileMilliseconds !== undefined) compilations.with({ status: "success" }).record(event.compileMilliseconds);
          crud.with({ kind: "create" }).add(event.created);
          crud.with({ kind: "update" }).add(event.updated);
          crud.with({ kind: "delete" }).add(event.deleted);
      }
    },
    read: () => {
      agreement.with({ driver }).set(secondsApart());
      const bundles = [bundleReads, bundleErrors, bundleUpdates, bundleTrials];
      return [polls, syncErrors, refresh, agreement, compilations, entries, crud, ...bundles].map((one) => one.read());
    },
  };
}
