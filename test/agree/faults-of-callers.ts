/** Faults of errors that are named once for one caller: who counts as one, and what is the caller's. */
import type { Fault } from "./plant.ts";

const file = "runtime/decide/caller-errors.ts";

export const faultsOfCallers: readonly Fault[] = [
  {
    says: "what reads the resource counts as the caller's",
    file,
    find: 'new Set(["P", "G", "globals"])',
    put: 'new Set(["P", "R", "G", "globals"])',
  },
  {
    says: "what reads the resource by its long name counts as the caller's",
    file,
    find: 'new Set(["principal", "auxData", "aux_data"])',
    put: 'new Set(["principal", "resource", "auxData", "aux_data"])',
  },
  {
    says: "what a macro goes through counts as the caller's",
    file,
    find: "such a name to something else.\n      return false;",
    put: "such a name to something else.\n      return true;",
  },
  {
    says: "a call of which one argument is the caller's is the caller's",
    file,
    find: "tree.args.every(readsCallerOnly)",
    put: "tree.args.some(readsCallerOnly)",
  },
  {
    says: "`&&` and `||` of which one term is the caller's are the caller's",
    file,
    find: "tree.terms.every(readsCallerOnly)",
    put: "tree.terms.some(readsCallerOnly)",
  },
];
