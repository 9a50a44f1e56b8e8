/** Asks whether an expression comes to exactly a value, type by type: what the reference prints does not tell 5, 5u and 5.0 apart. */
import { totalNanos } from "../../runtime/cel/duration.ts";
import { isList, isMap, kindOf, typeName } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { plainText } from "../../runtime/cel/number-text.ts";
import { printValue } from "../../runtime/cel/print-value.ts";
import type { Type } from "../../runtime/cel/type.ts";
import { Duration, Opaque, Timestamp, TypeValue, Uint, type Value } from "../../runtime/cel/value.ts";

/** An expression that is true when `text` comes to `value`, false when to another value, and an error when it fails. */
export const probe = (text: string, value: Value): string => `cel.bind(v_, dyn(${text}), ${same("v_", value, 0)})`;

function same(name: string, value: Value, depth: number): string {
  switch (kindOf(value)) {
    case "list":
      return isList(value) ? sameList(name, value, depth) : "false";
    case "map":
      return sameMap(name, value, depth);
    default:
      return sameScalar(name, value);
  }
}

function sameList(name: string, value: readonly Value[], depth: number): string {
  const elements = value.map((element, index) => ` && ${same(`${name}[${index}]`, element, depth)}`);
  return `type(${name}) == list && size(${name}) == ${value.length}${elements.join("")}`;
}

function sameMap(name: string, value: Value, depth: number): string {
  if (!isMap(value)) return "false";
  const entries = Array.from(mapEntries(value));
  const [k, v] = [`k${depth}_`, `v${depth}_`];
  const each = entries.map(
    ([key, element]) => ` && ${name}.exists(${k}, ${v}, ${same(k, key, depth + 1)} && ${same(v, element, depth + 1)})`,
  );
  return `type(${name}) == map && size(${name}) == ${entries.length}${each.join("")}`;
}

function sameScalar(name: string, value: Value): string {
  if (value === null || typeof value === "boolean") return `${name} == ${value}`;
  if (typeof value === "bigint") return `type(${name}) == int && ${name} == ${value}`;
  if (typeof value === "string") return `${name} == ${literal(value)}`;
  if (typeof value === "number") return sameDouble(name, value);
  if (value instanceof Uint) return `type(${name}) == uint && ${name} == ${value.value}u`;
  if (value instanceof Uint8Array)
    return `${name} == b"${Array.from(value, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}"`;
  // The text of a timestamp has its nanoseconds and its offset; that of a duration loses nanoseconds.
  if (value instanceof Timestamp)
    return `type(${name}) == google.protobuf.Timestamp && string(${name}) == ${printValue(value).slice("timestamp(".length, -1)}`;
  if (value instanceof Duration) return `type(${name}) == google.protobuf.Duration && int(${name}) == ${totalNanos(value)}`;
  if (value instanceof TypeValue) return `type(${name}) == type && "%s".format([${name}]) == "${typeName(value.type)}"`;
  // Matchers and records have no equality of their own: that there is one must do.
  if (value instanceof Opaque && value.typeName !== "spiffeMatcher") return `${name} == ${escaped(value.print())}`;
  return `type(${name}) == type(${name})`;
}

function sameDouble(name: string, value: number): string {
  if (Number.isNaN(value)) return `type(${name}) == double && ${name} != ${name}`;
  if (value === 0) return `type(${name}) == double && ${name} == 0.0 && 1.0 / ${name} ${Object.is(value, -0) ? "<" : ">"} 0.0`;
  if (!Number.isFinite(value)) return `type(${name}) == double && ${name} == ${value < 0 ? "-1.0" : "1.0"} / 0.0`;
  return `type(${name}) == double && ${name} == ${doubleLiteral(value)}`;
}

function doubleLiteral(value: number): string {
  const text = String(value);
  if (/[.e]/.test(text)) return text.includes("e") && !text.includes(".") ? text.replace("e", ".0e") : text;
  return text.includes(".") ? text : `${plainText(value)}.0`;
}

const escaped = (text: string): string =>
  text.replace(/\\(["\\])|'/g, (all, character: string | undefined) => `\\x${(character ?? all).charCodeAt(0).toString(16)}`);

/** Everything that the prompt of the reference might read in its own way is written by number. */
const literal = (text: string): string =>
  `"${Array.from(text, (point) => {
    const code = point.codePointAt(0) ?? 0;
    if (code > 0x20 && code < 0x7f && !`"'\\`.includes(point)) return point;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("")}"`;

/**
 * Says whether what the reference prints is the value, where the type is known beforehand and the print therefore tells;
 * undefined where it does not.
 */
export function isEcho(printed: string, value: Value, type: Type): boolean | undefined {
  switch (type.kind) {
    case "bool":
      return printed === (value === true ? "true" : "false");
    case "int":
      return typeof value === "bigint" && printed === value.toString();
    case "uint":
      return value instanceof Uint && printed === String(value.value);
    case "double":
      return typeof value === "number" && Number.isFinite(value) ? Object.is(Number(printed), value) : undefined;
    case "string":
      return printed.startsWith('"') && JSON.parse(printed) === value;
    default:
      return undefined;
  }
}

/** Whether the print of such a value tells it from all others. */
export const hasEcho = (value: Value, type: Type): boolean =>
  ["bool", "int", "uint", "string"].includes(type.kind) || (type.kind === "double" && typeof value === "number" && Number.isFinite(value));
