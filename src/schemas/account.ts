/** What validating costs, drawn from the account of the check (D46.1), and how many errors are worth finding. */
import { work } from "../../runtime/cel/work.ts";

/** Units of work of all schemas of one check; a unit is about ten nanoseconds. */
export const mostWork = 2 ** 24;

/** Errors of one validation: who has more than these will look at the first ones anyway. */
export const mostErrors = 100;

/** Errors that are kept until it is known whether they count: those of an alternative do not where another one fits. */
const mostKept = 10_000;

/** Thrown when there are more errors than can be kept; it holds those found so far. */
export class TooManyErrors<E> {
  readonly errors: readonly E[];
  constructor(errors: readonly E[]) {
    this.errors = errors;
  }
}

/** What one keyword costs beyond its turn: some look at all of what they are held against. */
type Price = (data: unknown) => number;

/** Characters are counted one by one where pairs of code units are one. */
const textLength: Price = (data) => (typeof data === "string" ? data.length * 1.5 : 0);
const memberCount: Price = (data) => (typeof data === "object" && data !== null && !Array.isArray(data) ? Object.keys(data).length : 0);

const prices: { readonly [keyword: string]: Price } = {
  additionalProperties: memberCount,
  contentEncoding: textLength,
  contentMediaType: textLength,
  format: textLength,
  maxLength: textLength,
  maxProperties: memberCount,
  minLength: textLength,
  minProperties: memberCount,
  pattern: textLength,
  patternProperties: memberCount,
  propertyNames: memberCount,
  unevaluatedProperties: memberCount,
};

const none: Price = () => 0;

/** Returns what one keyword costs whatever it is held against, given its own value in the schema. */
export const baseOf = (keyword: string, value: unknown): number => 4 + (constants.has(keyword) ? 4 * sizeOf(value) : 0);

/** Returns what draws the price of one keyword, given what it costs in any case. */
export function charge(keyword: string, base: number): (data: unknown) => void {
  const price = Object.hasOwn(prices, keyword) ? (prices[keyword] ?? none) : none;
  return (data) => work(base + price(data));
}

/** Draws one turn: of a loop over members, of an alternative, of an error found; and sees to it that errors do not fill the memory. */
export function takeTurn(errors: readonly unknown[] | null): void {
  work(4);
  if (errors !== null && errors.length > mostKept) throw new TooManyErrors(errors);
}

/** Keywords that may look at all of their own value. */
const constants: ReadonlySet<string> = new Set(["const", "dependentRequired", "enum", "required"]);

function sizeOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / 8;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((total: number, inner: unknown) => total + sizeOf(inner), 1);
}
