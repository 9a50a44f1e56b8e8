/** Schema documents -> a function that finds what is wrong with a value. The one file that knows ajv. */
import type { Ajv, CodeKeywordDefinition, KeywordCxt, Name, Options } from "ajv";
import type * as DataTypes from "ajv/dist/compile/validate/dataType.js";
import { _, core, dataTypes, draft07, latest, load } from "./ajv.ts";
import { baseOf, charge, takeTurn } from "./account.ts";
import { contains, keepItems } from "./contains.ts";
import { defaultDialect, dialectOf, type Dialect } from "./dialects.ts";
import type { EvaluationWord, SchemaDocument } from "./document.ts";
import { dynamicReferences, forgetAnchors, refuseUnfoundAnchors } from "./dynamic.ts";
import { refuseOtherTargets } from "./follow.ts";
import { formats } from "./formats.ts";
import type { KeywordFinding } from "./finding.ts";
import { findingsOf, pattern } from "./judge.ts";
import { replaced } from "./keywords.ts";
import { keepEvaluated, unevaluated } from "./unevaluated.ts";

/** Finds what is wrong with a value: nothing, as a rule. Throws `tooMuchWork` when the account is used up. */
export type Validate = (value: unknown) => readonly KeywordFinding[];

const options: Options = {
  allErrors: true, // every problem at once
  verbose: true, // an error says which value of which kind it is about
  strict: false, // words of others are notes to readers
  inlineRefs: false, // a schema is compiled once however often it is referred to
  ownProperties: true, // no attribute name reaches a prototype
  validateSchema: false, // done apart, to say what is wrong
  meta: false,
  logger: false,
  messages: false,
  code: { regExp: Object.assign(pattern, { code: "" }) },
  formats: Object.fromEntries(Object.entries(formats)),
};

const classes: { readonly [dialect in Dialect]: (options: Options) => Ajv } = {
  "04": (given) => new (load("ajv-draft-04").default)(given),
  "06": (given) => new (draft07())(given),
  "07": (given) => new (draft07())(given),
  "2019-09": (given) => new (load("ajv/dist/2019.js").Ajv2019)(given),
  "2020-12": (given) => new (latest())(given),
};

/** Compiles the document at a URL with all that it refers to; throws an error that says why it cannot be used. */
export function compileSchema(url: string, documents: readonly SchemaDocument[], dialect: Dialect): Validate {
  const validate = compileWith(options, url, documents, dialect).validate;
  return (value) =>
    findingsOf(
      () => validate(value),
      () => validate.errors,
    ) ?? [];
}

/** The same as the text of an ES module whose default export validates; what it calls it finds in `own`, which are the exports of `own.ts`. */
export function printValidator(url: string, documents: readonly SchemaDocument[], dialect: Dialect): PrintedValidator {
  const patterns = new Set<string>();
  const regExp = (text: string) => {
    patterns.add(text);
    return pattern(text);
  };
  const printing: Options = {
    ...options,
    code: { source: true, esm: true, formats: _`own.formats`, regExp: Object.assign(regExp, { code: "own.pattern" }) },
  };
  const { ajv, validate } = compileWith(printing, url, documents, dialect);
  const standalone: { readonly default: (ajv: Ajv, validate: unknown) => string } = load("ajv/dist/standalone/index.js");
  // In a text of the schema the quotes would be escaped.
  const code = standalone.default(ajv, validate).replaceAll(/require\("ajv\/dist\/runtime\/(\w+)"\)\.default/g, "own.$1");
  if (code.includes('own.formats["regex"]') || code.includes("own.formats.regex")) patterns.add(anyPattern);
  return { code, patterns: [...patterns] };
}

/** A pattern that may be any other, so that whoever takes it needs the machine. */
const anyPattern = "[a-z]";

/** A validator as text, and the patterns that it asks about. */
export interface PrintedValidator {
  readonly code: string;
  readonly patterns: readonly string[];
}

function compileWith(given: Options, url: string, documents: readonly SchemaDocument[], dialect: Dialect) {
  const says = (word: EvaluationWord): boolean => documents.some(({ words }) => words.has(word));
  const ajv = openAjv(
    dialect,
    documents.some((document) => document.references.some(isMetaSchema)),
    given,
    {
      items: dialect === "2020-12" && says("contains") && says("unevaluatedItems"),
      anchors: documents.some(({ dynamic }) => dynamic.references.length > 0),
    },
  );
  refuseUnfoundAnchors(url, documents);
  // The class says that it is kept always.
  if (!says("unevaluatedItems") && !says("unevaluatedProperties")) ajv.opts.unevaluated = false;
  for (const document of documents) {
    const problem = problemOf(document.schema, dialect);
    if (problem !== undefined) throw new Error(document.url === url.split("#")[0] ? problem : `${document.url}: ${problem}`);
    ajv.addSchema(document.schema as object, document.url); // checked: it is an object or a boolean
    for (const name of namesOfWhole(document)) ajv.refs[name] = document.url;
  }
  const refuseEndless = refuseOtherTargets(ajv, dialect, (schema) => problemOf(schema, dialect));
  const validate = ajv.compile({ $ref: url });
  refuseEndless();
  return { ajv, validate };
}

