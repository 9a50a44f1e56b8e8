/** Interprets a configuration tree by the table of settings: tree in; `Config`, or every problem, out. */
import { nearest } from "../../compiler/nearest.ts";
import { absentKey, absentKeys } from "./absent.ts";
import { isUnreadable, shownKey, type ConfigEntry, type ConfigMap, type ReportProblem } from "./node.ts";
import { isSetting, rows, type Config, type SettingKey } from "./settings.ts";

/** The result of interpreting a tree. */
export interface Interpretation {
  readonly config: Config;
  /** The settings in the tree, with their position, and whether their values are valid. */
  readonly written: ReadonlyMap<SettingKey, { readonly place: string; readonly isSound: boolean }>;
}

const everyKey: readonly string[] = [...Object.keys(rows), ...absentKeys.map((absent) => absent.key)];
/** Keys that are worth suggesting: not those that never have an effect. */
const meantKeys: readonly string[] = [
  ...Object.keys(rows),
  ...absentKeys.filter((absent) => absent.why === "later").map((absent) => absent.key),
];

/** Interprets a tree. A setting that is missing has the value in `defaults`, else its own default. */
export function interpret(tree: ConfigMap, defaults: Partial<Config>, report: ReportProblem): Interpretation {
  const values = new Map<string, unknown>();
  const written = new Map<SettingKey, { readonly place: string; readonly isSound: boolean }>();
  const told = new Set<string>();
  const walk = (map: ConfigMap, above: string): void => {
    for (const entry of map.entries) readEntry(entry, above === "" ? entry.key : `${above}.${entry.key}`, above);
  };
  const readSetting = (entry: ConfigEntry, key: SettingKey): void => {
    if (entry.value.kind === "scalar" && entry.value.value === null && entry.value.text === "" && !entry.value.unreadable) return; // `key:` without a value means the default.
    const { type } = rows[key];
    let reported = isUnreadable(entry.value);
    const value = type.read(entry.value, (problem) => {
      reported = true;
      report(problem);
    });
    const isSound = value !== undefined && !reported;
    written.set(key, { place: entry.place, isSound });
    if (isSound) values.set(key, value);
    else if (!reported) report({ severity: "error", place: entry.value.place, message: `\`${key}\` must be ${type.says}` });
  };
  const readEntry = (entry: ConfigEntry, path: string, above: string): void => {
    if (isSetting(path)) return readSetting(entry, path);
    const absent = absentKey(path);
    if (absent === undefined && everyKey.some((key) => key.startsWith(`${path}.`))) {
      if (entry.value.kind === "map") walk(entry.value, path);
      else if (entry.value.kind !== "scalar" || (entry.value.value !== null && !entry.value.unreadable))
        report({ severity: "error", place: entry.value.place, message: `\`${path}\` must be a mapping` });
      return;
    }
    if (absent === undefined) {
      const hint = hintFor(entry.key, above);
      const shown = above === "" ? shownKey(entry) : `${above}.${shownKey(entry)}`;
      return report({ severity: "error", place: entry.place, message: `unknown key \`${shown}\``, ...(hint !== undefined && { hint }) });
    }
    // The table may have entries for keys below this one: descend while it does.
    if (entry.value.kind === "map" && absentKeys.some((other) => other.key.startsWith(`${path}.`))) return walk(entry.value, path);
    if (entry.value.kind === "scalar" && entry.value.value === absent.harmless) return;
    if (told.has(absent.key)) return;
    told.add(absent.key);
    const why = absent.why === "later" ? "is not supported yet" : "has no meaning here";
    report({
      severity: absent.severity,
      place: entry.place,
      message: `\`${path}\` ${why}${absent.severity === "warning" ? " and is ignored" : ""}`,
      ...(absent.hint !== undefined && { hint: absent.hint }),
    });
  };
  walk(tree, "");
  const instead: { readonly [key: string]: unknown } = defaults;
  // The one cast from values that were read by their setting's type to the type that the table declares.
  const config = Object.fromEntries(
    Object.entries(rows).map(([key, setting]) => [key, values.get(key) ?? instead[key] ?? setting.default]),
  ) as unknown as Config;
  return { config, written };
}

/**
 * Returns a hint for an unknown key: a similar key beside it, the same key in another section, or all keys of this section if there are
 * few.
 */
function hintFor(key: string, above: string): string | undefined {
  const prefix = above === "" ? "" : `${above}.`;
  const beside = [
    ...new Set(meantKeys.filter((known) => known.startsWith(prefix)).map((known) => known.slice(prefix.length).split(".")[0] ?? "")),
  ];
  const near = nearest(key, beside) ?? beside.find((known) => begins(known, key));
  const meant = near === undefined ? meantElsewhere(key, above) : `${prefix}${near}`;
  if (meant !== undefined) return `did you mean \`${meant}\`?`;
  return beside.length > 0 && beside.length <= few ? `there are ${beside.map((known) => `\`${known}\``).join(", ")}` : undefined;
}

/** The most keys that a hint lists. */
const few = 6;

/** Section names for logging in configurations of other servers. */
const logNames: readonly string[] = ["log", "logging"];

/**
 * Returns a setting with this key in another section. A key at the top level may also be (the beginning of) the name of a section's
 * part: the reference ignores such keys.
 */
function meantElsewhere(key: string, above: string): string | undefined {
  const named = meantKeys.find((known) => known.split(".").at(-1) === key);
  if (named !== undefined || above !== "") return named;
  if (logNames.includes(key)) return "server.logLevel" satisfies SettingKey;
  return partWhere((segment) => segment === key) ?? partWhere((segment) => begins(segment, key));
}

/** Returns the known key up to the first segment that fits. */
function partWhere(fits: (segment: string) => boolean): string | undefined {
  for (const known of meantKeys) {
    const segments = known.split(".");
    const at = segments.findIndex(fits);
    if (at !== -1) return segments.slice(0, at + 1).join(".");
  }
  return undefined;
}

/** Returns whether a known name begins with a key of more than two letters; shorter ones match too much. */
const begins = (known: string, written: string): boolean => written.length > 2 && known.toLowerCase().startsWith(written.toLowerCase());
