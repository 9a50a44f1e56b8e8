/** Configuration keys that are recognised and have no effect: those whose feature does not exist yet, and those of the reference that mean nothing in ours (D11). */

/** A key without effect. */
export interface UnsupportedKey {
  /** The key; it also stands for every key below it. */
  readonly key: string;
  /** An error where ignoring the key would change who may do what, or what is recorded; else a warning. */
  readonly severity: "error" | "warning";
  readonly reason: "not yet" | "not applicable";
  /** A value that asks for nothing and is therefore no problem. */
  readonly harmlessValue?: string | boolean;
  /** What to do instead. */
  readonly hint?: string;
}

const notYet = (severity: "error" | "warning", key: string, harmless?: string | boolean): UnsupportedKey => ({
  key,
  severity,
  reason: "not yet",
  hint: "remove it",
  ...(harmless !== undefined && { harmlessValue: harmless }),
});
const notApplicable = (key: string, hint?: string): UnsupportedKey => ({
  key,
  severity: "warning",
  reason: "not applicable",
  ...(hint !== undefined && { hint }),
});

const exportThem = "export its policies to files, and use the driver `disk` or `sqlite`";
const notFromHub = "use the driver `git` for the repository of its policies, or `disk` or `bundle` for its files";
const unreported = "remove it: usage is never reported";

/** The entry with the longest matching key applies. */
export const unsupportedKeys: readonly UnsupportedKey[] = [
  notYet("error", "server.playgroundEnabled", false),
  notApplicable("storage.git.scratchDir"),
  notApplicable("audit.kafka"),
  notApplicable("audit.hub"),
  notApplicable("audit.decisionLogFilters.planResources"),
  notApplicable("schema.cacheSize"),
  notApplicable("engine.policyLoaderTimeout"),
  notApplicable("engine.numWorkers"),
  notApplicable("storage.disk.scratchDir"),
  notApplicable("storage.bundle.remote", notFromHub),
  notApplicable("storage.bundle.local", notFromHub),
  notApplicable("storage.bundle.credentials"),
  notApplicable("storage.blob", "bring its files to a folder for the driver `disk`, or build a bundle of them for the driver `bundle`"),
  notApplicable("storage.mysql", exportThem),
  notApplicable("storage.postgres", exportThem),
  notApplicable("storage.hub", notFromHub),
  notApplicable("storage.overlay", "use the driver of its base store: while that cannot be read, the last good policies stay in force"),
  notApplicable("telemetry.disabled", unreported),
  notApplicable("telemetry.reportInterval", unreported),
  notApplicable("telemetry.stateDir", unreported),
  notApplicable("compile.cacheDuration"),
  notApplicable("compile.cacheSize"),
  notApplicable("hub"),
  notApplicable("tracing", "set `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` in the environment instead"),
];

/** Returns the entry for a key that is no setting; undefined when there is none. */
export function unsupportedKey(path: string): UnsupportedKey | undefined {
  return unsupportedKeys
    .filter((unsupported) => path === unsupported.key || path.startsWith(`${unsupported.key}.`))
    .toSorted((a, b) => b.key.length - a.key.length)[0];
}
