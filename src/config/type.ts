/** The types of settings: each with its description, its parser, its JSON Schema and its printer. */
import { Buffer } from "node:buffer";
import { keywords } from "../../compiler/cel/keywords.ts";
import { scopeForm, versionForm } from "../../runtime/decide/policy-name.ts";
import type { JsonSchema } from "../editor/json-schema.ts";
import { parseAddress, printAddress, type Address } from "./address.ts";
import { parseDuration, printDuration } from "./duration.ts";
import { flagForm, listForm, numberForm, patternForm, textForm, wordForm } from "./form.ts";
import { ambiguityOf, scalarsIn, shownKey, toValue, type ConfigNode, type ReportProblem, type Written } from "./node.ts";
import { isSecretName, mask, withoutAddressSecrets, withoutSecretParameters } from "./url-secrets.ts";

/** The type of a setting's values. */
export interface SettingType<T> {
  /** Completes the sentence "must be ...". */
  readonly says: string;
  /** Returns the value; undefined when the node is not of this type. Mistakes within it may be reported with their positions. */
  readonly read: (node: ConfigNode, report: ReportProblem) => T | undefined;
  /** The JSON Schema for editors. */
  readonly form: JsonSchema;
  /**
   * Prints a value for a configuration file. Declared as a method, because methods are bivariant: settings of every type are then
   * assignable to settings of `unknown`.
   */
  print(value: T): Written;
}

/** The levels of the log. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error";

const text = (node: ConfigNode): string | undefined =>
  node.kind === "scalar" && node.value !== null ? node.text : node.kind === "scalar" && node.text === "" ? "" : undefined;

/** A type whose values are parsed from a string. */
function textual<T>(says: string, form: JsonSchema, print: (value: T) => Written, read: (text: string) => T | undefined): SettingType<T> {
  return {
    says,
    form,
    print,
    read: (node) => {
      const written = text(node);
      return written === undefined ? undefined : read(written);
    },
  };
}

const itself = (value: Written): Written => value;

/** `true` or `false`. */
export const boolean: SettingType<boolean> = {
  says: "true or false",
  form: flagForm,
  print: itself,
  read: (node) => (node.kind === "scalar" && typeof node.value === "boolean" ? node.value : undefined),
};

/** A string that is not blank. */
export const filledText: SettingType<string> = textual("a string that is not empty", { ...textForm, pattern: "\\S" }, itself, (written) =>
  written.trim() === "" ? undefined : written,
);

/** A user name for HTTP basic authentication: a colon would end it (RFC 7617). */
export const userName: SettingType<string> = textual(
  "a name without a colon",
  patternForm("[^:]*[^:\\s][^:]*", "a name without a colon"),
  itself,
  (written) => (written.trim() === "" || written.includes(":") ? undefined : written),
);

/** Any string, also an empty one. */
export const optionalText: SettingType<string> = textual("a string", textForm, itself, (written) => written);

/** A data source name; its parameters may contain a password, which is masked. */
export const dataSource: SettingType<string> = textual("a string", textForm, withoutSecretParameters, (written) => written);

/** The address of a repository; credentials in it are masked. */
export const repository: SettingType<string> = textual("a string", textForm, withoutAddressSecrets, (written) => written);

/** The base64 of a bcrypt hash. */
export const passwordHash: SettingType<string> = textual(
  "base64 of a bcrypt hash, which `authz admin hash-password` makes",
  textForm,
  itself,
  (written) => (written === "" || isPasswordHash(written) ? written : undefined),
);

function isPasswordHash(written: string): boolean {
  return (
    /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(written) &&
    /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}\s*$/.test(Buffer.from(written, "base64").toString("latin1"))
  );
}

/** File permissions in octal: `0o660`. */
export const fileMode: SettingType<number> = textual(
  "file permissions such as 0o660",
  patternForm("0o?[0-7]{1,4}", "file permissions such as 0o660"),
  (mode) => `0o${mode.toString(8)}`,
  (written) => {
    const [, octal] = /^0o?([0-7]{1,4})$/.exec(written) ?? [];
    const mode = octal === undefined ? 0 : Number.parseInt(octal, 8) & 0o777;
    return mode === 0 ? undefined : mode;
  },
);

/** A listening address. */
export const address: SettingType<Address> = textual(
  "host:port, :port or unix:/path",
  patternForm("unix:.+|(?:\\[[^\\]]+\\]|[^:\\[\\]\\s]*):[0-9]{1,5}", "host:port, :port or unix:/path"),
  printAddress,
  parseAddress,
);

