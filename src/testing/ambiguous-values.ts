/** Warns about unquoted values on whose type YAML parsers disagree: how the value is read here, how others read it, and how to write it. */
import type { ScalarNode, YamlNode } from "../../compiler/yaml/node.ts";
import { fieldPath, itemPath, rootPath } from "../../compiler/yaml/path.ts";
import { floatIn, integerIn, plainType } from "../../compiler/yaml/scalar-type.ts";
import type { Form, Mistake } from "../../compiler/yaml/shape.ts";
import { inBackticks } from "../../runtime/wire/position.ts";

/** Finds such values below a document; `form` tells where a string is expected, and where any value. */
export function reportAmbiguousValues(document: YamlNode, form: Form, warn: (mistake: Mistake) => void): void {
  // A value that aliases repeat is reported once, where it is written.
  const seen = new Set<YamlNode>();
  const walk = (node: YamlNode, form: Form, path: string): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const report = (found: Ambiguity | undefined): void => {
      if (found !== undefined) warn({ code: "ambiguous-value", span: node.span, path, ...found });
    };
    switch (form.kind) {
      case "within":
        return walk(node, form.shape().form, path);
      case "string":
        return report(node.kind === "scalar" ? ambiguityOfString(node) : undefined);
      case "json":
        if (node.kind === "scalar") report(ambiguityOfScalar(node));
        return walkChildren(node, path, () => form, walk);
      case "list":
        return node.kind === "list" ? walkChildren(node, path, () => form.item.form, walk) : undefined;
      case "map":
        return node.kind === "map" ? walkChildren(node, path, () => form.value.form, walk) : undefined;
      case "record": {
        const { fields } = form;
        const formOf = (name: string): Form | undefined => (Object.hasOwn(fields, name) ? fields[name]?.form : undefined);
        return node.kind === "map" ? walkChildren(node, path, (name) => formOf(name) ?? formOf(camelCase(name)), walk) : undefined;
      }
      default:
        return undefined;
    }
  };
  walk(document, form, rootPath);
}

type Visit = (node: YamlNode, form: Form, path: string) => void;

function walkChildren(node: YamlNode, path: string, formOf: (name: string) => Form | undefined, walk: Visit): void {
  const parts =
    node.kind === "list"
      ? node.items.map((item, index) => ({ name: "", value: item, at: itemPath(path, index) }))
      : node.kind === "map"
        ? node.entries.map(({ key, value }) => ({ name: key.text, value, at: fieldPath(path, key.text) }))
        : [];
  for (const { name, value, at } of parts) {
    const form = formOf(name);
    if (form !== undefined) walk(value, form, at);
  }
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type Ambiguity = Pick<Mistake, "message" | "hint">;

/** Where a string is expected, a number is read as its digits, which may differ from what was written. */
function ambiguityOfString({ type, text }: ScalarNode): Ambiguity | undefined {
  const digits = type === "integer" ? String(integerIn(text)) : text;
  return digits === text ? undefined : { message: `${inBackticks(text)} is read as the string \`${digits}\``, hint: "put it in quotes" };
}

function ambiguityOfScalar({ type, text, style, tag }: ScalarNode): Ambiguity | undefined {
  if (style !== "plain" || tag !== undefined) return undefined;
  switch (type) {
    case "string":
      return ambiguityOfPlainString(text);
    case "integer":
      return ambiguityOfInteger(text, Number(integerIn(text)));
    case "float":
      return text.includes("_") ? ambiguity(text, `the number ${floatIn(text) ?? 0}`, "a string", `\`${floatIn(text) ?? 0}\``) : undefined;
    default:
      return undefined;
  }
}

/** The words for true and false in YAML 1.1. */
const isTrue = /^(?:y|Y|yes|Yes|YES|on|On|ON)$/;
const isFalse = /^(?:n|N|no|No|NO|off|Off|OFF)$/;
const isNumber = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
/** YAML 1.1 reads `1:30` as ninety. */
const isSexagesimal = /^[-+]?[1-9]\d*(?::[0-5]?\d)+$/;

function ambiguityOfPlainString(text: string): Ambiguity | undefined {
  if (isTrue.test(text)) return ambiguity(text, "a string", "`true`", "`true`");
  if (isFalse.test(text)) return ambiguity(text, "a string", "`false`", "`false`");
  const number = isNumber.test(text) ? Number(text) : isSexagesimal.test(text) ? fromSexagesimal(text) : undefined;
  if (number === undefined) return undefined;
  if (Number.isFinite(number)) return ambiguity(text, "a string", `the number ${number}`, `\`${printNumber(number)}\``);
  return { message: `${inBackticks(text)} is read as a string; other readers take it for a number`, hint: "put it in quotes" };
}

/** Returns whether a string needs quotes, so that all parsers read it as a string. */
export const isAmbiguousString = (text: string): boolean => plainType(text) === "string" && ambiguityOfPlainString(text) !== undefined;

function ambiguityOfInteger(text: string, number: number): Ambiguity | undefined {
  if (/^[-+]?0[\d]/.test(text) && !text.includes("_")) {
    const decimal = Number(text);
    return decimal === number
      ? undefined
      : ambiguity(text, `the number ${number}`, `the number ${decimal}`, `\`${number}\` or \`${decimal}\``);
  }
  return /_|0b/.test(text) ? ambiguity(text, `the number ${number}`, "a string", `\`${printNumber(number)}\``) : undefined;
}

const ambiguity = (text: string, here: string, there: string, instead: string): Ambiguity => ({
  message: `${inBackticks(text)} is read as ${here}; other readers take it for ${there}`,
  hint: `write ${instead}, or put it in quotes if it is a string`,
});

const fromSexagesimal = (text: string): number => {
  const value = text
    .replace(/^[-+]/, "")
    .split(":")
    .reduce((total, part) => total * 60 + Number(part), 0);
  return text.startsWith("-") ? -value : value;
};

/** Prints a number so that it is read as one; one that is too large for an integer gets a decimal point. */
function printNumber(number: number): string {
  const text = String(number);
  if (plainType(text) !== "string") return text;
  return /e/.test(text) ? text.replace("e", ".0e") : `${text}.0`;
}
