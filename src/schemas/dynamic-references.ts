/**
 * `$dynamicRef` and `$recursiveRef`, whose targets depend on the schemas that led to them. ajv never drops an anchor that it has
 * passed, and confuses the enclosing part with the document.
 */
import type { CodeKeywordDefinition, KeywordCxt, Name } from "ajv";
import type * as Reference from "ajv/dist/vocabularies/core/ref.js";
import { _, load } from "./ajv.ts";
import type { DynamicKeywords, SchemaDocument } from "./document.ts";
import { documentOf } from "./reference.ts";

/** In generated code, the dynamic anchors in scope: each name with the outermost document that has it. */
const anchors = (): Name => {
  const names: { readonly default: { readonly dynamicAnchors: Name } } = load("ajv/dist/compile/names.js");
  return names.default.dynamicAnchors;
};

/**
 * Replaces ajv's implementation: resolves to the outermost document in scope with such an anchor, or else to the document that contains
 * the reference.
 */
export const dynamicReferences: readonly CodeKeywordDefinition[] = ["$dynamicRef", "$recursiveRef"].map((keyword) => ({
  keyword,
  schemaType: "string",
  code: (cxt, type) => {
    const { gen, it } = cxt;
    const [document = "", anchor = ""] = String(cxt.schema).split("#");
    const { callRef }: typeof Reference = load("ajv/dist/vocabularies/core/ref.js");
    const outermost = gen.const("outermost", _`${anchors()}[${anchor}]`);
    const own = (): void => {
      const rule = it.self.RULES.all["$ref"];
      if (typeof rule !== "object" || !("code" in rule.definition)) throw new Error("every draft has `$ref`");
      const toDocument: KeywordCxt = Object.create(cxt, { schema: { value: document === "" ? "#" : document } });
      rule.definition.code(toDocument, type);
    };
    gen.if(outermost, () => callRef(cxt, outermost), own);
  },
}));

/** Makes a keyword drop the anchors of a document that it has referred to, because they do not apply to the keywords beside it. */
export function dropAnchors(cxt: KeywordCxt): void {
  const { gen, it, keyword } = cxt;
  const [apply, result] = [cxt.subschema.bind(cxt), cxt.result.bind(cxt)];
  const within = (run: () => void): void => {
    const before = gen.var("anchors");
    gen.code(_`${before} = ${anchors()}`);
    gen.code(_`${anchors()} = Object.assign({}, ${before})`);
    run();
    gen.code(_`${anchors()} = ${before}`);
  };
  cxt.subschema = (given, valid) => {
    const named = given.keyword === undefined ? given.schema : it.schema[given.keyword];
    const schema: unknown = given.schemaProp === undefined ? named : named[given.schemaProp];
    if (typeof schema !== "object" || schema === null || !["$dynamicAnchor", "$recursiveAnchor"].some((word) => word in schema))
      return apply(given, valid);
    let inner: ReturnType<typeof apply> | undefined;
    within(() => void (inner = apply(given, valid)));
    return inner ?? it;
  };
  if (!["$ref", "$dynamicRef", "$recursiveRef"].includes(keyword)) return;
  cxt.result = (condition, whenHolds, otherwise) => {
    const holds = gen.var("holds");
    within(() => void gen.code(_`${holds} = ${condition}`));
    result(holds, whenHolds, otherwise);
  };
}

/** Throws an error if a reference needs an anchor that ajv would not find. */
export function rejectUnresolvableAnchors(url: string, documents: readonly Pick<SchemaDocument, "dynamic">[]): void {
  const all = (of: (dynamic: DynamicKeywords) => readonly string[]): readonly string[] => documents.flatMap(({ dynamic }) => of(dynamic));
  const asked = new Set(all(({ references }) => references));
  const inner = all(({ innerAnchors }) => innerAnchors).find((name) => asked.has(name));
  if (inner !== undefined)
    throw new Error(
      `the anchor \`${inner === "" ? "$recursiveAnchor" : inner}\` stands in a part of a document, and references that go by where they are asked from do not find it there: put it at the top of a document of its own`,
    );
  const known = documents.flatMap(({ dynamic }) => dynamic.anchors).filter(({ name }) => asked.has(name));
  const shared = known.filter(({ name, of }) => known.some((other) => other.name === name && other.of !== of));
  const part = [url, ...all(({ parts }) => parts)].find(
    (reference) => /#./.test(reference) && shared.some(({ of }) => of === documentOf(reference)),
  );
  if (part !== undefined)
    throw new Error(
      `the reference \`${part}\` leads into a document with an anchor that another document has too, and \`$dynamicRef\` would not find it: refer to the whole document`,
    );
}
