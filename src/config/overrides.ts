/** Applies `--set key=value` to a configuration tree. Commas separate several overrides; `key[0]=v` and `key={a,b}` set lists. */
import { limits } from "../../compiler/yaml/limits.ts";
import type { Environment } from "./environment.ts";
import { expand } from "./expand.ts";
import { resolvePlain, type ConfigMap, type ConfigNode, type ConfigScalar } from "./node.ts";
import type { ReportProblem } from "./problem.ts";

/** Returns the tree with all overrides applied; later ones win. */
export function applyOverrides(base: ConfigMap, overrides: readonly string[], environment: Environment, report: ReportProblem): ConfigMap {
  let tree = base;
  for (const argument of overrides) {
    for (const [index, text] of splitAtCommas(argument).entries()) {
      const equals = text.indexOf("=");
      const key = text.slice(0, Math.max(0, equals)).trim();
      // Values are not quoted: they may be secrets. A part without a key after a comma may be the rest of a value.
      const place = `--set ${equals === -1 && index > 0 ? `${firstKey(argument)}=...,` : equals === -1 ? text : `${key}${key === "" ? "=" : ""}`}`;
      const refuse = (message: string, hint?: string): void =>
        report({ severity: "error", place, message, ...(hint !== undefined && { hint }) });
      const path = parsePath(key);
      if (equals === -1) refuse("no value: write --set key=value", index > 0 ? "a comma in a value is written \\," : undefined);
      else if (path !== undefined && path.length > limits.depth)
        refuse(`a configuration cannot be nested deeper than ${limits.depth} levels`);
      else if (path === undefined) refuse("no key: write --set key=value, or --set key[0]=value for an item of a list");
      else {
        const value = readValue(text.slice(equals + 1), place, environment, report);
        const changed = put(tree, path, value, { place, refuse });
        if (changed?.kind === "map") tree = changed;
      }
    }
  }
  return tree;
}

const firstKey = (argument: string): string => argument.slice(0, Math.max(0, argument.indexOf("="))).trim();

/** Splits at commas, except within braces, where they separate the items of a list or belong to the default of a variable. */
function splitAtCommas(text: string): readonly string[] {
  return text.match(/(?:\\.|\{(?:\\.|[^}\\])*\}|[^,\\])+|\\$/g) ?? [""];
}

const unescape = (text: string): string => text.replaceAll(/\\([,\\])/g, "$1");

/** Parses a path such as `a.b[0].c` into its steps; undefined when it is malformed. */
function parsePath(key: string): readonly (string | number)[] | undefined {
  const steps = key.split(".").map((step) => /^([^[\]{}]+)((?:\[\d{1,5}\])*)$/.exec(step));
  if (steps.some((step) => step === null)) return undefined;
  return steps.flatMap((step) => [step?.[1] ?? "", ...Array.from(step?.[2]?.matchAll(/\d+/g) ?? [], ([index]) => Number(index))]);
}

function readValue(text: string, place: string, environment: Environment, report: ReportProblem): ConfigNode {
  const [, inner] = /^\{(.*)\}$/s.exec(text) ?? [];
  if (inner === undefined) return readScalar(text, place, environment, report);
  const items = inner.trim() === "" ? [] : splitAtCommas(inner).map((item) => readScalar(item.trim(), place, environment, report));
  return { kind: "list", place, items };
}

function readScalar(written: string, place: string, environment: Environment, report: ReportProblem): ConfigScalar {
  const { text, errors } = expand(unescape(written), environment);
  for (const message of errors) report({ severity: "error", place, message });
  return { kind: "scalar", place, text, value: resolvePlain(text), ...(errors.length > 0 && { isUnresolved: true as const }) };
}

interface PutOptions {
  readonly place: string;
  readonly refuse: (message: string, hint?: string) => void;
}

/** Returns the node with a value set at a path below it; undefined when the path does not fit the tree. */
function put(
  node: ConfigNode | undefined,
  path: readonly (string | number)[],
  value: ConfigNode,
  options: PutOptions,
): ConfigNode | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const { place } = options;
  if (typeof step === "string") {
    const map: ConfigMap = node?.kind === "map" ? node : { kind: "map", place, entries: [] };
    const inner = put(map.entries.find((entry) => entry.key === step)?.value, rest, value, options);
    if (inner === undefined) return undefined;
    return { ...map, entries: [...map.entries.filter((other) => other.key !== step), { key: step, place, value: inner }] };
  }
  const items = node?.kind === "list" ? node.items : [];
  if (step > items.length) {
    options.refuse(`there is no item ${step}: the list has ${items.length}`, "items are counted from 0, and set one after the other");
    return undefined;
  }
  const inner = put(items[step], rest, value, options);
  return inner === undefined ? undefined : { kind: "list", place, items: [...items.slice(0, step), inner, ...items.slice(step + 1)] };
}
