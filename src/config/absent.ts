/** Configuration keys that are recognised and have no effect: those whose feature does not exist yet, and those of the reference that mean nothing in ours (D11). */

/** A key without effect. */
export interface AbsentKey {
  /** The key; it also stands for every key below it. */
  readonly key: string;
  /** An error where ignoring the key would change who may do what, or what is recorded; else a warning. */
  readonly severity: "error" | "warning";
  readonly why: "later" | "never";
  /** A value that asks for nothing and is therefore no problem. */
  readonly harmless?: string | boolean;
  /** What to do instead. */
  readonly hint?: string;
}

const later = (severity: "error" | "warning", key: string, harmless?: string | boolean): AbsentKey => ({
  key,
  severity,
  why: "later",
  hint: "remove it",
  ...(harmless !== undefined && { harmless }),
});
const never = (key: string, hint?: string): AbsentKey => ({ key, severity: "warning", why: "never", ...(hint !== undefined && { hint }) });

const exportThem = "export its policies to files, and use the driver `disk` or `sqlite`";
const unreported = "remove it: usage is never reported";

/** The entry with the longest matching key applies. */
export const absentKeys: readonly AbsentKey[] = [
  later("error", "server.playgroundEnabled", false),
  never("storage.git.scratchDir"),
  never("audit.kafka"),
  never("audit.hub"),
  never("audit.decisionLogFilters.planResources"),
  never("schema.cacheSize"),
  never("engine.policyLoaderTimeout"),
  never("engine.numWorkers"),
  never("storage.disk.scratchDir"),
  never("storage.bundle.remote"),
  never("storage.bundle.local"),
  never("storage.bundle.credentials"),
  never("storage.blob", "bring its files to a folder for the driver `disk`, or build a bundle of them for the driver `bundle`"),
  never("storage.mysql", exportThem),
  never("storage.postgres", exportThem),
  never("storage.hub", "use the driver `git` for the repository of its policies, or `disk` or `bundle` for its files"),
  never("storage.overlay", "use the driver of its base store: while that cannot be read, the last good policies stay in force"),
  never("telemetry.disabled", unreported),
  never("telemetry.reportInterval", unreported),
  never("telemetry.stateDir", unreported),
  never("compile.cacheDuration"),
  never("compile.cacheSize"),
  never("hub"),
  never("tracing", "set `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` in the environment instead"),
];

/** Returns the entry for a key that is no setting; undefined when there is none. */
export function absentKey(path: string): AbsentKey | undefined {
  return absentKeys
    .filter((absent) => path === absent.key || path.startsWith(`${absent.key}.`))
    .toSorted((a, b) => b.key.length - a.key.length)[0];
}
