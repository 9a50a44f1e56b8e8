/**
 * The optimisation passes. Each may be removed from the list without changing any decision, derived role, output or
 * error.
 */
import { invariant } from "../../runtime/cel/error.ts";
import type { DecisionTable, UnitTable } from "../table/table.ts";
import { foldConstantConditions } from "./fold-constant-conditions.ts";
import { shareConditions } from "./share-conditions.ts";

/** A pass of the optimiser. */
export type Pass = (table: DecisionTable) => DecisionTable;

/** In the order in which they run. */
export const passes: readonly Pass[] = [foldConstantConditions, shareConditions];

/** Runs every pass. */
export const optimize = (table: DecisionTable): DecisionTable => passes.reduce((before, pass) => pass(before), table);

/** Runs every pass over one unit. This gives the same, because no pass looks from one unit into another. */
export function optimizeUnit(unit: UnitTable): UnitTable {
  const [optimized] = optimize({ units: [unit] }).units;
  invariant(optimized !== undefined, "a pass keeps every unit");
  return optimized;
}
