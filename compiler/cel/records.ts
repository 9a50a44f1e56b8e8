/**
 * The records that every condition can refer to, and their names in CEL. `P` is the principal; `V` and `variables`
 * are the same record.
 */

/** A record of a policy's environment. */
export type RecordName = "request" | "principal" | "resource" | "auxData" | "runtime" | "variables" | "constants" | "globals";

/** Name in a condition -> record. */
export const recordsByName: ReadonlyMap<string, RecordName> = new Map([
  ["request", "request"],
  ["P", "principal"],
  ["R", "resource"],
  ["runtime", "runtime"],
  ["variables", "variables"],
  ["V", "variables"],
  ["constants", "constants"],
  ["C", "constants"],
  ["globals", "globals"],
  ["G", "globals"],
]);
