/** Plans the tests of each table of a suite, or reports everything that is wrong with them, ordered by position. */
import { inOrder, type Diagnostic } from "../../compiler/diagnostic.ts";
import type { Mistake } from "../../compiler/yaml/shape.ts";
import { expandTable, type Test } from "./matrix.ts";
import { duplicateTestNames, unknownGroupMembers } from "./suite-mistakes.ts";
import type { Fixtures, Suite, TestTable } from "./suite.ts";

/** The tests to run, or the problems. */
export type Plan =
  | { readonly kind: "plan"; readonly tables: readonly { readonly table: TestTable; readonly tests: readonly Test[] }[] }
  | { readonly kind: "wrong"; readonly problems: readonly Diagnostic[] };

/** Plans a suite; `fixtures` are its own merged over those of its directory. */
export function planSuite({ tables }: Suite, fixtures: Fixtures): Plan {
  const problems: Mistake[] = [...unknownGroupMembers(fixtures), ...duplicateTestNames(tables)];
  const planned = tables.flatMap((table) => {
    const matrix = expandTable(table, fixtures);
    if (matrix.kind === "tests") return { table, tests: matrix.tests };
    problems.push(...matrix.problems.map((problem) => ({ ...problem, message: `test \`${table.name}\`: ${problem.message}` })));
    return [];
  });
  if (problems.length === 0) return { kind: "plan", tables: planned };
  return { kind: "wrong", problems: inOrder(problems.map((problem) => ({ severity: "error" as const, ...problem }))) };
}
