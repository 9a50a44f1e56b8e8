/**
 * The keywords `unevaluatedProperties` and `unevaluatedItems`, and tracking of what other keywords have evaluated, which ajv
 * overestimates.
 */
import type { CodeKeywordDefinition, KeywordCxt, Name } from "ajv";
import { _, core, util } from "./ajv.ts";
import { trackingFunction } from "./contains.ts";
import { isOwn } from "./equality.ts";

const isName = (known: unknown): known is Name => known instanceof core().Name;

/** Generates the code of a keyword, with corrected tracking of what it has evaluated. */
export function trackEvaluated(keyword: string, cxt: KeywordCxt, write: () => void): void {
  if (cxt.it.opts.unevaluated === true && Object.hasOwn(corrections, keyword)) corrections[keyword]?.(cxt, write);
  else write();
}

type Correction = (cxt: KeywordCxt, write: () => void) => void;

/**
 * Declares the variables for evaluated properties and items before the subschemas, because only one of them may apply; in a loop, they
 * are reset for each item.
 */
const named: Correction = (cxt, write) => {
  nameProperties(cxt);
  const { gen, it } = cxt;
  if (it.items !== true && !isName(it.items)) it.items = gen.var("items", it.items ?? 0);
  write();
};

/** The same for keywords about objects only, where items are not tracked. */
const namedOfObjects: Correction = (cxt, write) => {
  nameProperties(cxt);
  const { items } = cxt.it;
  write();
  Object.assign(cxt.it, { items });
};

const nameProperties = ({ gen, it }: KeywordCxt): void => {
  if (it.props !== true && !isName(it.props)) it.props = util().evaluatedPropsToName(gen, it.props);
};

/** What the condition has evaluated counts if it holds, even without `then` or `else`. */
const conditional: Correction = (cxt, write) =>
  named(cxt, () => {
    const { gen, it, parentSchema } = cxt;
    const follows = ["then", "else"].some((word) => word in parentSchema && util().alwaysValidSchema(it, parentSchema[word]) !== true);
    if (!follows) {
      const holds = gen.name("_valid");
      const schema = cxt.subschema({ keyword: "if", compositeRule: true, createErrors: false, allErrors: false }, holds);
      cxt.reset();
      cxt.mergeValidEvaluated(schema, holds);
      return;
    }
    const [subschema, merge] = [cxt.subschema.bind(cxt), cxt.mergeEvaluated.bind(cxt)];
    let holds: Name | undefined;
    cxt.subschema = (applied, valid) => subschema(applied, (holds = valid));
    cxt.mergeEvaluated = (schema, toName) => {
      if (toName !== undefined || holds === undefined) merge(schema, toName);
      else gen.if(holds, () => merge(schema, core().Name));
    };
    write();
  });

/** Tracks names in a separate set, because an earlier keyword may have marked all as evaluated. */
const noted: Correction = ({ gen, it }, write) => {
  const before = it.props;
  if (!isName(before)) return write();
  it.props = {};
  write();
  const own: unknown = it.props; // assigned by the generated code
  it.props = before;
  if (own === true) it.props = true;
  else if (isName(own)) gen.if(_`${before} !== true`, () => gen.assign(before, _`Object.assign(${before} || {}, ${own})`));
};

const corrections: { readonly [keyword: string]: Correction } = {
  anyOf: named,
  dependencies: namedOfObjects,
  dependentSchemas: namedOfObjects,
  if: conditional,
  oneOf: named,
  patternProperties: noted,
};

/** Replacements for ajv's keywords; `keepsItems` tells whether `contains` is tracked. */
export const unevaluated = (keepsItems: boolean): readonly CodeKeywordDefinition[] => [
  {
    keyword: "unevaluatedItems",
    type: "array",
    schemaType: ["boolean", "object"],
    error: { message: "", params: ({ params }) => _`{limit: ${params["first"]}}` },
    // As in ajv, except that whether all items are evaluated may be known only at run time.
    code: (cxt) => {
      const { gen, data, it, schema } = cxt;
      const known = it.items;
      it.items = true;
      if (known === true || schema === true) return;
      const first = gen.const("first", isName(known) ? _`${known} === true ? ${data}.length : ${known} || 0` : (known ?? 0));
      const length = gen.const("length", _`${data}.length`);
      cxt.setParams({ first });
      if (schema === false && !keepsItems) return cxt.fail(_`${length} > ${first}`);
      gen.forRange("i", first, length, (index) => {
        const ask = (): unknown => cxt.subschema({ keyword: "unevaluatedItems", dataProp: index, dataPropType: 0 }, gen.name("valid"));
        if (keepsItems) gen.if(_`!${trackingFunction(cxt, "isNoted")}(${index})`, ask);
        else ask();
      });
    },
  },
  {
    keyword: "unevaluatedProperties",
    type: "object",
    schemaType: ["boolean", "object"],
    trackErrors: true,
    error: { message: "", params: ({ params }) => _`{unevaluatedProperty: ${params["name"]}}` },
    // As in ajv, except that only own properties count: an empty object has no property `constructor`.
    code: (cxt) => {
      const { gen, data, it, schema } = cxt;
      const known = it.props;
      it.props = true;
      if (known === true || schema === true) return;
      const own = gen.scopeValue("func", { ref: isOwn, code: _`own.isOwn` });
      const each = (name: Name): void => {
        cxt.setParams({ name });
        if (schema === false) cxt.error();
        else cxt.subschema({ keyword: "unevaluatedProperties", dataProp: name, dataPropType: 1 }, gen.name("valid"));
      };
      gen.forIn("name", data, (name) => {
        if (known === undefined) return each(name);
        if (isName(known)) return void gen.if(_`${known} !== true && !(${known} && ${own}(${known}, ${name}))`, () => each(name));
        const names = gen.scopeValue("obj", {
          ref: new Set(Object.keys(known)),
          code: _`new Set(${core().stringify(Object.keys(known))})`,
        });
        gen.if(_`!${names}.has(${name})`, () => each(name));
      });
    },
  },
];
