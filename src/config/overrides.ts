/** `--set key=value` on the command line -> the same tree as a file's; commas join several, `\,` is a comma. */
import type { Environment } from "./environment.ts";
import { expand } from "./expand.ts";
import { resolvePlain, type ConfigMap, type ConfigNode, type ReportProblem } from "./node.ts";

/** Returns the base with every override put over it; later ones win. */
export function override(base: ConfigMap, overrides: readonly string[], environment: Environment, report: ReportProblem): ConfigMap {
  let tree = base;
  for (const text of overrides.flatMap(splitAtCommas)) {
    const place = `--set ${text}`;
    const equals = text.indexOf("=");
    const path = text.slice(0, Math.max(0, equals)).trim();
    if (equals === -1) report({ severity: "error", place, message: "no value: write --set key=value" });
    else if (path === "" || path.split(".").includes("")) report({ severity: "error", place, message: "no key: write --set key=value" });
    else if (/[[\]{}]/.test(path)) report({ severity: "error", place, message: "lists cannot be set on the command line" });
    else {
      const expansion = expand(text.slice(equals + 1), environment);
      for (const message of expansion.errors) report({ severity: "error", place, message });
      tree = put(tree, path.split("."), { kind: "scalar", place, text: expansion.text, value: resolvePlain(expansion.text) }, place);
    }
  }
  return tree;
}

function splitAtCommas(text: string): string[] {
  return (text.match(/(?:\\.|[^,\\])+|\\$/g) ?? [""]).map((item) => item.replace(/\\([,\\])/g, "$1"));
}

function put(map: ConfigMap, path: readonly string[], value: ConfigNode, place: string): ConfigMap {
  const [key = "", ...rest] = path;
  const found = map.entries.find((entry) => entry.key === key)?.value;
  const inner: ConfigMap = found?.kind === "map" ? found : { kind: "map", place, entries: [] };
  const entry = { key, place, value: rest.length === 0 ? value : put(inner, rest, value, place) };
  return { ...map, entries: [...map.entries.filter((other) => other.key !== key), entry] };
}
