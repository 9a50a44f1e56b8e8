/** References to the schemas that attributes must satisfy. */
import { uniqueTexts } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { text } from "../yaml/scalar.ts";
import { required } from "../yaml/shape.ts";
import { notEmpty } from "./patterns.ts";

const reference = record({
  ref: required(text()),
  ignoreWhen: record({ actions: required(uniqueTexts(text(notEmpty))) }),
});

/** The schemas of a resource policy. */
export const schemasShape = record({ principalSchema: reference, resourceSchema: reference });