/** What a document is called by its own anchors: ajv knows those of parts. */
function namesOfWhole({ schema, url }: SchemaDocument): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { $anchor, $dynamicAnchor, $id } = schema as { readonly [name: string]: unknown }; // checked: it is no list
  const urls = typeof $id === "string" ? [url, $id.replace(/#.*$/s, "")] : [url];
  return [$anchor, $dynamicAnchor].flatMap((anchor) => (typeof anchor === "string" ? urls.map((of) => `${of}#${anchor}`) : []));
}

/** Is this URL that of a draft itself, to which schemas of schemas refer? */
export const isMetaSchema = (url: string): boolean => dialectOf(url) !== undefined;

/** Makes ready what the first schema would wait for. */
export function prepareValidator(): void {
  problemOf({}, defaultDialect);
}

/** One for each draft, kept: making its schema of schemas takes longer than checking most schemas. */
const judges = new Map<Dialect, Ajv>();

/** Says what is wrong with a schema as a schema. */
function problemOf(schema: unknown, dialect: Dialect): string | undefined {
  const judge = judges.get(dialect) ?? openAjv(dialect, true);
  judges.set(dialect, judge);
  const findings = findingsOf(
    () => judge.validateSchema(schema as object) === true, // anything may be asked about
    () => judge.errors,
  );
  if (findings === undefined) return undefined;
  const [first] = findings;
  return first === undefined ? "it is not a schema" : `it is not a schema: \`${first.path}\` ${first.message}`;
}

/** What is kept while validating, which has its price: the items that `contains` evaluates, as it does in draft 2020-12, and whose anchors are in force. */
interface Kept {
  readonly items: boolean;
  readonly anchors: boolean;
}

function openAjv(dialect: Dialect, meta: boolean, given: Options = options, kept: Kept = { items: false, anchors: false }): Ajv {
  const ajv = classes[dialect]({ ...given, meta });
  if (dialect === "06" && meta) ajv.addMetaSchema(load("ajv/dist/refs/json-schema-draft-06.json"));
  const definitions = [...replaced, contains(kept.items), ...unevaluated(kept.items), ...(kept.anchors ? dynamicReferences : [])];
  for (const definition of definitions) {
    const names = [definition.keyword].flat();
    if (!names.every((name) => Object.hasOwn(ajv.RULES.keywords, name))) continue; // the draft does not have it
    for (const name of names) ajv.removeKeyword(name);
    ajv.addKeyword({ ...definition });
  }
  for (const rule of Object.values(ajv.RULES.all)) {
    if (typeof rule === "object" && "code" in rule.definition) rule.definition.code = charged(rule.keyword, rule.definition, kept);
  }
  return ajv;
}

const errorCount = (): Name => new (core().Name)("errors");
const errorList = (): Name => new (core().Name)("vErrors");

type Code = CodeKeywordDefinition["code"];

/** What ajv calls the question whether a value has none of some types; about several types it takes no other. */
const wrong = 1 satisfies DataTypes.DataType.Wrong;

/** Puts the price before a keyword, and leaves out an error that only sums up those of its parts. */
function charged(keyword: string, { code, type: about = [] }: CodeKeywordDefinition, kept: Kept): Code {
  const kinds = [about].flat();
  const priced: Code = (cxt, type) => {
    const base = baseOf(keyword, cxt.schema);
    const price = cxt.gen.scopeValue("func", {
      key: `${keyword} ${base}`,
      ref: charge(keyword, base),
      code: _`own.charge(${keyword}, ${base})`,
    });
    const turn = cxt.gen.scopeValue("func", { ref: takeTurn, code: _`own.takeTurn` });
    const [apply, report] = [cxt.subschema.bind(cxt), cxt.error.bind(cxt)];
    const summary = summaries[keyword] ?? always;
    cxt.gen.code(_`${price}(${cxt.data})`);
    // Asked for one error alone, ajv skips what follows a tuple that is longer than the list.
    cxt.subschema = (given, valid) => {
      cxt.gen.code(_`${turn}(${errorList()})`);
      return apply({ ...given, allErrors: true }, valid);
    };
    cxt.error = (...given) => {
      cxt.gen.code(_`${turn}(${errorList()})`);
      summary(cxt, () => report(...given));
    };
    if (kept.anchors) forgetAnchors(cxt);
    if (kept.items) keepItems(cxt);
    keepEvaluated(keyword, cxt, () => code(cxt, type));
  };
  // A value of another type than the schema wants is told of once: what else the schema says of it is beside the point (D51).
  return (cxt, type) => {
    const wanted = dataTypes().getSchemaTypes(cxt.parentSchema);
    const isSure = wanted.length === 0 || (kinds.length > 0 && kinds.every((kind) => wanted.includes(kind)));
    if (isSure) return priced(cxt, type);
    const isOther = dataTypes().checkDataTypes(wanted, cxt.it.data, cxt.it.opts.strictNumbers, wrong);
    cxt.gen.if(_`!(${isOther})`, () => cxt.gen.block(() => priced(cxt, type)));
  };
}

type Summary = (cxt: KeywordCxt, report: () => void) => void;

const always: Summary = (_cxt, report) => report();
const onlyAlone: Summary = ({ gen, errsCount }, report) => void gen.if(_`${errorCount()} === ${errsCount ?? 0}`, report);

const summaries: { readonly [keyword: string]: Summary } = {
  anyOf: onlyAlone,
  if: onlyAlone,
  // More than one that fits is a problem of its own, and the others' problems are beside the point.
  oneOf: (cxt, report) => {
    const alone = (): void => {
      cxt.reset();
      report();
    };
    cxt.gen.if(_`${cxt.params["passing"] ?? null} !== null`, alone, () => onlyAlone(cxt, report));
  },
  contains: (cxt, report) => {
    if (cxt.parentSchema["maxContains"] === undefined) return onlyAlone(cxt, report);
    cxt.reset();
    report();
  },
  propertyNames: () => undefined,
};
