/** Emits the outputs of rows: a function for each output, and the statement that reports it. */
import type { CompiledExpression } from "../../runtime/decide/condition.ts";
import type { Row } from "../table/table.ts";
import { type Code, comment, js, newName } from "./code.ts";
import { expressions } from "./expression.ts";
import { shareReads } from "./forms/shared-reads.ts";
import { type PolicyDefinitions, arrow, openFrame } from "./context.ts";
import { type MatchCount, matchCountCode } from "./match-count.ts";
import type { UnitWriter } from "./unit-writer.ts";
import { rowName, rowPlace } from "./comments.ts";

/** The statements that report a row's output if its condition is met, or not met; empty if it has no such output. */
export interface EmittedOutputs {
  readonly met: (times: () => MatchCount) => readonly Code[];
  readonly notMet: (times: () => MatchCount) => readonly Code[];
}

/** No output. */
const silent = (): readonly Code[] => [];

/** Emits the outputs of a row. */
export function emitOutputs(
  row: Row,
  patterns: readonly string[],
  policy: number,
  definitions: PolicyDefinitions,
  unit: UnitWriter,
): EmittedOutputs {
  const { output } = row;
  if (output === undefined) return { met: silent, notMet: silent };
  const tell = (
    expression: CompiledExpression | undefined,
    verb: string,
    event: string,
  ): ((times: () => MatchCount) => readonly Code[]) => {
    if (expression === undefined) return silent;
    const name = newName(`${rowName(row, patterns)} ${verb}`);
    const frame = openFrame();
    const { tree, text } = expression;
    const { code } = expressions.value(tree, shareReads([tree], { ...unit.contextFor(definitions), frame }, expressions));
    const words = (): string => `${rowPlace(row)}, output when ${event}: ${text.trim()}`;
    unit.write(comment(words, row.span), js`const ${name} = ${arrow([js`q`], frame, code)};`);
    const index = unit.ask({ kind: "output", policy, expression });
    return (times) => [js`q.output(${index}, ${row.src}, action, ${name}, ${matchCountCode(times())});`];
  };
  return { met: tell(output.met, "tells", "ruleActivated"), notMet: tell(output.notMet, "else tells", "conditionNotMet") };
}

/** The expressions of a row's outputs. */
export const outputTrees = ({ output }: Row): readonly CompiledExpression["tree"][] =>
  [output?.met, output?.notMet].flatMap((expression) => (expression === undefined ? [] : [expression.tree]));
