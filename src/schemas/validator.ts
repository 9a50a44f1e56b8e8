/** Compiles schema documents to a validator. Only this file and the keyword files use ajv. */
import type { Ajv, CodeKeywordDefinition, KeywordCxt, Name, Options } from "ajv";
import type * as DataTypes from "ajv/dist/compile/validate/dataType.js";
import { _, core, dataTypes, draft07, latest, load } from "./ajv.ts";
import { baseCost, charge, chargeStep } from "./cost.ts";
import { contains, trackItems } from "./contains.ts";
import { defaultDialect, dialectOf, type Dialect } from "./dialects.ts";
import type { EvaluationKeyword, SchemaDocument } from "./document.ts";
import { dynamicReferences, dropAnchors, rejectUnresolvableAnchors } from "./dynamic-references.ts";
import { checkReferenceTargets } from "./reference-targets.ts";
import { formats } from "./formats.ts";
import type { KeywordFinding } from "./finding.ts";
import { collectFindings, compilePattern } from "./validate-attributes.ts";
import { replacedKeywords } from "./keywords.ts";
import { trackEvaluated, unevaluated } from "./unevaluated.ts";

/** Returns what is wrong with a value, normally nothing. Throws `tooMuchWork` when the account is used up. */
export type Validate = (value: unknown) => readonly KeywordFinding[];

const options: Options = {
  allErrors: true, // report every problem
  verbose: true, // errors contain the value and the schema
  strict: false, // unknown keywords are ignored
  inlineRefs: false, // a schema is compiled once, however often it is referred to
  ownProperties: true, // attribute names never reach a prototype
  validateSchema: false, // done separately, for better messages
  meta: false,
  logger: false,
  messages: false,
  code: { regExp: Object.assign(compilePattern, { code: "" }) },
  formats: Object.fromEntries(Object.entries(formats)),
};

const classes: { readonly [dialect in Dialect]: (options: Options) => Ajv } = {
  "04": (given) => new (load("ajv-draft-04").default)(given),
  "06": (given) => new (draft07())(given),
  "07": (given) => new (draft07())(given),
  "2019-09": (given) => new (load("ajv/dist/2019.js").Ajv2019)(given),
  "2020-12": (given) => new (latest())(given),
};

/** Compiles the document at a URL with all that it refers to; throws an error when it cannot be used. */
export function compileSchema(url: string, documents: readonly SchemaDocument[], dialect: Dialect): Validate {
  const validate = compileWith(options, url, documents, dialect).validate;
  return (value) =>
    collectFindings(
      () => validate(value),
      () => validate.errors,
    ) ?? [];
}

/**
 * Returns the same validator as the source of an ES module with a default export. It calls functions of `own`, which are the exports of
 * `validator-functions.ts`.
 */
export function printValidator(url: string, documents: readonly SchemaDocument[], dialect: Dialect): PrintedValidator {
  const patterns = new Set<string>();
  const regExp = (text: string) => {
    patterns.add(text);
    return compilePattern(text);
  };
  const printing: Options = {
    ...options,
    code: { source: true, esm: true, formats: _`own.formats`, regExp: Object.assign(regExp, { code: "own.pattern" }) },
  };
  const { ajv, validate } = compileWith(printing, url, documents, dialect);
  const standalone: { readonly default: (ajv: Ajv, validate: unknown) => string } = load("ajv/dist/standalone/index.js");
  // Within a string of the schema, the quotes would be escaped.
  const code = standalone.default(ajv, validate).replaceAll(/require\("ajv\/dist\/runtime\/(\w+)"\)\.default/g, "own.$1");
  if (code.includes('own.formats["regex"]') || code.includes("own.formats.regex")) patterns.add(anyPattern);
  return { code, patterns: [...patterns] };
}

/** Stands for an arbitrary pattern in the list of patterns, so that the regex engine is included. */
const anyPattern = "[a-z]";

