/** `text.format(list)`: `%s %d %f %e %b %x %X %o %%`; `%f` and `%e` accept a precision. */
import { fixedText, scientificText } from "./decimal-text.ts";
import { formatDuration } from "./duration.ts";
import { EvalError, evalError } from "./error.ts";
import { isList, isMap, typeName, typeOfValue } from "./kind.ts";
import { longestText, tooLong } from "./limits.ts";
import { mapEntries } from "./map.ts";
import { plainText } from "./number-text.ts";
import { compareText } from "./text.ts";
import { formatTimestamp } from "./timestamp-text.ts";
import { decodeUtf8Loosely, encodeUtf8 } from "./utf8.ts";
import { Duration, Timestamp, TypeValue, Uint, type Value } from "./value.ts";
import { work } from "./work.ts";

const defaultPrecision = 6;
const highestPrecision = 100;
const clause = /%(?:(%)|(?:\.([0-9]+))?([sdfebxXo]))/y;

/** Parses a format into its clauses and the text around them, or returns what is wrong with it. */
export function readFormat(format: string): { readonly clauses: readonly Clause[]; readonly pieces: readonly string[] } | EvalError {
  const clauses: Clause[] = [];
  const pieces: string[] = [];
  let piece = "";
  for (let i = 0; i < format.length;) {
    const next = format.indexOf("%", i);
    if (next < 0) {
      piece += format.slice(i);
      break;
    }
    piece += format.slice(i, next);
    clause.lastIndex = next;
    const match = clause.exec(format);
    if (match === null) return evalError("invalid argument", `unrecognized formatting clause at ${next}`);
    const [text, percent, precision = String(defaultPrecision), verb = ""] = match;
    i = next + text.length;
    if (percent !== undefined) piece += "%";
    else {
      if (Number(precision) > highestPrecision) return evalError("invalid argument", `a precision above ${highestPrecision}`);
      clauses.push({ verb, precision: Number(precision) });
      pieces.push(piece);
      piece = "";
    }
  }
  return { clauses, pieces: [...pieces, piece] };
}

/** One placeholder. */
interface Clause {
  readonly verb: string;
  readonly precision: number;
}

/** Formats the arguments. Their number must equal the number of clauses; otherwise an error. */
export function formatText(format: string, args: readonly Value[]): string | EvalError {
  const read = readFormat(format);
  if (read instanceof EvalError) return read;
  const { clauses, pieces } = read;
  if (args.length < clauses.length) return evalError("invalid argument", `index ${args.length} out of range`);
  if (args.length > clauses.length)
    return evalError("invalid argument", `too many arguments: expected ${clauses.length}, got ${args.length}`);
  let text = pieces[0] ?? "";
  for (const [i, each] of clauses.entries()) {
    const filled = fill(each, args[i] ?? null);
    if (filled instanceof EvalError) return filled;
    text += filled + (pieces[i + 1] ?? "");
    if (text.length > longestText) return tooLong("string");
  }
  return text;
}

function fill({ verb, precision }: Clause, value: Value): string | EvalError {
  const text = verb === "s" ? plain(value) : verb === "x" || verb === "X" ? hexadecimal(value, verb) : number(verb, precision, value);
  return text ?? evalError("invalid argument", `error during formatting: %${verb} of a value of type ${typeName(typeOfValue(value))}`);
}

const special = (value: number): string | undefined =>
  Number.isNaN(value) ? "NaN" : value === Infinity ? "Infinity" : value === -Infinity ? "-Infinity" : undefined;

/** `%s`: any value that has a string form. */
function plain(value: Value): string | undefined {
  work(32);
  if (typeof value === "string") return value;
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return special(value) ?? plainText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return decodeUtf8Loosely(value);
  if (value instanceof Timestamp) return formatTimestamp(new Timestamp(value.seconds, value.nanos));
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return typeName(value.type);
  if (isList(value)) return inBrackets(value.map(plain), "[", "]");
  if (!isMap(value)) return undefined;
  const entries = Array.from(mapEntries(value), ([key, element]) => [plain(key), plain(element)] as const);
  const sorted = entries.toSorted(([left = ""], [right = ""]) => compareText(left, right));
  return inBrackets(
    sorted.map(([key, element]) => (key === undefined || element === undefined ? undefined : `${key}: ${element}`)),
    "{",
    "}",
  );
}

const inBrackets = (parts: readonly (string | undefined)[], open: string, close: string): string | undefined =>
  parts.includes(undefined) ? undefined : `${open}${parts.join(", ")}${close}`;

/** `%d %f %e` of numbers, `%b` of integers and booleans, `%o` of integers. */
function number(verb: string, precision: number, value: Value): string | undefined {
  if (verb === "b" && typeof value === "boolean") return value ? "1" : "0";
  const exact = value instanceof Uint ? value.value : value;
  if (typeof exact === "bigint") {
    if (verb === "f") return fixedText(exact, precision);
    if (verb === "e") return scientificText(exact, precision);
    return exact.toString(verb === "b" ? 2 : verb === "o" ? 8 : 10);
  }
  if (typeof exact !== "number" || verb === "b" || verb === "o") return undefined;
  return (
    special(exact) ?? (verb === "d" ? plainText(exact) : verb === "f" ? fixedText(exact, precision) : scientificText(exact, precision))
  );
}

/** `%x` and `%X` of integers, strings and bytes. */
function hexadecimal(value: Value, verb: "x" | "X"): string | undefined {
  const text = hexDigits(value);
  return verb === "X" ? text?.toUpperCase() : text;
}

function hexDigits(value: Value): string | undefined {
  if (typeof value === "bigint") return value.toString(16);
  if (value instanceof Uint) return value.value.toString(16);
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  return bytes instanceof Uint8Array ? Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") : undefined;
}
