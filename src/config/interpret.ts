/** The tree as written -> `Config`: every key known, every value of its type, or every problem listed. */
import { nearest } from "../../compiler/nearest.ts";
import { absentKey, absentKeys } from "./absent.ts";
import type { ConfigEntry, ConfigMap, ReportProblem } from "./node.ts";
import { settings, type Config, type SettingKey } from "./settings.ts";

const known: ReadonlySet<string> = new Set(Object.keys(settings));
const isSetting = (path: string): path is SettingKey => known.has(path);
const everyKey: readonly string[] = [...known, ...absentKeys.map((absent) => absent.key)];

/** Reads a tree; what it leaves out has its default, or what `defaults` says instead. */
export function interpret(tree: ConfigMap, defaults: Partial<Config>, report: ReportProblem): Config {
  const found = new Map<string, unknown>();
  const told = new Set<string>();
  const walk = (map: ConfigMap, above: string): void => {
    for (const entry of map.entries) readEntry(entry, above === "" ? entry.key : `${above}.${entry.key}`, above);
  };
  const readEntry = (entry: ConfigEntry, path: string, above: string): void => {
    if (isSetting(path)) {
      const { type } = settings[path];
      if (entry.value.kind === "scalar" && entry.value.value === null && entry.value.text === "") return; // `key:` alone is its default
      let reported = false;
      const value = type.read(entry.value, (problem) => {
        reported = true;
        report(problem);
      });
      if (value !== undefined) found.set(path, value);
      else if (!reported) report({ severity: "error", place: entry.value.place, message: `\`${path}\` must be ${type.says}` });
      return;
    }
    const absent = absentKey(path);
    if (absent === undefined && everyKey.some((key) => key.startsWith(`${path}.`))) {
      if (entry.value.kind === "map") walk(entry.value, path);
      else if (entry.value.kind !== "scalar" || entry.value.value !== null)
        report({ severity: "error", place: entry.value.place, message: `\`${path}\` must be a mapping` });
      return;
    }
    if (absent === undefined) {
      const siblings = everyKey
        .filter((key) => key.startsWith(above === "" ? "" : `${above}.`))
        .map((key) => key.slice(above === "" ? 0 : above.length + 1).split(".")[0] ?? "");
      const near = nearest(entry.key, [...new Set(siblings)]);
      const hint = near === undefined ? elsewhere(entry.key) : above === "" ? near : `${above}.${near}`;
      report({
        severity: "error",
        place: entry.place,
        message: `unknown key \`${path}\``,
        ...(hint !== undefined && { hint: `did you mean \`${hint}\`?` }),
      });
      return;
    }
    // Several keys can wait below one entry; go down until the table has nothing finer to say.
    if (entry.value.kind === "map" && absentKeys.some((other) => other.key.startsWith(`${path}.`))) return walk(entry.value, path);
    if (entry.value.kind === "scalar" && entry.value.value === absent.harmless) return;
    if (told.has(absent.key)) return;
    told.add(absent.key);
    const why = absent.why === "later" ? "is not supported yet" : "has no meaning here";
    report({
      severity: absent.severity,
      place: entry.place,
      message: `\`${path}\` ${why}${absent.severity === "warning" ? " and is ignored" : ""}`,
    });
  };
  walk(tree, "");
  const instead: { readonly [key: string]: unknown } = defaults;
  // The one place where values read by the table's types become the type that the table describes.
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, found.get(key) ?? instead[key] ?? setting.default]),
  ) as unknown as Config;
}

/** Returns a setting of the same last name that stands elsewhere. */
function elsewhere(name: string): string | undefined {
  return everyKey.find((key) => key.split(".").at(-1) === name);
}