/** A validator as source, and the patterns that it uses. */
export interface PrintedValidator {
  readonly code: string;
  readonly patterns: readonly string[];
}

function compileWith(given: Options, url: string, documents: readonly SchemaDocument[], dialect: Dialect) {
  const uses = (word: EvaluationKeyword): boolean => documents.some(({ trackedKeywords }) => trackedKeywords.has(word));
  const ajv = openAjv(
    dialect,
    documents.some((document) => document.references.some(isMetaSchema)),
    given,
    {
      items: dialect === "2020-12" && uses("contains") && uses("unevaluatedItems"),
      anchors: documents.some(({ dynamic }) => dynamic.references.length > 0),
    },
  );
  rejectUnresolvableAnchors(url, documents);
  // ajv's class always enables tracking.
  if (!uses("unevaluatedItems") && !uses("unevaluatedProperties")) ajv.opts.unevaluated = false;
  for (const document of documents) {
    const problem = problemOf(document.schema, dialect);
    if (problem !== undefined) throw new Error(document.url === url.split("#")[0] ? problem : `${document.url}: ${problem}`);
    ajv.addSchema(document.schema as object, document.url); // validated before: it is an object or a boolean
    for (const name of anchorUrls(document)) ajv.refs[name] = document.url;
  }
  const refuseEndless = checkReferenceTargets(ajv, dialect, (schema) => problemOf(schema, dialect));
  const validate = ajv.compile({ $ref: url });
  refuseEndless();
  return { ajv, validate };
}

