/** `:check`: decides the current request as a server would, and says why. */
import { explain } from "../../compiler/reference/decide.ts";
import type { Reason } from "../../compiler/reference/reason.ts";
import { aboutSchema, whyNotAllowed } from "../../compiler/reference/why-not-allowed.ts";
import type { Output } from "../../runtime/decide/decision.ts";
import { checkOptions } from "./activation.ts";
import { oneLine } from "./annotated-tree.ts";
import { refuse, say, type Answer, type Command, type SessionHost } from "./answer.ts";
import { printColumns } from "./columns.ts";
import { printFull } from "./print-result.ts";
import { problemOf, type Part } from "./problem.ts";
import { inputOf } from "./request.ts";
import type { State } from "./state.ts";

function check(part: Part, state: State, host: SessionHost): Answer {
  const actions = part.text === "" ? inputOf(state.request).actions : part.text.split(/[\s,]+/).filter((word) => word !== "");
  if (actions.length === 0) return refuse(state, [problemOf(part, "write `:check ACTION`", "the request names no actions itself")]);
  const input = inputOf(state.request, [...new Set(actions)]);
  const options = checkOptions(state, host.now());
  const decision = explain(state.loaded.set, input, options);
  const { roles } = input.principal;
  const isEmpty = state.loaded.policies.size === 0;
  const blocks = Array.from(decision.actions, ([action, { effect, matchedPolicy, matchedScope }]) => {
    const verdict = `${action}: ${effect} by ${matchedPolicy}${matchedScope === "" ? "" : ` in scope ${matchedScope}`}`;
    const rows = decision.reasons.filter((reason) => reason.action === action && !reason.outcome.startsWith("other")).map(printReason);
    const outputs = decision.outputs.filter((output) => output.action === action).map((output) => printOutput(output, host));
    const missing = isEmpty || roles.length === 0 ? [] : whyNotAllowed(state.loaded.set, input, options, action, decision);
    return [
      verdict,
      ...(rows.length === 0 ? [] : [printColumns(rows, "  ")]),
      ...outputs,
      ...missing.map((sentence) => `  = note: ${sentence}`),
    ].join("\n");
  });
  const notes = [
    ...(roles.length === 0 ? ["the principal has no roles, so no rule applies: `:let P.roles = [...]`"] : []),
    ...(isEmpty ? ["no policies are loaded"] : []),
    ...(options.schemas?.enforcement === "warn"
      ? decision.validationErrors.map((error) => `${aboutSchema(error)} (\`schema.enforcement: warn\` only reports it)`)
      : []),
  ];
  return say(state, [...blocks, ...notes.map((note) => `  = note: ${note}`)].join("\n"));
}

/** A role policy that decides as a whole has no rule. */
const printReason = ({ says, policy, rule, type, role, derivedRole, outcome, needsConsent, errors }: Reason): readonly string[] => [
  says === "none" ? "-" : says,
  `${policy}${rule === undefined ? "" : `#${rule}`}`,
  type === "principal" ? "" : `as ${derivedRole === undefined ? role : `${derivedRole} (${role})`}`,
  `${outcome}${needsConsent ? ", with the parents' consent" : ""}`,
  errors.map(({ message }) => message).join("; "),
];

const printOutput = ({ src, val, error }: Output, { width }: SessionHost): string => {
  const printed = error === undefined ? printFull(val ?? null, width).replaceAll("\n", "\n  ") : `error: ${oneLine(error)}`;
  return `  output of ${oneLine(src)}: ${printed}`;
};

/** The command. */
export const checkCommand: Command = {
  name: "check",
  form: "[ACTION ...]",
  summary: "decide the request as a server would, and say what each rule had to do with it",
  examples: [["approve", "roles and scopes count, not conditions alone"]],
  completion: ({ loaded: { set } }) => [
    ...new Set([
      ...set.resourcePolicies.flatMap(({ rules }) => rules.flatMap(({ actions }) => actions)),
      ...set.principalPolicies.flatMap(({ rules }) => rules.map(({ action }) => action)),
      ...set.rolePolicies.flatMap(({ rules }) => rules.flatMap(({ allowActions }) => allowActions)),
    ]),
  ],
  run: check,
};
