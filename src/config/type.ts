/** The types that settings have: what is accepted, in words and as a reader. */
import { scopeForm, versionForm } from "../../runtime/decide/policy-name.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { parseAddress, type Address } from "./address.ts";
import { parseDuration } from "./duration.ts";
import { toValue, type ConfigNode, type ReportProblem } from "./node.ts";

/** What a setting may be. */
export interface SettingType<T> {
  /** Completes the sentence "must be ...". */
  readonly says: string;
  /** Returns undefined when the value is not of this type; what is wrong inside of it may be reported, with its place. */
  readonly read: (node: ConfigNode, report: ReportProblem) => T | undefined;
}

/** Which log lines are written. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error";

const text = (node: ConfigNode): string | undefined =>
  node.kind === "scalar" && node.value !== null ? node.text : node.kind === "scalar" && node.text === "" ? "" : undefined;

function type<T>(says: string, read: (node: ConfigNode) => T | undefined): SettingType<T> {
  return { says, read };
}

/** Reads a type from its text alone. */
function textual<T>(says: string, read: (text: string) => T | undefined): SettingType<T> {
  return type(says, (node) => {
    const written = text(node);
    return written === undefined ? undefined : read(written);
  });
}

/** `true` or `false`. */
export const boolean: SettingType<boolean> = type("true or false", (node) =>
  node.kind === "scalar" && typeof node.value === "boolean" ? node.value : undefined,
);

/** Text that says something. */
export const filledText: SettingType<string> = textual("a text that is not empty", (written) =>
  written.trim() === "" ? undefined : written,
);

/** Where a listener listens. */
export const address: SettingType<Address> = textual("host:port, :port or unix:/path", parseAddress);

/** Milliseconds. */
export const duration: SettingType<number> = textual("a duration such as 10s or 1h30m", parseDuration);

/** `V1`, `V2` and so on are levels below debug. */
export function readLogLevel(written: string): LogLevel | undefined {
  const level = written.trim().toLowerCase();
  if (/^v\d+$/.test(level)) return "trace";
  return level === "debug" || level === "info" || level === "warn" || level === "error" ? level : undefined;
}

/** A level of the log. */
export const logLevel: SettingType<LogLevel> = textual("debug, info, warn, error or V1, V2, ...", readLogLevel);

/** A version name, as policies have them. */
export const version: SettingType<string> = textual("a version of letters, digits and underscores", (written) =>
  versionForm.test(written) ? written : undefined,
);

/** A scope, as policies have them. */
export const scope: SettingType<string> = textual("a scope such as acme.hr", (written) => (scopeForm.test(written) ? written : undefined));

/** A whole number within bounds. */
export function integer(least: number, most: number): SettingType<number> {
  return type(`a whole number from ${least} to ${most}`, (node) => {
    if (node.kind !== "scalar" || typeof node.value !== "number" || !Number.isInteger(node.value)) return undefined;
    return node.value >= least && node.value <= most ? node.value : undefined;
  });
}

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[], says: string): SettingType<T> {
  return textual(says, (written) => words.find((word) => word === written));
}

/** Texts, or one text alone, each as it should be. */
export function listOf<T>(item: SettingType<T>, says: string): SettingType<readonly T[]> {
  return {
    says,
    read: (node, report) => {
      if (node.kind === "scalar" && node.value === null && node.text === "") return [];
      const items = (node.kind === "list" ? node.items : [node]).map((one) => item.read(one, report));
      return items.every((one) => one !== undefined) ? items : undefined;
    },
  };
}

/** The number of workers, as long as there can be only one. */
export const oneWorker: SettingType<number> = type("1: serving with several workers is not supported yet", (node) =>
  node.kind === "scalar" && node.value === 1 ? 1 : undefined,
);

/** Values by name; each name can be written in a condition. */
export const globals: SettingType<{ readonly [name: string]: Value }> = type("a mapping from CEL identifiers to values", (node) => {
  if (node.kind === "scalar" && node.value === null) return {};
  if (node.kind !== "map" || !node.entries.every((entry) => /^[A-Za-z_]\w*$/.test(entry.key))) return undefined;
  return Object.fromEntries(node.entries.map((entry) => [entry.key, toValue(entry.value)]));
});
