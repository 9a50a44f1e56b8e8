/** Shapes of single values: strings, booleans, words of a fixed list, whole numbers, and free JSON. */
import type { Value } from "../../runtime/cel/value.ts";
import { didYouMean } from "../nearest.ts";
import { headOf, type ScalarNode, type YamlNode } from "./node.ts";
import { floatIn, integerIn } from "./scalar-type.ts";
import { wrongType, type Placed, type Shape } from "./shape.ts";

/** A pattern that a string must match, and its description for people. */
export interface Pattern {
  readonly expression: RegExp;
  /** Completes "use ...". */
  readonly description: string;
}

/**
 * A string. Integers are accepted and converted to decimal digits (`0x10` gives `16`), booleans to the word as
 * written, null to "". `hintForOther` is the hint for a mapping or a list in its place.
 */
export function string(pattern?: Pattern, hintForOther?: (node: YamlNode) => string): Shape<Placed<string>> {
  return {
    isEmpty: (placed) => placed.value === "",
    form: { kind: "string", ...(pattern && { pattern }) },
    read: (place, report) => {
      const { node } = place;
      if (node.kind !== "scalar" || node.type === "float")
        return wrongType("a string", place, report, node.kind === "scalar" ? "put it in quotes" : hintForOther?.(node));
      const value = node.type === "null" ? "" : node.type === "integer" ? String(integerIn(node.text)) : node.text;
      if (pattern === undefined || pattern.expression.test(value)) return { value, place };
      report.violation({
        code: "invalid-value",
        span: place.at,
        focus: node.span,
        path: place.path,
        message: value === "" ? "this cannot be empty" : `\`${value}\` is not allowed here`,
        hint: `use ${pattern.description}`,
      });
      return { value, place, broken: true };
    },
  };
}

/** `true` or `false`. */
export const boolean: Shape<Placed<boolean>> = {
  isEmpty: (placed) => !placed.value,
  form: { kind: "boolean" },
  read: (place, report) => {
    const { node } = place;
    if (node.kind !== "scalar" || node.type !== "boolean")
      return wrongType("`true` or `false`", place, report, node.kind === "scalar" ? booleanHint(node.text) : undefined);
    return { value: node.text.toLowerCase() === "true", place };
  },
};

/** Returns a hint for the other boolean words of YAML 1.1. */
function booleanHint(written: string): string | undefined {
  if (/^(?:true|false)$/.test(written)) return "remove the quotes";
  if (/^(?:y|yes|on)$/i.test(written)) return "write `true`";
  return /^(?:n|no|off)$/i.test(written) ? "write `false`" : undefined;
}

/**
 * One of a list of words, also accepted as its index; index 0 is the zero value. `refused` are words that the
 * reference implementation knows but no policy may use.
 */
export function oneOf<const W extends readonly string[]>(words: W, refused: readonly string[] = []): Shape<Placed<W[number]>> {
  const zero: W[number] | undefined = words[0];
  return {
    isEmpty: (placed) => placed.value === zero && !placed.broken,
    form: { kind: "oneOf", words },
    read: (place, report) => {
      const { node } = place;
      if (node.kind !== "scalar") return wrongType("a word", place, report);
      const value = findWord(words, node);
      if (value !== undefined) return { value, place };
      const near = didYouMean(node.text, words);
      const mistake = {
        path: place.path,
        message: `\`${node.text}\` is not a value of this field`,
        hint: near.hint ?? `use ${listed(words.slice(1))}`,
      };
      // To the reference implementation an unknown number could be a word of a later version, so it reports a broken
      // rule, not a parse error.
      if (node.type === "integer" || (node.type === "string" && refused.includes(node.text))) {
        report.violation({ code: "invalid-value", span: place.at, focus: node.span, ...mistake });
        return { value: words[0] ?? "", place, broken: true };
      }
      report.parseError({ code: "unknown-value", span: node.token, ...mistake });
      return undefined;
    },
  };
}

function findWord<const W extends readonly string[]>(words: W, node: ScalarNode): W[number] | undefined {
  if (node.type === "null") return words[0];
  if (node.type === "integer") return words[Number(integerIn(node.text))];
  return words.find((candidate) => candidate === node.text);
}

const listed = (words: readonly string[]): string => words.map((each) => `\`${each}\``).join(" or ");

/** A whole number from 0 up, as a number or as a string of digits. */
export const wholeNumber: Shape<Placed<string>> = {
  isEmpty: (placed) => placed.value === "0",
  form: { kind: "wholeNumber" },
  read: (place, report) => {
    const { node } = place;
    const value = node.kind === "scalar" ? wholeNumberIn(node) : undefined;
    if (value === undefined || value < 0n || value >= 2n ** 64n) return wrongType("a whole number", place, report);
    return { value: String(value), place };
  },
};

function wholeNumberIn({ type, text: written }: ScalarNode): bigint | undefined {
  if (type === "integer") return integerIn(written);
  if (type === "string") return /^[0-9]{1,20}$/.test(written) ? BigInt(written) : undefined;
  const value = type === "float" ? floatIn(written) : undefined;
  return value !== undefined && Number.isInteger(value) ? BigInt(value) : undefined;
}

/** Any JSON value. Numbers are doubles. */
export const json: Shape<Placed<Value>> = {
  isEmpty: () => false,
  form: { kind: "json" },
  read: (place, report) => {
    const value = readJson(place.node, (node, wanted, hint) => wrongType(wanted, { ...place, focus: headOf(node) }, report, hint));
    return value === undefined ? undefined : { value, place };
  },
};

type Refuse = (node: YamlNode, wanted: string, hint?: string) => undefined;

// The reference implementation reports the whole value, whichever part of it is wrong.
function readJson(node: YamlNode, refuse: Refuse): Value | undefined {
  switch (node.kind) {
    case "list":
      return node.items.map((item) => readJson(item, refuse) ?? null);
    case "map":
      // fromEntries defines own properties, so a key `__proto__` is data like any other.
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, readJson(value, refuse) ?? null] as const));
    case "scalar":
      return node.tag === undefined ? readJsonScalar(node, refuse) : readTagged(node, node.tag, refuse);
  }
}

function readJsonScalar(node: ScalarNode, refuse: Refuse): Value | undefined {
  switch (node.type) {
    case "null":
      return null;
    case "boolean":
      return node.text.toLowerCase() === "true";
    case "string":
      return node.text;
    case "integer":
      return Number(integerIn(node.text));
    case "float":
      return floatIn(node.text) ?? refuse(node, "a number that JSON can say", "put it in quotes");
  }
}

/** Tags are used only in free JSON; elsewhere the field determines the type. */
function readTagged(node: ScalarNode, tag: string, refuse: Refuse): Value | undefined {
  switch (tag) {
    case "tag:yaml.org,2002:str":
      return node.type === "null" ? "" : node.text;
    case "tag:yaml.org,2002:null":
      return null;
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float": {
      const number = Number(integerIn(node.text) ?? floatIn(node.text) ?? (node.text === "" ? Number.NaN : node.text));
      return Number.isFinite(number) ? number : refuse(node, "a number", "remove the tag");
    }
    case "tag:yaml.org,2002:bool":
      return /^(?:true|false)$/i.test(node.text) ? node.text.toLowerCase() === "true" : refuse(node, "`true` or `false`", "remove the tag");
    default:
      return readJsonScalar(node, refuse);
  }
}
