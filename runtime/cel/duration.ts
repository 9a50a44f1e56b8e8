/** Spans of time: reading and writing them as Go does. */
import { asInt } from "./arithmetic.ts";
import { EvalError, evalError } from "./error.ts";
import { plainText } from "./number-text.ts";
import { Duration } from "./value.ts";

const nanosOf: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const most = 2n ** 63n;
const term = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)(?![^0-9.])/y;

/** Reads `1h30m`, `-1.5s`, `0`. */
export function parseDuration(text: string): Duration | EvalError {
  const sign = text.startsWith("-") ? -1n : 1n;
  const terms = text.replace(/^[+-]/, "");
  if (terms === "0") return new Duration(0n);
  if (terms === "") return unreadable;
  let total = 0n;
  term.lastIndex = 0;
  for (let end = 0; end < terms.length; end = term.lastIndex) {
    term.lastIndex = end;
    const match = term.exec(terms);
    if (match === null) return unreadable;
    const [, whole = "", fraction = "", unit = ""] = match;
    if (whole === "" && fraction === "") return unreadable;
    const nanos = nanosOfTerm(whole, fraction, nanosOf.get(unit) ?? 0n);
    if (nanos === undefined) return unreadable;
    total += nanos;
    if (total > most) return unreadable;
  }
  return makeDuration(sign * total, unreadable);
}

/** One term in nanoseconds. The fraction is a double's, as in Go, to the same last nanosecond. */
function nanosOfTerm(whole: string, fraction: string, unit: bigint): bigint | undefined {
  const digits = whole.replace(/^0+(?=[0-9])/, "");
  if (digits.length > 19) return undefined;
  const kept = fraction.slice(0, 18);
  const part = kept === "" ? 0 : Number(kept) * (Number(unit) / 10 ** kept.length);
  return BigInt(digits === "" ? 0 : digits) * unit + BigInt(Math.trunc(part));
}

const unreadable = evalError("invalid argument", "type conversion error from 'string' to 'google.protobuf.Duration'");

/** Makes a span, or the error of one that int64 nanoseconds do not hold. */
export function makeDuration(nanos: bigint, otherwise?: EvalError): Duration | EvalError {
  const exact = asInt(nanos);
  return exact instanceof EvalError ? (otherwise ?? exact) : new Duration(exact);
}

/** Writes a span as seconds: `5400.5s`. It goes through a double, as Go's does. */
export function formatDuration({ nanos }: Duration): string {
  const second = 1_000_000_000n;
  return `${plainText(Number(nanos / second) + Number(nanos % second) / 1e9)}s`;
}
