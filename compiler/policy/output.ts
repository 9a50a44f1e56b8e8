/** Outputs of a rule: expressions that tell the caller more than yes or no. */
import { record } from "../yaml/record.ts";
import { text } from "../yaml/scalar.ts";

/** The fields of an output. */
export const outputShape = record({
  expr: text(),
  when: record({ ruleActivated: text(), conditionNotMet: text() }),
});
