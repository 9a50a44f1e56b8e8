/** The keyword `contains`, and tracking of the items that it has evaluated, for `unevaluatedItems` of draft 2020-12. */
import type { CodeKeywordDefinition, KeywordCxt, Name, SchemaCxt } from "ajv";
import { _, core } from "./ajv.ts";
import { closeItems, isNoted, noteItem, noteItems, openItems } from "./items.ts";

/** Replaces ajv's implementation, which does not report which items match, and confuses an empty list with the previous one. */
export const contains = (keepsItems: boolean): CodeKeywordDefinition => ({
  keyword: "contains",
  type: "array",
  schemaType: ["object", "boolean"],
  before: "uniqueItems",
  trackErrors: true,
  error: {
    message: "",
    params: ({ params: { min, max } }) => (max === undefined ? _`{minContains: ${min}}` : _`{minContains: ${min}, maxContains: ${max}}`),
  },
  code: (cxt) => {
    const { gen, data, it, parentSchema } = cxt;
    const { minContains: min = 1, maxContains: max } = it.opts.next === true ? parentSchema : {};
    if (min === 0 && max === undefined && !keepsItems) return;
    const count = gen.let("count", 0);
    const length = gen.const("length", _`${data}.length`);
    gen.forRange("i", 0, length, (index) => {
      const fits = gen.name("_valid");
      cxt.subschema({ keyword: "contains", dataProp: index, dataPropType: 0, compositeRule: true }, fits);
      gen.if(fits, () => {
        gen.code(_`${count}++`);
        if (keepsItems) gen.code(_`${trackingFunction(cxt, "noteItem")}(${index})`);
        else gen.if(max === undefined ? _`${count} >= ${min}` : _`${count} > ${max}`, () => gen.break());
      });
    });
    cxt.setParams({ min, max, count });
    const enough = _`${count} >= ${min}`;
    cxt.result(max === undefined ? enough : _`${enough} && ${count} <= ${max}`, () => cxt.reset());
  },
});

/**
 * Makes a keyword track evaluated items: each subschema that it applies has a set of its own, and what a subschema about the same list
 * evaluated is added to this one.
 */
export function trackItems(cxt: KeywordCxt): void {
  const { gen, keyword } = cxt;
  const [apply, merge, result] = [cxt.subschema.bind(cxt), cxt.mergeEvaluated.bind(cxt), cxt.result.bind(cxt)];
  const found = new Map<SchemaCxt, Name>();
  const open = (): unknown => gen.code(_`${trackingFunction(cxt, "openItems")}()`);
  const close = (): Name => {
    // Not declared as a constant, because ajv would drop it when it is not used.
    const items = gen.var("contained");
    gen.code(_`${items} = ${trackingFunction(cxt, "closeItems")}()`);
    return items;
  };
  const note = (items: Name | undefined): void =>
    void (items !== undefined && gen.code(_`${trackingFunction(cxt, "noteItems")}(${items})`));

  cxt.subschema = (given, valid) => {
    open();
    const inner = apply(given, valid);
    found.set(inner, close());
    return inner;
  };
  cxt.mergeEvaluated = (inner, toName) => {
    merge(inner, toName);
    note(found.get(inner));
  };
  if (keyword !== "$ref" && keyword !== "$dynamicRef") return;
  cxt.result = (condition, whenHolds, otherwise) => {
    open();
    const holds = gen.const("holds", condition);
    const items = close();
    const noting = (): void => {
      whenHolds?.();
      note(items);
    };
    result(holds, noting, otherwise);
  };
}

const trackingFunctions = { closeItems, isNoted, noteItem, noteItems, openItems } as const;

/** Returns the name of a tracking function in generated code. */
export const trackingFunction = ({ gen }: KeywordCxt, name: keyof typeof trackingFunctions): Name =>
  gen.scopeValue("func", { ref: trackingFunctions[name], code: _`own.${new (core().Name)(name)}` });
