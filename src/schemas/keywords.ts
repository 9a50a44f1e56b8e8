/** Replacements for keywords that ajv evaluates incorrectly or slowly. */
import type { CodeKeywordDefinition, KeywordCxt } from "ajv";
import { _ } from "./ajv.ts";
import { isBase64, isKnownEncoding, isKnownMediaType, readContent } from "./content.ts";
import { equal, firstRepetition, isMultiple, isOneOf } from "./equality.ts";

/**
 * Returns the value of a keyword as code, which its error contains too. In an object literal, a property `__proto__` would be the
 * prototype, so such values are parsed from JSON.
 */
function setConstant(cxt: KeywordCxt): KeywordCxt["schemaCode"] {
  const text = JSON.stringify(cxt.schema);
  const isLiteral = !text.includes("__proto__");
  const constant = isLiteral ? cxt.schemaCode : cxt.gen.scopeValue("obj", { ref: cxt.schema, code: _`JSON.parse(${text})` });
  cxt.setParams({ constant: _`${constant}` });
  return constant;
}

/** Replacements for ajv's implementations, whose comparison confuses own properties such as `constructor` with inherited ones. */
export const replacedKeywords: readonly CodeKeywordDefinition[] = [
  {
    keyword: "const",
    before: "not",
    error: { message: "", params: ({ params }) => _`{allowedValue: ${params["constant"]}}` },
    code: (cxt) => {
      const test = cxt.gen.scopeValue("func", { ref: equal, code: _`own.equal` });
      cxt.fail(_`!${test}(${cxt.data}, ${setConstant(cxt)})`);
    },
  },
  {
    keyword: "enum",
    before: "not",
    schemaType: "array",
    error: { message: "", params: ({ params }) => _`{allowedValues: ${params["constant"]}}` },
    code: (cxt) => {
      if (cxt.schema.length === 0) throw new Error("`enum` lists no value");
      const test = cxt.gen.scopeValue("func", { ref: isOneOf, code: _`own.isOneOf` });
      cxt.fail(_`!${test}(${cxt.data}, ${setConstant(cxt)})`);
    },
  },
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "", params: ({ params }) => _`{pair: ${params["pair"]}}` },
    code: (cxt) => {
      if (cxt.schema !== true) return;
      const find = cxt.gen.scopeValue("func", { ref: firstRepetition, code: _`own.firstRepetition` });
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
      const test = cxt.gen.scopeValue("func", { ref: isMultiple, code: _`own.isMultiple` });
      cxt.fail(_`!${test}(${cxt.data}, ${cxt.schemaCode})`);
    },
  },
  {
    keyword: "contentEncoding",
    type: "string",
    code: (cxt) => {
      if (!isKnownEncoding(cxt.schema)) return;
      const test = cxt.gen.scopeValue("func", { ref: isBase64, code: _`own.isBase64` });
      cxt.fail(_`!${test}(${cxt.data})`);
    },
  },
  {
    keyword: "contentMediaType",
    type: "string",
    code: (cxt) => {
      if (!isKnownMediaType(cxt.schema)) return;
      const { gen, data, parentSchema, it } = cxt;
      const read = gen.scopeValue("func", { ref: readContent, code: _`own.readContent` });
      const content = gen.const("content", _`${read}(${data}, ${parentSchema["contentEncoding"] ?? null})`);
      cxt.fail(_`${content}.kind === "bad media type"`);
      if (parentSchema["contentSchema"] === undefined || !it.opts.next) return;
      gen.if(_`${content}.kind === "json"`, () => {
        const value = gen.const("value", _`${content}.value`);
        cxt.subschema({ keyword: "contentSchema", data: value }, gen.name("valid"));
      });
    },
  },
];
