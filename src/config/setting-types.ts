/** The types of settings: each with its description, its parser, its JSON Schema and its printer. */
import { Buffer } from "node:buffer";
import { keywords } from "../../compiler/cel/keywords.ts";
import { scopeForm, versionForm } from "../../runtime/decide/policy-name.ts";
import type { JsonSchema } from "../editor/json-schema.ts";
import { parseAddress, printAddress, type Address } from "./address.ts";
import { parseDuration, printDuration } from "./duration.ts";
import { booleanSchema, listSchema, integerSchema, patternSchema, stringSchema, enumSchema } from "./json-schemas.ts";
import { ambiguityOf, scalarsIn, displayKey, toValue, type ConfigNode, type ConfigValue } from "./node.ts";
import type { ReportProblem } from "./problem.ts";
import { isSecretName, mask, maskAddressSecrets, maskSecretParameters } from "./url-secrets.ts";

/** The type of a setting's values. */
export interface SettingType<T> {
  /** Completes the sentence "must be ...". */
  readonly description: string;
  /** Returns the value; undefined when the node is not of this type. Mistakes within it may be reported with their positions. */
  readonly read: (node: ConfigNode, report: ReportProblem) => T | undefined;
  /** The JSON Schema for editors. */
  readonly jsonSchema: JsonSchema;
  /**
   * Prints a value for a configuration file. Declared as a method, because methods are bivariant: settings of every type are then
   * assignable to settings of `unknown`.
   */
  print(value: T): ConfigValue;
}

/** The levels of the log. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error";

const stringOf = (node: ConfigNode): string | undefined =>
  node.kind === "scalar" && node.value !== null ? node.text : node.kind === "scalar" && node.text === "" ? "" : undefined;

/** A type whose values are parsed from a string. */
function parsedString<T>(
  description: string,
  jsonSchema: JsonSchema,
  print: (value: T) => ConfigValue,
  read: (text: string) => T | undefined,
): SettingType<T> {
  return {
    description,
    jsonSchema,
    print,
    read: (node) => {
      const written = stringOf(node);
      return written === undefined ? undefined : read(written);
    },
  };
}

const identity = (value: ConfigValue): ConfigValue => value;

/** `true` or `false`. */
export const boolean: SettingType<boolean> = {
  description: "true or false",
  jsonSchema: booleanSchema,
  print: identity,
  read: (node) => (node.kind === "scalar" && typeof node.value === "boolean" ? node.value : undefined),
};

/** A string that is not blank. */
export const nonEmptyString: SettingType<string> = parsedString(
  "a string that is not empty",
  { ...stringSchema, pattern: "\\S" },
  identity,
  (written) => (written.trim() === "" ? undefined : written),
);

/** A user name for HTTP basic authentication: a colon would end it (RFC 7617). */
export const userName: SettingType<string> = parsedString(
  "a name without a colon",
  patternSchema("[^:]*[^:\\s][^:]*", "a name without a colon"),
  identity,
  (written) => (written.trim() === "" || written.includes(":") ? undefined : written),
);

/** Any string, also an empty one. */
export const anyString: SettingType<string> = parsedString("a string", stringSchema, identity, (written) => written);

/** A data source name; its parameters may contain a password, which is masked. */
export const dataSourceName: SettingType<string> = parsedString("a string", stringSchema, maskSecretParameters, (written) => written);

/** The address of a repository; credentials in it are masked. */
export const repository: SettingType<string> = parsedString("a string", stringSchema, maskAddressSecrets, (written) => written);

/** The base64 of a bcrypt hash. */
export const passwordHash: SettingType<string> = parsedString(
  "base64 of a bcrypt hash, which `authz admin hash-password` makes",
  stringSchema,
  identity,
  (written) => (written === "" || isPasswordHash(written) ? written : undefined),
);

function isPasswordHash(written: string): boolean {
  return (
    /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(written) &&
    /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}\s*$/.test(Buffer.from(written, "base64").toString("latin1"))
  );
}

/** File permissions in octal: `0o660`. */
export const fileMode: SettingType<number> = parsedString(
  "file permissions such as 0o660",
  patternSchema("0o?[0-7]{1,4}", "file permissions such as 0o660"),
  (mode) => `0o${mode.toString(8)}`,
  (written) => {
    const [, octal] = /^0o?([0-7]{1,4})$/.exec(written) ?? [];
    const mode = octal === undefined ? 0 : Number.parseInt(octal, 8) & 0o777;
    return mode === 0 ? undefined : mode;
  },
);

/** A listening address. */
export const address: SettingType<Address> = parsedString(
  "host:port, :port or unix:/path",
  patternSchema("unix:.+|(?:\\[[^\\]]+\\]|[^:\\[\\]\\s]*):[0-9]{1,5}", "host:port, :port or unix:/path"),
  printAddress,
  parseAddress,
);

