/** Parses and formats numbers as Go's strconv does. */
import { asInt, asUint } from "./arithmetic.ts";
import { EvalError } from "./error.ts";
import type { Uint } from "./value.ts";

/** The shortest digits of a positive finite double, and the exponent of the first digit. */
function shortest(value: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  return { digits: mantissa.replace(".", ""), exponent: Number(exponent) };
}

const signOf = (value: number): string => (value < 0 || Object.is(value, -0) ? "-" : "");

const special = (value: number): string | undefined =>
  Number.isNaN(value) ? "NaN" : value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : undefined;

/** Formats a double as `string(x)` does (%g): 1e+06, 0.0001, 1e-05, 123456. */
export function shortText(value: number): string {
  const size = Math.abs(value);
  // In this range JavaScript's format is the same.
  if (size >= 0.0001 && size < 1_000_000) return String(value);
  const { digits, exponent } = shortest(Math.abs(value));
  return special(value) ?? (exponent < -4 || exponent >= 6 ? signOf(value) + scientific(digits, exponent) : plainText(value));
}

function scientific(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${digits.slice(0, 1)}${fraction}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Formats a double without an exponent, with the fewest digits that parse back to it (%f). */
export function plainText(value: number): string {
  const size = Math.abs(value);
  // In this range JavaScript's format is the same.
  if (size >= 0.000001 && size < 1e21) return String(value);
  const found = special(value);
  if (found !== undefined) return found;
  const { digits, exponent } = shortest(Math.abs(value));
  if (exponent < 0) return `${signOf(value)}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return signOf(value) + whole + (fraction === "" ? "" : `.${fraction}`);
}

const decimalInteger = /^[+-]?[0-9]+$/;
const unsignedInteger = /^[0-9]+$/;

// Removes leading zeros. 64-bit numbers have at most 20 digits and a sign; longer ones are rejected unparsed.
const digitsOf = (text: string): string => text.replace(/^([+-]?)0+(?=[0-9])/, "$1");
const longest = 21;

/** Parses an int as `int("...")` does: decimal digits with an optional sign. Undefined if invalid or out of range. */
export function parseInt64(text: string): bigint | undefined {
  if (!decimalInteger.test(text)) return undefined;
  const digits = digitsOf(text).replace(/^\+/, "");
  const value = digits.length > longest ? undefined : asInt(BigInt(digits));
  return value instanceof EvalError ? undefined : value;
}

/** Parses a uint as `uint("...")` does: decimal digits. Undefined if invalid or out of range. */
export function parseUint64(text: string): Uint | undefined {
  if (!unsignedInteger.test(text)) return undefined;
  const digits = digitsOf(text);
  const value = digits.length > longest ? undefined : asUint(BigInt(digits));
  return value instanceof EvalError ? undefined : value;
}

const decimal = /^[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?$/;
const hexadecimal = /^([+-]?)0[xX]_?([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9]+)$/;
const infinite = /^[+-]?inf(?:inity)?$/i;

/** Parses a double as `double("...")` does; undefined if invalid or out of range. */
export function parseDouble(text: string): number | undefined {
  if (decimal.test(text)) return finite(Number(text.replaceAll("_", "")));
  if (infinite.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = hexadecimal.exec(text) ?? [];
  const digits = (whole + fraction).replaceAll("_", "");
  if (digits === "" || digits.length > 256) return undefined;
  const scale = Number(exponent) - 4 * fraction.replaceAll("_", "").length;
  return finite(Number(BigInt(`0x${digits}`)) * 2 ** scale * (sign === "-" ? -1 : 1));
}

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
