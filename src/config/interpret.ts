/** Interprets a configuration tree by the table of settings: tree in; `Config`, or every problem, out. */
import { nearest } from "../../compiler/nearest.ts";
import { unsupportedKey, unsupportedKeys } from "./unsupported-keys.ts";
import { hasUnresolvedVariable, displayKey, type ConfigEntry, type ConfigMap } from "./node.ts";
import type { ReportProblem } from "./problem.ts";
import { isSettingKey, settingsByKey, type Config, type SettingKey } from "./settings.ts";

/** The result of interpreting a tree. */
export interface Interpretation {
  readonly config: Config;
  /** The settings in the tree, with their position, and whether their values are valid. */
  readonly configured: ReadonlyMap<SettingKey, { readonly place: string; readonly isValid: boolean }>;
}

const knownKeys: readonly string[] = [...Object.keys(settingsByKey), ...unsupportedKeys.map((unsupported) => unsupported.key)];
/** Keys that are worth suggesting: not those that never have an effect. */
const suggestedKeys: readonly string[] = [
  ...Object.keys(settingsByKey),
  ...unsupportedKeys.filter((unsupported) => unsupported.reason === "not yet").map((unsupported) => unsupported.key),
];

/** Interprets a tree. A setting that is missing has the value in `defaults`, else its own default. */
export function interpret(tree: ConfigMap, defaults: Partial<Config>, report: ReportProblem): Interpretation {
  const values = new Map<string, unknown>();
  const configured = new Map<SettingKey, { readonly place: string; readonly isValid: boolean }>();
  const reportedKeys = new Set<string>();
  const walk = (map: ConfigMap, above: string): void => {
    for (const entry of map.entries) readEntry(entry, above === "" ? entry.key : `${above}.${entry.key}`, above);
  };
  const readSetting = (entry: ConfigEntry, key: SettingKey): void => {
    if (entry.value.kind === "scalar" && entry.value.value === null && entry.value.text === "" && !entry.value.isUnresolved) return; // `key:` without a value means the default.
    const { type } = settingsByKey[key];
    let reported = hasUnresolvedVariable(entry.value);
    const value = type.read(entry.value, (problem) => {
      reported = true;
      report(problem);
    });
    const isValid = value !== undefined && !reported;
    configured.set(key, { place: entry.place, isValid });
    if (isValid) values.set(key, value);
    else if (!reported) report({ severity: "error", place: entry.value.place, message: `\`${key}\` must be ${type.description}` });
  };
  const readEntry = (entry: ConfigEntry, path: string, above: string): void => {
    if (isSettingKey(path)) return readSetting(entry, path);
    const unsupported = unsupportedKey(path);
    if (unsupported === undefined && knownKeys.some((key) => key.startsWith(`${path}.`))) {
      if (entry.value.kind === "map") walk(entry.value, path);
      else if (entry.value.kind !== "scalar" || (entry.value.value !== null && !entry.value.isUnresolved))
        report({ severity: "error", place: entry.value.place, message: `\`${path}\` must be a mapping` });
      return;
    }
    if (unsupported === undefined) {
      const hint = hintFor(entry.key, above);
      const shown = above === "" ? displayKey(entry) : `${above}.${displayKey(entry)}`;
      return report({ severity: "error", place: entry.place, message: `unknown key \`${shown}\``, ...(hint !== undefined && { hint }) });
    }
    // The table may have entries for keys below this one: descend while it does.
    if (entry.value.kind === "map" && unsupportedKeys.some((other) => other.key.startsWith(`${path}.`))) return walk(entry.value, path);
    if (entry.value.kind === "scalar" && entry.value.value === unsupported.harmlessValue) return;
    if (reportedKeys.has(unsupported.key)) return;
    reportedKeys.add(unsupported.key);
    const why = unsupported.reason === "not yet" ? "is not supported yet" : "has no meaning here";
    report({
      severity: unsupported.severity,
      place: entry.place,
      message: `\`${path}\` ${why}${unsupported.severity === "warning" ? " and is ignored" : ""}`,
      ...(unsupported.hint !== undefined && { hint: unsupported.hint }),
    });
  };
  walk(tree, "");
  const instead: { readonly [key: string]: unknown } = defaults;
  // The one cast from values that were read by their setting's type to the type that the table declares.
  const config = Object.fromEntries(
    Object.entries(settingsByKey).map(([key, setting]) => [key, values.get(key) ?? instead[key] ?? setting.default]),
  ) as unknown as Config;
  return { config, configured };
}

/**
 * Returns a hint for an unknown key: a similar key beside it, the same key in another section, or all keys of this section if there are
 * few.
 */
function hintFor(key: string, above: string): string | undefined {
  const prefix = above === "" ? "" : `${above}.`;
  const beside = [
    ...new Set(suggestedKeys.filter((known) => known.startsWith(prefix)).map((known) => known.slice(prefix.length).split(".")[0] ?? "")),
  ];
  const near = nearest(key, beside) ?? beside.find((known) => isAbbreviation(known, key));
  const meant = near === undefined ? findElsewhere(key, above) : `${prefix}${near}`;
  if (meant !== undefined) return `did you mean \`${meant}\`?`;
  return beside.length > 0 && beside.length <= maxListedKeys ? `there are ${beside.map((known) => `\`${known}\``).join(", ")}` : undefined;
}

/** The most keys that a hint lists. */
const maxListedKeys = 6;

/** Section names for logging in configurations of other servers. */
const loggingSections: readonly string[] = ["log", "logging"];

/**
 * Returns a setting with this key in another section. A key at the top level may also be (the beginning of) the name of a section's
 * part: the reference ignores such keys.
 */
function findElsewhere(key: string, above: string): string | undefined {
  const named = suggestedKeys.find((known) => known.split(".").at(-1) === key);
  if (named !== undefined || above !== "") return named;
  if (loggingSections.includes(key)) return "server.logLevel" satisfies SettingKey;
  return findSection((segment) => segment === key) ?? findSection((segment) => isAbbreviation(segment, key));
}

/** Returns the known key up to the first segment that fits. */
function findSection(fits: (segment: string) => boolean): string | undefined {
  for (const known of suggestedKeys) {
    const segments = known.split(".");
    const at = segments.findIndex(fits);
    if (at !== -1) return segments.slice(0, at + 1).join(".");
  }
  return undefined;
}

/** Returns whether a known name begins with a key of more than two letters; shorter ones match too much. */
const isAbbreviation = (known: string, written: string): boolean =>
  written.length > 2 && known.toLowerCase().startsWith(written.toLowerCase());
