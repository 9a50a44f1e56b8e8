/** The optimisations: each may be taken out of the list without changing any decision, derived role or error. */
import type { DecisionTable } from "../table/table.ts";
import { foldConstantConditions } from "./fold-constant-conditions.ts";
import { shareConditions } from "./share-conditions.ts";

/** A pass of the optimiser. */
export type Pass = (table: DecisionTable) => DecisionTable;

/** In the order in which they run. */
export const passes: readonly Pass[] = [foldConstantConditions, shareConditions];

/** Runs every pass. */
export const optimize = (table: DecisionTable): DecisionTable => passes.reduce((before, pass) => pass(before), table);