/** Returns the URLs of a document by its own anchors; ajv registers only those of parts. */
function anchorUrls({ schema, url }: SchemaDocument): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { $anchor, $dynamicAnchor, $id } = schema as { readonly [name: string]: unknown }; // validated before: it is no list
  const urls = typeof $id === "string" ? [url, $id.replace(/#.*$/s, "")] : [url];
  return [$anchor, $dynamicAnchor].flatMap((anchor) => (typeof anchor === "string" ? urls.map((of) => `${of}#${anchor}`) : []));
}

/** Returns whether a URL is that of a draft's meta-schema. */
export const isMetaSchema = (url: string): boolean => dialectOf(url) !== undefined;

/** Compiles the meta-schema in advance, which the first schema would have to wait for. */
export function prepareValidator(): void {
  problemOf({}, defaultDialect);
}

/** A validator of schemas per draft, cached because compiling the meta-schema takes longer than validating most schemas. */
const metaValidators = new Map<Dialect, Ajv>();

/** Returns why a value is not a valid schema. */
function problemOf(schema: unknown, dialect: Dialect): string | undefined {
  const metaValidator = metaValidators.get(dialect) ?? openAjv(dialect, true);
  metaValidators.set(dialect, metaValidator);
  const findings = collectFindings(
    () => metaValidator.validateSchema(schema as object) === true, // any value may be passed
    () => metaValidator.errors,
  );
  if (findings === undefined) return undefined;
  const [first] = findings;
  return first === undefined ? "it is not a schema" : `it is not a schema: \`${first.path}\` ${first.message}`;
}

/** What is tracked during validation, at a cost: the items that `contains` evaluates (draft 2020-12), and dynamic anchors. */
interface Tracking {
  readonly items: boolean;
  readonly anchors: boolean;
}

function openAjv(dialect: Dialect, meta: boolean, given: Options = options, tracking: Tracking = { items: false, anchors: false }): Ajv {
  const ajv = classes[dialect]({ ...given, meta });
  if (dialect === "06" && meta) ajv.addMetaSchema(load("ajv/dist/refs/json-schema-draft-06.json"));
  const definitions = [
    ...replacedKeywords,
    contains(tracking.items),
    ...unevaluated(tracking.items),
    ...(tracking.anchors ? dynamicReferences : []),
  ];
  for (const definition of definitions) {
    const names = [definition.keyword].flat();
    if (!names.every((name) => Object.hasOwn(ajv.RULES.keywords, name))) continue; // the draft does not have it
    for (const name of names) ajv.removeKeyword(name);
    ajv.addKeyword({ ...definition });
  }
  for (const rule of Object.values(ajv.RULES.all)) {
    if (typeof rule === "object" && "code" in rule.definition) rule.definition.code = withCost(rule.keyword, rule.definition, tracking);
  }
  return ajv;
}

const errorCount = (): Name => new (core().Name)("errors");
const errorList = (): Name => new (core().Name)("vErrors");

type Code = CodeKeywordDefinition["code"];

/** ajv's name for the test whether a value has none of several types; for several types it accepts no other. */
const wrongType = 1 satisfies DataTypes.DataType.Wrong;

/** Charges the cost before a keyword, and drops errors that only summarise those of subschemas. */
function withCost(keyword: string, { code, type: about = [] }: CodeKeywordDefinition, tracking: Tracking): Code {
  const kinds = [about].flat();
  const priced: Code = (cxt, type) => {
    const base = baseCost(keyword, cxt.schema);
    const price = cxt.gen.scopeValue("func", {
      key: `${keyword} ${base}`,
      ref: charge(keyword, base),
      code: _`own.charge(${keyword}, ${base})`,
    });
    const turn = cxt.gen.scopeValue("func", { ref: chargeStep, code: _`own.takeTurn` });
    const [apply, report] = [cxt.subschema.bind(cxt), cxt.error.bind(cxt)];
    const summary = summaries[keyword] ?? always;
    cxt.gen.code(_`${price}(${cxt.data})`);
    // Without `allErrors`, ajv skips what follows a tuple that is longer than the list.
    cxt.subschema = (given, valid) => {
      cxt.gen.code(_`${turn}(${errorList()})`);
      return apply({ ...given, allErrors: true }, valid);
    };
    cxt.error = (...given) => {
      cxt.gen.code(_`${turn}(${errorList()})`);
      summary(cxt, () => report(...given));
    };
    if (tracking.anchors) dropAnchors(cxt);
    if (tracking.items) trackItems(cxt);
    trackEvaluated(keyword, cxt, () => code(cxt, type));
  };
  // If the value has the wrong type, only that is reported, and other keywords are skipped (D51).
  return (cxt, type) => {
    const wanted = dataTypes().getSchemaTypes(cxt.parentSchema);
    const isSure = wanted.length === 0 || (kinds.length > 0 && kinds.every((kind) => wanted.includes(kind)));
    if (isSure) return priced(cxt, type);
    const isOther = dataTypes().checkDataTypes(wanted, cxt.it.data, cxt.it.opts.strictNumbers, wrongType);
    cxt.gen.if(_`!(${isOther})`, () => cxt.gen.block(() => priced(cxt, type)));
  };
}

type Summary = (cxt: KeywordCxt, report: () => void) => void;

const always: Summary = (_cxt, report) => report();
const onlyAlone: Summary = ({ gen, errsCount }, report) => void gen.if(_`${errorCount()} === ${errsCount ?? 0}`, report);

const summaries: { readonly [keyword: string]: Summary } = {
  anyOf: onlyAlone,
  if: onlyAlone,
  // If several alternatives match, only that is reported, and not the errors of the others.
  oneOf: (cxt, report) => {
    const alone = (): void => {
      cxt.reset();
      report();
    };
    cxt.gen.if(_`${cxt.params["passing"] ?? null} !== null`, alone, () => onlyAlone(cxt, report));
  },
  // Too few items: the errors of the others say why they do not count. Too many: there is nothing to say about the others.
  contains: (cxt, report) => {
    const { count, max } = cxt.params;
    if (max === undefined) return onlyAlone(cxt, report);
    const alone = (): void => {
      cxt.reset();
      report();
    };
    cxt.gen.if(_`${count ?? null} > ${max}`, alone, () => onlyAlone(cxt, report));
  },
  propertyNames: () => undefined,
};
