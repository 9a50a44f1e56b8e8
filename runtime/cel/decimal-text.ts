/** Formats doubles with a fixed number of digits, rounded half to even from their exact value. */

/** An exact number: `digits * 10 ** -scale`, with its sign. */
interface Exact {
  readonly sign: "-" | "";
  readonly digits: bigint;
  readonly scale: number;
}

/** Exact, because every finite double is an integer divided by a power of two, and hence by a power of ten. */
function exactly(value: number | bigint): Exact {
  if (typeof value === "bigint") return { sign: value < 0n ? "-" : "", digits: value < 0n ? -value : value, scale: 0 };
  let digits = Math.abs(value);
  let halvings = 0;
  while (!Number.isInteger(digits)) {
    digits *= 2;
    halvings++;
  }
  return { sign: value < 0 || Object.is(value, -0) ? "-" : "", digits: BigInt(digits) * 5n ** BigInt(halvings), scale: halvings };
}

function divideToEven(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  const twice = (value % by) * 2n;
  return twice > by || (twice === by && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** Formats a finite number with `places` digits after the point: `-1.20000`. */
export function fixedText(value: number | bigint, places: number): string {
  const { sign, digits, scale } = exactly(value);
  const scaled = scale > places ? divideToEven(digits, 10n ** BigInt(scale - places)) : digits * 10n ** BigInt(places - scale);
  const text = String(scaled).padStart(places + 1, "0");
  const whole = text.slice(0, text.length - places);
  return `${sign}${whole}${places === 0 ? "" : `.${text.slice(-places)}`}`;
}

/** Formats a finite number in scientific notation with `places` digits after the point: `1.052033e+03`. */
export function scientificText(value: number | bigint, places: number): string {
  const { sign, digits, scale } = exactly(value);
  const length = String(digits).length;
  const dropped = length - places - 1;
  const rounded = String(dropped > 0 ? divideToEven(digits, 10n ** BigInt(dropped)) : digits * 10n ** BigInt(-dropped));
  // Rounding up may add a digit: 9.99 becomes 10.0.
  const exponent = digits === 0n ? 0 : length - 1 - scale + (rounded.length - places - 1);
  const fraction = places === 0 ? "" : `.${rounded.slice(1, places + 1).padEnd(places, "0")}`;
  const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return `${sign}${rounded.slice(0, 1)}${fraction}e${power}`;
}
