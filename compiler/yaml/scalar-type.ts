/**
 * The type of a plain scalar that no field determines: YAML 1.2, with the reference implementation's number syntax.
 * Dates are strings.
 */
import type { ScalarNode } from "./node.ts";

const boundaries = { lowest: -(2n ** 63n), highest: 2n ** 64n - 1n } as const;

/** Returns the type of a plain scalar. */
export function plainType(text: string): ScalarNode["type"] {
  // Most scalars are words: checking the first character is enough.
  if (/^[^0-9+\-.~nNtTfF]/.test(text)) return "string";
  if (/^(?:~|null|Null|NULL)?$/.test(text)) return "null";
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) return "boolean";
  if (/^(?:-?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text)) return "float";
  if (integerIn(text) !== undefined) return "integer";
  return floatIn(text) === undefined ? "string" : "float";
}

/**
 * Parses an integer: `17`, `+17`, `1_7`, `0x11`, `0o21`, `0b10001`, and `021`, which is octal here (an 8 or 9 after a
 * leading zero makes it a string). Returns undefined for anything else, and for integers beyond 64 bits, which are
 * strings too.
 */
export function integerIn(text: string): bigint | undefined {
  const parts = /^(\+?-?)(0x_*[0-9a-fA-F]|0o_*[0-7]|0b_*[01]|[0-9])([0-9a-fA-F_]*)$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = "", start = "", rest = ""] = parts;
  const digits = `${start}${rest}`.replaceAll("_", "");
  const literal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  if (!/^(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)$/.test(literal)) return undefined;
  const value = sign.includes("-") ? -BigInt(literal) : BigInt(literal);
  return value < boundaries.lowest || value > boundaries.highest ? undefined : value;
}

/**
 * Parses a number with one decimal point: `1.5`, `.5`, `5.`, `1.5e3`. Returns undefined otherwise: without a point
 * (`1e3`) it is a string.
 */
export function floatIn(text: string): number | undefined {
  const parts = /^(\+?-?)([0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9_]+)?)$/.exec(text);
  const digits = (parts?.[2] ?? "").replaceAll("_", "");
  if (text.startsWith("_") || !/^(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(digits)) return undefined;
  const value = Number(digits);
  return Number.isFinite(value) ? (parts?.[1]?.includes("-") ? -value : value) : undefined;
}
