/** Converts an error of the validator to a path and a sentence that says what to do. */

/** An error of the validator. */
export interface ValidatorError {
  readonly keyword: string;
  /** The JSON pointer of the value; "" for the whole. */
  readonly at: string;
  readonly params: { readonly [name: string]: unknown };
  /** The value; messages mention only its type. */
  readonly data: unknown;
  /** Set when the error is about a property name instead of a value. */
  readonly propertyName?: string;
}

/** A problem with a value. */
export interface Finding {
  /** A JSON pointer; "/" is the whole. */
  readonly path: string;
  readonly message: string;
}

/** A finding with the keyword that it comes from. */
export interface KeywordFinding extends Finding {
  readonly keyword: string;
}

const maxMessageLength = 300;

/** Words an error; one about several items gives a finding for each. */
export function describeError(error: ValidatorError): readonly KeywordFinding[] {
  const { keyword } = error;
  const tooMany = "is not allowed: the list has too many items";
  const rest = itemsBeyond(error);
  if (rest !== undefined) return rest.map((index) => ({ path: `${error.at}/${index}`, message: tooMany, keyword }));
  const member = error.propertyName ?? memberOf(error);
  const path = member === undefined ? error.at : `${error.at}/${escape(member)}`;
  const about = error.propertyName === undefined ? "" : "the name ";
  return [{ path: path === "" ? "/" : path, message: shorten(about + sentence(error)), keyword }];
}

/** Returns the items beyond those that the schema allows. */
function itemsBeyond({ keyword, params, data }: ValidatorError): readonly number[] | undefined {
  const { limit } = params;
  if ((keyword !== "items" && keyword !== "unevaluatedItems") || typeof limit !== "number" || !Array.isArray(data)) return undefined;
  return Array.from({ length: Math.min(100, data.length - limit) }, (_item, index) => limit + index);
}

const memberOf = ({ keyword, params }: ValidatorError): string | undefined =>
  keyword === "unevaluatedProperties" && typeof params["unevaluatedProperty"] === "string" ? params["unevaluatedProperty"] : undefined;

const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
const shorten = (text: string): string => (text.length > maxMessageLength ? `${text.slice(0, maxMessageLength - 3)}...` : text);
const count = (number: unknown, noun: string): string => `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
const show = (value: unknown): string => (typeof value === "string" ? `\`${value}\`` : `\`${JSON.stringify(value) ?? "nothing"}\``);
const maxListedValues = 10;
const list = (values: unknown): string =>
  !Array.isArray(values)
    ? show(values)
    : [
        ...values.slice(0, maxListedValues).map(show),
        ...(values.length > maxListedValues ? [`${values.length - maxListedValues} others`] : []),
      ].join(", ");

const kinds: { readonly [type: string]: string } = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "boolean"
    ? "a boolean"
    : typeof value === "object"
      ? "an object"
      : typeof value === "string"
        ? "a string"
        : "a number";
}

const types = (type: unknown): string =>
  [type]
    .flat()
    .map((name) => (typeof name === "string" ? (kinds[name] ?? name) : show(name)))
    .join(" or ");

const formatNames: { readonly [format: string]: string } = {
  date: "a date such as 2025-01-31",
  "date-time": "an instant such as 2025-01-31T12:00:00Z",
  duration: "a duration such as P3DT12H",
  email: "an email address",
  hostname: "a host name",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  regex: "a regular expression (RE2)",
  time: "a time such as 12:00:00Z",
  uri: "a URI",
  uuid: "a UUID",
};

const comparisons: { readonly [comparison: string]: string } = { ">=": "at least", "<=": "at most", ">": "more than", "<": "less than" };

const sentences: { readonly [keyword: string]: (params: ValidatorError["params"], data: unknown) => string } = {
  additionalItems: ({ limit }) => `must have at most ${count(limit, "item")}`,
  additionalProperties: ({ additionalProperty }) => `${show(additionalProperty)} is not allowed`,
  const: ({ allowedValue }) => `must be ${show(allowedValue)}`,
  contains: ({ minContains, maxContains }) =>
    maxContains === undefined
      ? `must have at least ${count(minContains, "item")} of the kind that the schema asks for`
      : `must have from ${String(minContains)} to ${count(maxContains, "item")} of the kind that the schema asks for`,
  contentEncoding: () => "must be base64",
  contentMediaType: () => "must hold JSON",
  dependencies: ({ missingProperty, property }) => `${show(missingProperty)} is missing, which ${show(property)} asks for`,
  dependentRequired: ({ missingProperty, property }) => `${show(missingProperty)} is missing, which ${show(property)} asks for`,
  enum: ({ allowedValues }) => `must be one of ${list(allowedValues)}`,
  "false schema": () => "is not allowed",
  format: ({ format }) => `must be ${typeof format === "string" ? (formatNames[format] ?? `a valid ${show(format)}`) : "valid"}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, "item")}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, "character")}`,
  maxProperties: ({ limit }) => `must have at most ${String(limit)} ${limit === 1 ? "property" : "properties"}`,
  minItems: ({ limit }) => `must have at least ${count(limit, "item")}`,
  minLength: ({ limit }) => `must have at least ${count(limit, "character")}`,
  minProperties: ({ limit }) => `must have at least ${String(limit)} ${limit === 1 ? "property" : "properties"}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  not: () => "is what the schema excludes",
  oneOf: ({ passingSchemas }) =>
    Array.isArray(passingSchemas)
      ? `must fit exactly one of the alternatives, and fits those at ${passingSchemas.join(" and ")}`
      : "fits none of the alternatives",
  anyOf: () => "fits none of the alternatives",
  pattern: ({ pattern }) => `must match the pattern ${show(pattern)}`,
  required: ({ missingProperty }) => `${show(missingProperty)} is missing`,
  type: ({ type }, data) => `must be ${types(type)}, not ${kindOf(data)}`,
  unevaluatedProperties: () => "is not allowed",
  uniqueItems: ({ pair }) => `must not repeat an item: those at ${Array.isArray(pair) ? pair.join(" and ") : "two places"} are equal`,
};

function sentence({ keyword, params, data }: ValidatorError): string {
  const { comparison, limit } = params;
  if (typeof comparison === "string") return `must be ${comparisons[comparison] ?? comparison} ${String(limit)}`;
  const words = Object.hasOwn(sentences, keyword) ? sentences[keyword] : undefined;
  return words === undefined ? `does not satisfy \`${keyword}\`` : words(params, data);
}