/** A host with an optional port, as in a URL. */
export const host: SettingType<string> = parsedString(
  "a host such as example.com or example.com:8080",
  patternSchema("(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s:/?#@\\[\\]\\\\]+)(?::[0-9]{1,5})?", "a host such as example.com or example.com:8080"),
  identity,
  (written) => {
    const [, name = "", port = ""] = /^(\[[\dA-Fa-f:.]+\]|[^\s:/?#@[\]\\]+)(:\d{1,5})?$/.exec(written) ?? [];
    return name !== "" && URL.canParse(`http://${name}${port}`) ? new URL(`http://${name}`).hostname + port : undefined;
  },
);

// Node's timers cannot wait longer: they would fire at once.
const maxWait = 596 * 3_600_000;

/** A duration within bounds, in milliseconds. */
export function durationBetween(min: number, max: number): SettingType<number> {
  const description =
    max === Infinity
      ? "a duration such as 24h or 168h, not negative"
      : `a duration such as 10s or 1h30m, from ${printDuration(min)} to ${printDuration(max)}`;
  const part = "(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)";
  return parsedString(
    description,
    { ...patternSchema(`\\+?(?:${part})+|[+-]?0`, description), minimum: 0, maximum: min > 0 ? -1 : 0 },
    printDuration,
    (written) => {
      const milliseconds = parseDuration(written);
      return milliseconds === undefined || milliseconds < min || milliseconds > max ? undefined : milliseconds;
    },
  );
}

/** A duration to wait for, in milliseconds. */
export const duration: SettingType<number> = durationBetween(0, maxWait);

/** A retention period, in milliseconds. */
export const retentionPeriod: SettingType<number> = durationBetween(0, Infinity);

/** Parses a log level. `V1`, `V2` and so on are levels below debug. */
export function parseLogLevel(written: string): LogLevel | undefined {
  const level = written.trim().toLowerCase();
  if (/^v\d+$/.test(level)) return "trace";
  return level === "debug" || level === "info" || level === "warn" || level === "error" ? level : undefined;
}

/** A log level. */
export const logLevel: SettingType<LogLevel> = parsedString(
  "debug, info, warn, error or V1, V2, ...",
  patternSchema(
    "[Dd][Ee][Bb][Uu][Gg]|[Ii][Nn][Ff][Oo]|[Ww][Aa][Rr][Nn]|[Ee][Rr][Rr][Oo][Rr]|[Vv][0-9]+",
    "debug, info, warn, error or V1, V2, ...",
  ),
  (level) => (level === "trace" ? "V1" : level),
  parseLogLevel,
);

/** A policy version. */
export const version: SettingType<string> = parsedString(
  "a version of letters, digits and underscores",
  patternSchema(versionForm.source, "letters, digits and underscores"),
  identity,
  (written) => (versionForm.test(written) ? written : undefined),
);

/** A policy scope. */
export const scope: SettingType<string> = parsedString(
  "a scope such as acme.hr",
  patternSchema(scopeForm.source, "a scope such as acme.hr"),
  identity,
  (written) => (scopeForm.test(written) ? written : undefined),
);

/** An integer within bounds. */
export function integer(min: number, max: number): SettingType<number> {
  return {
    description: `a whole number from ${min} to ${max}`,
    jsonSchema: integerSchema(min, max),
    print: identity,
    read: (node) => {
      if (node.kind !== "scalar" || typeof node.value !== "number" || !Number.isInteger(node.value)) return undefined;
      return node.value >= min && node.value <= max ? node.value : undefined;
    },
  };
}

/** One of a few words. `unsupported` gives the messages for known words that are not supported. */
export function oneOf<const T extends string>(
  words: readonly T[],
  description: string,
  unsupported: { readonly [word: string]: { readonly message: string; readonly hint?: string } } = {},
): SettingType<T> {
  const known = parsedString<T>(description, enumSchema(words), identity, (written) => words.find((word) => word === written));
  return {
    ...known,
    read: (node, report) => {
      const written = stringOf(node);
      const problem = written !== undefined && Object.hasOwn(unsupported, written) ? unsupported[written] : undefined;
      if (problem !== undefined) report({ severity: "error", place: node.place, ...problem });
      return known.read(node, report);
    },
  };
}

/** A list of items, or a single item. */
export function listOf<T>(item: SettingType<T>, description: string): SettingType<readonly T[]> {
  return {
    description,
    jsonSchema: listSchema(item.jsonSchema),
    print: (values) => values.map((value) => item.print(value)),
    read: (node, report) => {
      if (node.kind === "scalar" && node.value === null && node.text === "") return [];
      const items = (node.kind === "list" ? node.items : [node]).map((one) => item.read(one, report));
      return items.every((one) => one !== undefined) ? items : undefined;
    },
  };
}

/** A mapping from names that a condition can use to values. */
export const globals: SettingType<{ readonly [name: string]: ConfigValue }> = {
  description: "a mapping from CEL identifiers to values",
  jsonSchema: {
    type: ["object", "null"],
    propertyNames: { pattern: `^(?!(?:${[...keywords].join("|")})$)[A-Za-z_][A-Za-z0-9_]*$|\\$\\{` },
  },
  // The values are available to conditions, but the printed configuration is shown to people: values with the names of secrets are
  // masked.
  print: (values) => maskSecrets(values, false),
  read: (node, report) => {
    if (node.kind === "scalar" && node.value === null) return {};
    if (node.kind !== "map") return undefined;
    const unusable = node.entries.filter(({ key }) => !/^[A-Za-z_]\w*$/.test(key) || keywords.has(key));
    for (const entry of unusable)
      report({
        severity: "error",
        place: entry.place,
        message: `no condition can use the name \`${displayKey(entry)}\``,
        hint: keywords.has(entry.key)
          ? `\`${displayKey(entry)}\` is a word of CEL: give it another name`
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
    return unusable.length > 0 ? undefined : Object.fromEntries(node.entries.map((entry) => [entry.key, toValue(entry.value)]));
  },
};

/** Masks every string that stands under a name of a secret, at any depth. */
function maskSecrets(value: ConfigValue, isSecret: boolean): ConfigValue {
  if (typeof value === "string") return isSecret ? mask : value;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => maskSecrets(item, isSecret));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskSecrets(inner, isSecret || isSecretName(name))]));
}

const isList = (value: readonly ConfigValue[] | { readonly [key: string]: ConfigValue }): value is readonly ConfigValue[] =>
  Array.isArray(value);
