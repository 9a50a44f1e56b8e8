/** The cost of validation, charged to the account of the check (D46.1), and the limit on the number of errors. */
import { work } from "../../runtime/cel/work.ts";

/** The limit of work units for all schemas of one check; a unit is about ten nanoseconds. */
export const maxWork = 2 ** 24;

/** The most errors of one validation. */
export const maxErrors = 100;

/** The most errors that are kept while it is not known whether they count: errors of an alternative do not when another one fits. */
const maxCandidateErrors = 10_000;

/** Thrown when there are too many errors to keep; it contains those found so far. */
export class TooManyErrors<E> {
  readonly errors: readonly E[];
  constructor(errors: readonly E[]) {
    this.errors = errors;
  }
}

/** The cost of one keyword beyond its base, by the data. */
type DataCost = (data: unknown) => number;

/** Characters are counted one by one, because of surrogate pairs. */
const lengthCost: DataCost = (data) => (typeof data === "string" ? data.length * 1.5 : 0);
const propertyCost: DataCost = (data) => (typeof data === "object" && data !== null && !Array.isArray(data) ? Object.keys(data).length : 0);

const dataCosts: { readonly [keyword: string]: DataCost } = {
  additionalProperties: propertyCost,
  contentEncoding: lengthCost,
  contentMediaType: lengthCost,
  format: lengthCost,
  maxLength: lengthCost,
  maxProperties: propertyCost,
  minLength: lengthCost,
  minProperties: propertyCost,
  pattern: lengthCost,
  patternProperties: propertyCost,
  propertyNames: propertyCost,
  unevaluatedProperties: propertyCost,
};

const noCost: DataCost = () => 0;

/** Returns the cost of a keyword that is independent of the data, given its value in the schema. */
export const baseCost = (keyword: string, value: unknown): number => 4 + (constants.has(keyword) ? 4 * sizeOf(value) : 0);

/** Returns a function that charges the cost of a keyword, given its base cost. */
export function charge(keyword: string, base: number): (data: unknown) => void {
  const price = Object.hasOwn(dataCosts, keyword) ? (dataCosts[keyword] ?? noCost) : noCost;
  return (data) => work(base + price(data));
}

/** Charges one step: an iteration over members, an alternative, an error found. Throws when there are too many errors to keep. */
export function chargeStep(errors: readonly unknown[] | null): void {
  work(4);
  if (errors !== null && errors.length > maxCandidateErrors) throw new TooManyErrors(errors);
}

/** Keywords whose evaluation may read all of their own value. */
const constants: ReadonlySet<string> = new Set(["const", "dependentRequired", "enum", "required"]);

function sizeOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / 8;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((total: number, inner: unknown) => total + sizeOf(inner), 1);
}
