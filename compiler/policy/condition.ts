/** Reads conditions: one expression, or all, any or none of several conditions. */
import type { Report } from "../diagnostic.ts";
import { mapPresent } from "../map-present.ts";
import { list, type ListValue } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { string } from "../yaml/scalar.ts";
import { required, type Place, type Placed, type Read, type Shape } from "../yaml/shape.ts";
import type { ConditionNode } from "./document.ts";
import { readExpression } from "./expression.ts";
import { misplacedInCondition } from "./misplaced-fields.ts";

interface Match {
  readonly fields: {
    readonly expr?: Placed<string>;
    readonly all?: MatchList;
    readonly any?: MatchList;
    readonly none?: MatchList;
  };
  readonly place: Place;
}

interface MatchList {
  readonly fields: { readonly of?: ListValue<Match> };
  readonly place: Place;
}

// A match contains matches, so its shape is resolved only while reading.
const nested: Shape<Match> = {
  isEmpty: () => false,
  form: { kind: "within", name: "match", shape: () => match },
  read: (place, report) => match.read(place, report),
};
const matches: Shape<MatchList> = record({ of: required(list(nested)) });
const match: Shape<Match> = record(
  { expr: string(), all: matches, any: matches, none: matches },
  { description: "what must match", fields: ["expr", "all", "any", "none"] },
);

/** The shape of a condition. */
export const conditionShape = record(
  { match, script: string() },
  { description: "when the condition holds", fields: ["match", "script"] },
  misplacedInCondition,
);

/** Builds a condition; parts that could not be read are left out. */
export function readCondition({ fields, place }: Read<typeof conditionShape>, report: Report): ConditionNode | undefined {
  if (fields.script !== undefined)
    report({
      code: "script-condition",
      severity: "error",
      span: place.at,
      focus: fields.script.place.at,
      path: place.path,
      message: "conditions cannot be scripts",
      hint: "write a CEL expression: `match: { expr: ... }`",
    });
  return fields.match && readMatch(fields.match, report);
}

function readMatch({ fields, place }: Match, report: Report): ConditionNode | undefined {
  if (fields.expr !== undefined) return { kind: "expression", expression: readExpression(fields.expr, report), span: place.node.span };
  for (const kind of ["all", "any", "none"] as const) {
    const group = fields[kind];
    if (group === undefined) continue;
    const of = mapPresent(group.fields.of?.items ?? [], (item) => readMatch(item, report));
    return { kind, of, span: place.node.span };
  }
  return undefined;
}
