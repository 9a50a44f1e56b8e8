/** Schema documents -> a function that finds what is wrong with a value. The one file that knows ajv. */
import { createRequire } from "node:module";
import { _, Ajv, Name, type CodeKeywordDefinition, type ErrorObject, type KeywordCxt, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft04 from "ajv-draft-04";
import { EvalError } from "../../runtime/cel/error.ts";
import { matchesPattern } from "../../runtime/cel/regex.ts";
import { tooMuchWork } from "../../runtime/cel/work.ts";
import { chargeFor, mostErrors, takeTurn, TooManyErrors } from "./account.ts";
import { isBase64, isKnownEncoding, isKnownMediaType, readContent } from "./content.ts";
import { defaultDialect, dialectOf, type Dialect } from "./dialects.ts";
import type { SchemaDocument } from "./document.ts";
import { firstRepetition, isMultiple } from "./equality.ts";
import { formats } from "./formats.ts";
import { wordError, type KeywordFinding, type SchemaError } from "./finding.ts";

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
  // Both packages describe their classes as what `require` returns; the classes are the same core.
  "04": (given) => new (draft04 as unknown as new (options: Options) => Ajv)(given),
  "06": (given) => new Ajv(given),
  "07": (given) => new Ajv(given),
  "2019-09": (given) => new Ajv2019(given),
  "2020-12": (given) => new Ajv2020(given),
};

/** Compiles the document at a URL with all that it refers to; throws an error that says why it cannot be used. */
export function compileSchema(url: string, documents: readonly SchemaDocument[], dialect: Dialect): Validate {
  const ajv = openAjv(
    dialect,
    documents.some((document) => document.references.some(isMetaSchema)),
  );
  for (const document of documents) {
    const problem = problemOf(document.schema, dialect);
    if (problem !== undefined) throw new Error(document.url === url.split("#")[0] ? problem : `${document.url}: ${problem}`);
    ajv.addSchema(document.schema as object, document.url); // checked: it is an object or a boolean
  }
  const validate = ajv.compile({ $ref: url });
  return (value) =>
    findingsOf(
      () => validate(value),
      () => validate.errors,
    ) ?? [];
}

type Errors = readonly ErrorObject[] | null | undefined;

/** What is found wrong, in words: the first of a great many errors; undefined where there is none. */
function findingsOf(isValid: () => boolean, errors: () => Errors): readonly KeywordFinding[] | undefined {
  const findings: KeywordFinding[] = [];
  try {
    if (isValid()) return undefined;
    addFindings(findings, errors());
  } catch (thrown) {
    if (!(thrown instanceof TooManyErrors)) throw thrown;
    addFindings(findings, thrown.errors);
  }
  return findings;
}

function addFindings(findings: KeywordFinding[], errors: Errors): void {
  for (const error of errors ?? []) {
    if (findings.length > mostErrors) return;
    findings.push(...wordError(toSchemaError(error)));
  }
}

/** Is this URL that of a draft itself, to which schemas of schemas refer? */
export const isMetaSchema = (url: string): boolean => dialectOf(url) !== undefined;

const toSchemaError = (error: ErrorObject): SchemaError => ({
  keyword: error.keyword,
  at: error.instancePath,
  params: error.params,
  data: error.data,
  ...(error.propertyName !== undefined && { propertyName: error.propertyName }),
});

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

function openAjv(dialect: Dialect, meta: boolean): Ajv {
  const ajv = classes[dialect]({ ...options, meta });
  if (dialect === "06" && meta) ajv.addMetaSchema(createRequire(import.meta.url)("ajv/dist/refs/json-schema-draft-06.json"));
  for (const definition of replaced) {
    const names = [definition.keyword].flat();
    if (!names.every((name) => Object.hasOwn(ajv.RULES.keywords, name))) continue; // the draft does not have it
    for (const name of names) ajv.removeKeyword(name);
    ajv.addKeyword({ ...definition });
  }
  for (const rule of Object.values(ajv.RULES.all)) {
    if (typeof rule === "object" && "code" in rule.definition) rule.definition.code = charged(rule.keyword, rule.definition);
  }
  return ajv;
}

/** RE2 decides, as in conditions: no pattern can be slow. */
function pattern(text: string): { readonly test: (value: string) => boolean; readonly toString: () => string } {
  const wrong = matchesPattern("", text);
  if (wrong instanceof EvalError) throw new Error(`the pattern \`${text.slice(0, 100)}\` cannot be used: ${wrong.message}`);
  return {
    test: (value) => {
      const found = matchesPattern(value, text);
      if (found instanceof EvalError) throw tooMuchWork; // the text is too long for it
      return found;
    },
    toString: () => text, // by which ajv tells patterns apart
  };
}

