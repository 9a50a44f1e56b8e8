/** Shapes of single values: text, booleans, words of a fixed list, whole numbers, and free JSON. */
import type { Value } from "../../runtime/cel/value.ts";
import { didYouMean } from "../nearest.ts";
import type { ScalarNode, YamlNode } from "./node.ts";
import { fieldPath, itemPath } from "./path.ts";
import { wrongType, type Place, type Placed, type Reading, type Shape } from "./shape.ts";

/** A form that a text must have, and how to say it. */
export interface Pattern {
  readonly expression: RegExp;
  /** Completes "use ...". */
  readonly says: string;
}

/** Text. Whole numbers and booleans count as the characters they are written with, nothing as "". */
export function text(pattern?: Pattern): Shape<Placed<string>> {
  return {
    isEmpty: (placed) => placed.value === "",
    read: (place, reading) => {
      const { node } = place;
      if (node.kind !== "scalar" || node.type === "float")
        return wrongType("text", place, reading, node.kind === "scalar" ? "put it in quotes" : undefined);
      const value = node.type === "null" ? "" : node.type === "boolean" ? node.text.toLowerCase() : node.text;
      if (pattern === undefined || pattern.expression.test(value)) return { value, place };
      reading.violation({
        code: "invalid-value",
        span: place.at,
        focus: node.span,
        path: place.path,
        message: value === "" ? "this cannot be empty" : `\`${value}\` is not allowed here`,
        hint: `use ${pattern.says}`,
      });
      return { value, place, broken: true };
    },
  };
}

/** `true` or `false`. */
export const boolean: Shape<Placed<boolean>> = {
  isEmpty: (placed) => !placed.value,
  read: (place, reading) => {
    const { node } = place;
    if (node.kind !== "scalar" || node.type !== "boolean")
      return wrongType(
        "`true` or `false`",
        place,
        reading,
        node.kind === "scalar" && /^(?:true|false)$/.test(node.text) ? "remove the quotes" : undefined,
      );
    return { value: node.text.toLowerCase() === "true", place };
  },
};

/** One of a list of words, each also known by its index; index 0 is the zero. */
export function word<const W extends readonly string[]>(words: W): Shape<Placed<W[number]>> {
  const zero: W[number] | undefined = words[0];
  return {
    isEmpty: (placed) => placed.value === zero,
    read: (place, reading) => {
      const { node } = place;
      if (node.kind !== "scalar") return wrongType("a word", place, reading);
      const value = findWord(words, node);
      if (value !== undefined) return { value, place };
      const near = didYouMean(node.text, words);
      reading.parseError({
        code: "unknown-value",
        span: node.token,
        path: place.path,
        message: `\`${node.text}\` is not a value of this field`,
        hint: near.hint ?? `use ${listed(words.slice(1))}`,
      });
      return undefined;
    },
  };
}

function findWord<const W extends readonly string[]>(words: W, node: ScalarNode): W[number] | undefined {
  if (node.type === "null") return words[0];
  if (node.type === "integer") return words[Number(node.text)];
  return words.find((candidate) => candidate === node.text);
}

const listed = (words: readonly string[]): string => words.map((each) => `\`${each}\``).join(" or ");

/** A whole number from 0 up, as digits or as text of digits. */
export const wholeNumber: Shape<Placed<string>> = {
  isEmpty: (placed) => placed.value === "0",
  read: (place, reading) => {
    const { node } = place;
    if (node.kind !== "scalar" || !/^[0-9]{1,20}$/.test(node.text)) return wrongType("a whole number", place, reading);
    return { value: node.text, place };
  },
};

/** Anything JSON can say. Numbers are doubles. */
export const json: Shape<Placed<Value>> = {
  isEmpty: () => false,
  read: (place, reading) => {
    const value = readJson(place.node, place, reading);
    return value === undefined ? undefined : { value, place };
  },
};

function readJson(node: YamlNode, place: Place, reading: Reading): Value | undefined {
  switch (node.kind) {
    case "list": {
      const items = node.items.map((item, index) =>
        readJson(item, { node: item, path: itemPath(place.path, index), at: item.token }, reading),
      );
      return items.filter((item) => item !== undefined);
    }
    case "map": {
      const entries = node.entries.map(
        ({ key, value }) =>
          [key.text, readJson(value, { node: value, path: fieldPath(place.path, key.text), at: value.token }, reading) ?? null] as const,
      );
      // fromEntries defines own properties, so that a key `__proto__` is data like any other.
      return Object.fromEntries(entries);
    }
    case "scalar":
      return readJsonScalar(node, place, reading);
  }
}

function readJsonScalar(node: ScalarNode, place: Place, reading: Reading): Value | undefined {
  switch (node.type) {
    case "null":
      return null;
    case "boolean":
      return node.text.toLowerCase() === "true";
    case "text":
      return node.text;
    case "integer":
    case "float": {
      const number = Number(node.text);
      return Number.isFinite(number) ? number : wrongType("a number that JSON can say", place, reading, "put it in quotes");
    }
  }
}
