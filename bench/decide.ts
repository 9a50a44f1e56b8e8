/** How long does one decision take, in process, beside a hand-written JavaScript function of the same policy? */
import { readFileSync } from "node:fs";
import { compile } from "../compiler/index.ts";
import type { CheckInput, CheckOptions } from "../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../runtime/load.ts";
import { digest, time } from "./measure.ts";

const policies = ["expense.yaml", "expense_roles.yaml"].map((path) => ({
  path,
  text: readFileSync(`golden/tour/policies/${path}`, "utf8"),
}));
const { compiled } = compile(policies, { digest });
if (compiled === undefined) throw new Error("the tour's policies do not compile");
const evaluator = load(compiled.bundle, evaluateInThisRealm);

const options: CheckOptions = {
  now: 0,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: false,
  effectivePolicies: false,
};
const inputs: readonly CheckInput[] = [250, 80, 4000].map((amount, index) => ({
  principal: { id: "maria", roles: ["employee", "manager"], attr: { team: "design" } },
  resource: {
    kind: "expense",
    id: String(index),
    attr: { owner: index === 1 ? "maria" : "sam", team: "design", amount, status: amount > 1000 ? "PAID" : "OPEN" },
  },
  actions: ["approve"],
}));

/** The rules for `approve`, as somebody would write them without a policy language. */
function byHand({ principal, resource }: CheckInput): boolean {
  const attr = resource.attr ?? {};
  if (attr["owner"] === principal.id || attr["status"] === "PAID") return false;
  const amount = attr["amount"];
  return principal.roles.includes("manager") && typeof amount === "number" && amount < 1000 && attr["team"] === principal.attr?.["team"];
}

for (const input of inputs) {
  const [decision] = evaluator.check([input], options);
  const allowed = decision?.actions.get("approve")?.effect === "EFFECT_ALLOW";
  if (allowed !== byHand(input)) throw new Error(`the contestants disagree on ${JSON.stringify(input)}`);
}

let at = 0;
const next = (): CheckInput => inputs[at++ % inputs.length] as CheckInput;
const compiledTime = time("compiled policy", () => evaluator.check([next()], options));
const handTime = time("written by hand", () => byHand(next()));
console.log(`ratio ${(compiledTime / handTime).toFixed(1)}`);