const errorCount = new Name("errors");
const errorList = new Name("vErrors");

type Code = CodeKeywordDefinition["code"];

/** Puts the price before a keyword, and leaves out an error that only sums up those of its parts. */
function charged(keyword: string, { code }: CodeKeywordDefinition): Code {
  return (cxt, type) => {
    const charge = cxt.gen.scopeValue("func", { ref: chargeFor(keyword, cxt.schema), code: _`undefined` });
    const turn = cxt.gen.scopeValue("func", { ref: takeTurn, code: _`undefined` });
    const [apply, report] = [cxt.subschema.bind(cxt), cxt.error.bind(cxt)];
    const summary = summaries[keyword] ?? always;
    cxt.gen.code(_`${charge}(${cxt.data})`);
    cxt.subschema = (...given) => {
      cxt.gen.code(_`${turn}(${errorList})`);
      return apply(...given);
    };
    cxt.error = (...given) => {
      cxt.gen.code(_`${turn}(${errorList})`);
      summary(cxt, () => report(...given));
    };
    code(cxt, type);
  };
}

type Summary = (cxt: KeywordCxt, report: () => void) => void;

const always: Summary = (_cxt, report) => report();
const onlyAlone: Summary = ({ gen, errsCount }, report) => void gen.if(_`${errorCount} === ${errsCount ?? 0}`, report);

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

const isOwn = (object: object, name: string): boolean => Object.hasOwn(object, name);

/** Keywords of ours in place of ajv's. */
const replaced: readonly CodeKeywordDefinition[] = [
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "", params: ({ params }) => _`{pair: ${params["pair"]}}` },
    code: (cxt) => {
      if (cxt.schema !== true) return;
      const find = cxt.gen.scopeValue("func", { ref: firstRepetition, code: _`undefined` });
      const pair = cxt.gen.const("pair", _`${find}(${cxt.data})`);
      cxt.setParams({ pair });
      cxt.fail(_`${pair} !== undefined`);
    },
  },
  {
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    error: { message: "", params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
    code: (cxt) => {
      const test = cxt.gen.scopeValue("func", { ref: isMultiple, code: _`undefined` });
      cxt.fail(_`!${test}(${cxt.data}, ${cxt.schemaCode})`);
    },
  },
  {
    keyword: "contentEncoding",
    type: "string",
    code: (cxt) => {
      if (!isKnownEncoding(cxt.schema)) return;
      const test = cxt.gen.scopeValue("func", { ref: isBase64, code: _`undefined` });
      cxt.fail(_`!${test}(${cxt.data})`);
    },
  },
  {
    keyword: "contentMediaType",
    type: "string",
    code: (cxt) => {
      if (!isKnownMediaType(cxt.schema)) return;
      const { gen, data, parentSchema, it } = cxt;
      const read = gen.scopeValue("func", { ref: readContent, code: _`undefined` });
      const content = gen.const("content", _`${read}(${data}, ${parentSchema["contentEncoding"] ?? null})`);
      cxt.fail(_`${content}.kind === "bad media type"`);
      if (parentSchema["contentSchema"] === undefined || !it.opts.next) return;
      gen.if(_`${content}.kind === "json"`, () => {
        const value = gen.const("value", _`${content}.value`);
        cxt.subschema({ keyword: "contentSchema", data: value }, gen.name("valid"));
      });
    },
  },
  {
    keyword: "unevaluatedProperties",
    type: "object",
    schemaType: ["boolean", "object"],
    trackErrors: true,
    error: { message: "", params: ({ params }) => _`{unevaluatedProperty: ${params["name"]}}` },
    // As ajv has it, but what was evaluated is asked for by own names only: `constructor` is no member of an empty object.
    code: (cxt) => {
      const { gen, data, it, schema } = cxt;
      const known = it.props;
      if (known === true || schema === true) return;
      const own = gen.scopeValue("func", { ref: isOwn, code: _`undefined` });
      const each = (name: Name): void => {
        cxt.setParams({ name });
        if (schema === false) cxt.error();
        else cxt.subschema({ keyword: "unevaluatedProperties", dataProp: name, dataPropType: 0 }, gen.name("valid"));
      };
      gen.forIn("name", data, (name) => {
        if (known === undefined) return each(name);
        if (known instanceof Name) return void gen.if(_`${known} !== true && !(${known} && ${own}(${known}, ${name}))`, () => each(name));
        const names = gen.scopeValue("obj", { ref: new Set(Object.keys(known)), code: _`undefined` });
        gen.if(_`!${names}.has(${name})`, () => each(name));
      });
      it.props = true;
    },
  },
];