/** A host with an optional port, as in a URL. */
export const host: SettingType<string> = textual(
  "a host such as example.com or example.com:8080",
  patternForm("(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s:/?#@\\[\\]\\\\]+)(?::[0-9]{1,5})?", "a host such as example.com or example.com:8080"),
  itself,
  (written) => {
    const [, name = "", port = ""] = /^(\[[\dA-Fa-f:.]+\]|[^\s:/?#@[\]\\]+)(:\d{1,5})?$/.exec(written) ?? [];
    return name !== "" && URL.canParse(`http://${name}${port}`) ? new URL(`http://${name}`).hostname + port : undefined;
  },
);

// Node's timers cannot wait longer: they would fire at once.
const longestWait = 596 * 3_600_000;

/** A duration within bounds, in milliseconds. */
export function durationBetween(least: number, most: number): SettingType<number> {
  const says =
    most === Infinity
      ? "a duration such as 24h or 168h, not negative"
      : `a duration such as 10s or 1h30m, from ${printDuration(least)} to ${printDuration(most)}`;
  const part = "(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)";
  return textual(
    says,
    { ...patternForm(`\\+?(?:${part})+|[+-]?0`, says), minimum: 0, maximum: least > 0 ? -1 : 0 },
    printDuration,
    (written) => {
      const milliseconds = parseDuration(written);
      return milliseconds === undefined || milliseconds < least || milliseconds > most ? undefined : milliseconds;
    },
  );
}

/** A duration to wait for, in milliseconds. */
export const duration: SettingType<number> = durationBetween(0, longestWait);

/** A retention period, in milliseconds. */
export const period: SettingType<number> = durationBetween(0, Infinity);

/** Parses a log level. `V1`, `V2` and so on are levels below debug. */
export function readLogLevel(written: string): LogLevel | undefined {
  const level = written.trim().toLowerCase();
  if (/^v\d+$/.test(level)) return "trace";
  return level === "debug" || level === "info" || level === "warn" || level === "error" ? level : undefined;
}

/** A log level. */
export const logLevel: SettingType<LogLevel> = textual(
  "debug, info, warn, error or V1, V2, ...",
  patternForm(
    "[Dd][Ee][Bb][Uu][Gg]|[Ii][Nn][Ff][Oo]|[Ww][Aa][Rr][Nn]|[Ee][Rr][Rr][Oo][Rr]|[Vv][0-9]+",
    "debug, info, warn, error or V1, V2, ...",
  ),
  (level) => (level === "trace" ? "V1" : level),
  readLogLevel,
);

/** A policy version. */
export const version: SettingType<string> = textual(
  "a version of letters, digits and underscores",
  patternForm(versionForm.source, "letters, digits and underscores"),
  itself,
  (written) => (versionForm.test(written) ? written : undefined),
);

/** A policy scope. */
export const scope: SettingType<string> = textual(
  "a scope such as acme.hr",
  patternForm(scopeForm.source, "a scope such as acme.hr"),
  itself,
  (written) => (scopeForm.test(written) ? written : undefined),
);

/** An integer within bounds. */
export function integer(least: number, most: number): SettingType<number> {
  return {
    says: `a whole number from ${least} to ${most}`,
    form: numberForm(least, most),
    print: itself,
    read: (node) => {
      if (node.kind !== "scalar" || typeof node.value !== "number" || !Number.isInteger(node.value)) return undefined;
      return node.value >= least && node.value <= most ? node.value : undefined;
    },
  };
}

/** One of a few words. `others` gives the messages for known words that are not supported. */
export function oneOf<const T extends string>(
  words: readonly T[],
  says: string,
  others: { readonly [word: string]: { readonly message: string; readonly hint?: string } } = {},
): SettingType<T> {
  const known = textual<T>(says, wordForm(words), itself, (written) => words.find((word) => word === written));
  return {
    ...known,
    read: (node, report) => {
      const written = text(node);
      const other = written !== undefined && Object.hasOwn(others, written) ? others[written] : undefined;
      if (other !== undefined) report({ severity: "error", place: node.place, ...other });
      return known.read(node, report);
    },
  };
}

/** A list of items, or a single item. */
export function listOf<T>(item: SettingType<T>, says: string): SettingType<readonly T[]> {
  return {
    says,
    form: listForm(item.form),
    print: (values) => values.map((value) => item.print(value)),
    read: (node, report) => {
      if (node.kind === "scalar" && node.value === null && node.text === "") return [];
      const items = (node.kind === "list" ? node.items : [node]).map((one) => item.read(one, report));
      return items.every((one) => one !== undefined) ? items : undefined;
    },
  };
}

/** A mapping from names that a condition can use to values. */
export const globals: SettingType<{ readonly [name: string]: Written }> = {
  says: "a mapping from CEL identifiers to values",
  form: { type: ["object", "null"], propertyNames: { pattern: `^(?!(?:${[...keywords].join("|")})$)[A-Za-z_][A-Za-z0-9_]*$|\\$\\{` } },
  // The values are available to conditions, but the printed configuration is shown to people: values with the names of secrets are
  // masked.
  print: (values) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, isSecretName(name) && typeof value === "string" ? mask : value]),
    ),
  read: (node, report) => {
    if (node.kind === "scalar" && node.value === null) return {};
    if (node.kind !== "map") return undefined;
    const unspeakable = node.entries.filter(({ key }) => !/^[A-Za-z_]\w*$/.test(key) || keywords.has(key));
    for (const entry of unspeakable)
      report({
        severity: "error",
        place: entry.place,
        message: `no condition can use the name \`${shownKey(entry)}\``,
        hint: keywords.has(entry.key)
          ? `\`${shownKey(entry)}\` is a word of CEL: give it another name`
          : "a name consists of letters, digits and underscores, and does not begin with a digit",
      });
    const ambiguous = node.entries
      .flatMap(({ value }) => scalarsIn(value))
      .flatMap((scalar) => {
        const why = ambiguityOf(scalar);
        return why === undefined ? [] : [{ place: scalar.place, why }];
      });
    for (const { place, why } of ambiguous)
      report({
        severity: "error",
        place,
        message: why,
        hint: "put it in quotes if it is a string; else write true, false or the number in full",
      });
    if (ambiguous.length > 0) return undefined;
    return unspeakable.length > 0 ? undefined : Object.fromEntries(node.entries.map((entry) => [entry.key, toValue(entry.value)]));
  },
};
