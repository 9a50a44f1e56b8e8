/** Reads outputs of a rule: expressions whose values are returned to the caller. */
import type { Report } from "../diagnostic.ts";
import { record } from "../yaml/record.ts";
import type { Placed, Read } from "../yaml/shape.ts";
import type { ExpressionNode, OutputNode } from "./document.ts";
import { expressionText, readExpression } from "./expression.ts";

/** The shape of an output. */
export const outputShape = record({
  expr: expressionText,
  when: record({ ruleActivated: expressionText, conditionNotMet: expressionText }),
});

/** Builds an output; one without expressions is an error. An empty expression counts as absent. */
export function readOutput({ fields, place }: Read<typeof outputShape>, report: Report): OutputNode {
  const read = (written: Placed<string> | undefined): ExpressionNode | undefined =>
    written === undefined || written.value === "" ? undefined : readExpression(written, report);
  const deprecated = read(fields.expr);
  const activated = read(fields.when?.fields.ruleActivated);
  const conditionNotMet = read(fields.when?.fields.conditionNotMet);
  const ruleActivated = activated ?? deprecated;
  if (ruleActivated === undefined && conditionNotMet === undefined)
    report({
      code: "empty-output",
      severity: "error",
      span: place.at,
      path: place.path,
      message: "an output needs an expression",
      hint: "give `when.ruleActivated` or `when.conditionNotMet`, or remove `output`",
    });
  return {
    span: place.node.span,
    path: place.path,
    ...(ruleActivated && { ruleActivated }),
    ...(conditionNotMet && { conditionNotMet }),
    ...(activated && deprecated && { unused: deprecated }),
  };
}
