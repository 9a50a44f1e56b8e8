/** Which conformance cases do not apply, and why: a decision (Dnn), or the work that will bring them. A row that matches nothing is an error. */
export interface NotApplicable {
  /** A case id, `*` standing for any run of characters. */
  readonly id: string;
  readonly because: string;
}

const policyLanguage = "comes with «The policy language, whole»";
const service = "comes with «The service, whole»";
const stores = "comes with «Stores, recompilation and administration»";
const policyTests = "comes with «Policies in CI»";
const wholeCel = "comes with «CEL, whole, exact and fast»";

export const notApplicable: readonly NotApplicable[] = [
  { id: "plan/*", because: "D60" },
  { id: "server/plan_resources/*", because: "D60" },
  { id: "server/authzen/*", because: "D60" },
  { id: "server/playground/*", because: "D60" },
  { id: "parser/wkt*", because: "D61" },
  { id: "engine/*", because: policyLanguage },
  { id: "schema/*", because: policyLanguage },
  { id: "auxdata/*", because: policyLanguage },
  { id: "verify/*", because: policyTests },
  { id: "inspect/*", because: stores },
  { id: "server/admin/*", because: service },
  { id: "server/checks/*", because: service },
  { id: "cel/none", because: wholeCel },
];
