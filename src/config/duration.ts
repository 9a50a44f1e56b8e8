/** Durations as configuration writes them: `10s`, `1h30m`, `250ms`. */

const milliseconds: { readonly [unit: string]: number } = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const part = String.raw`(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)`;

/** Returns the milliseconds of a duration, or undefined when the text is not one. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!new RegExp(`^(?:${part})+$`).test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(new RegExp(part, "g"))) total += Number(amount) * (milliseconds[unit ?? ""] ?? 0);
  return total;
}
