/** `:load`, `:use`, `:rules`, `:exec` and `:check`: try policies on the current request. */
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { didYouMean } from "../../compiler/nearest.ts";
import { explain } from "../../compiler/reference/decide.ts";
import type { Reason } from "../../compiler/reference/reason.ts";
import { whyNotAllowed } from "../../compiler/reference/why-not-allowed.ts";
import { printLine, type Source } from "../../compiler/source.ts";
import { printCondition } from "../../compiler/table/print.ts";
import type { Output } from "../../runtime/decide/decision.ts";
import { count } from "../count.ts";
import { messageOf, isRefusal } from "../refusal.ts";
import { refuse, say, type Answer, type Command, type SessionHost } from "./answer.ts";
import { printColumns } from "./columns.ts";
import { oneLine } from "./annotated-tree.ts";
import { problemOf, type Part } from "./problem.ts";
import { printShort, printFull } from "./print-result.ts";
import { inputOf } from "./request.ts";
import { checkOptions } from "./activation.ts";
import { exportingSources, loadPolicies, type LoadedPolicy } from "./loaded-policies.ts";
import type { State } from "./state.ts";
import { explainRule } from "./explain-rule.ts";

async function load(part: Part, state: State, host: SessionHost): Promise<Answer> {
  if (part.text === "") return refuse(state, [problemOf(part, "write `:load FILE` or `:load FOLDER`")]);
  let found: readonly Source[];
  try {
    found = await host.readPolicies(part.text);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refuse(state, [problemOf(part, messageOf(error))]);
  }
  if (found.length === 0) return refuse(state, [problemOf(part, `there are no policies in \`${part.text}\``)]);
  const answer = addPolicies(found, [], state);
  // What a single file imports may be in the same directory; other files there are ignored.
  const isAlone = found.length === 1 && found[0]?.path === part.text;
  if (answer.problems.length === 0 || !isAlone) return answer;
  const beside = await host.readPolicies(folderOf(part.text)).catch(() => []);
  const again = addPolicies(found, exportingSources(beside.filter(({ path }) => path !== part.text)), state);
  return again.problems.length === 0 ? again : answer;
}

const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, Math.max(1, path.lastIndexOf("/"))) : ".");

/** Adds policies to the loaded ones; a file that was loaded before is replaced. A single policy is used at once. */
function addPolicies(found: readonly Source[], beside: readonly Source[], state: State): Answer {
  const paths = new Set(found.map(({ path }) => path));
  const sources = new Map([...beside, ...state.loaded.sources, ...found].map((source) => [source.path, source]));
  const { loaded, diagnostics } = loadPolicies([...sources.values()]);
  if (loaded === undefined) {
    const problems = diagnostics.map((diagnostic) => ({ message: diagnostic.message, printed: printDiagnostic(diagnostic) }));
    const imports = diagnostics.some(({ code }) => code === "unknown-import");
    const folder = {
      message: "load the folder",
      printed: "  = hint: load the folder that holds the file, so that what it imports is there too",
    };
    return refuse(state, imports ? [...problems, folder] : problems);
  }
  const added = [...loaded.policies.values()].filter(({ span }) => paths.has(span.source.path));
  const { used: _used, ...others } = state;
  const kept = state.used !== undefined && loaded.policies.has(state.used) ? { ...others, used: state.used } : others;
  const next = { ...kept, loaded };
  const said = [...diagnostics.map(printDiagnostic), `loaded ${count(added.length, "policy file")}`];
  const [only] = added;
  if (only !== undefined && added.length === 1) {
    const answer = useKey(only.key, next);
    return { ...answer, text: [...said, answer.text].join("\n") };
  }
  return say(next, [...said, listPolicies(next)].filter((text) => text !== "").join("\n"));
}

const listPolicies = ({ loaded, used }: State): string =>
  printColumns(
    Array.from(loaded.policies.values(), ({ key, span, rules }) => [
      key === used ? "*" : " ",
      key,
      count(rules.length, "rule"),
      printLine(span),
    ]),
  );

function use(part: Part, state: State): Answer {
  if (part.text === "") return say(state, state.loaded.policies.size === 0 ? "no policies are loaded" : listPolicies(state));
  if (part.text === "none") {
    const { used: _used, ...without } = state;
    return say(without, "V and C are empty");
  }
  if (state.loaded.policies.has(part.text)) return useKey(part.text, state);
  return refuse(state, [noPolicy(part, state)]);
}

const noPolicy = (part: Part, { loaded }: State) =>
  problemOf(
    part,
    `no policy \`${part.text}\``,
    loaded.policies.size === 0
      ? "`:load` a file or a folder first"
      : (didYouMean(part.text, loaded.policies.keys()).hint ?? "`:use` alone lists them"),
  );

function useKey(key: string, state: State): Answer {
  const { variables = [], constants = [] } = state.loaded.policies.get(key)?.definitions ?? {};
  const names = [...constants.map(({ name }) => `C.${name}`), ...variables.map(({ name }) => `V.${name}`)];
  return say({ ...state, used: key }, `using ${key}${names.length === 0 ? "" : `: ${names.join(", ")}`}`);
}

/** Returns the policy that a command names, or else the one in use. */
function policyFor(part: Part, state: State): LoadedPolicy | Answer {
  const key = part.text === "" ? state.used : part.text;
  const policy = state.loaded.policies.get(key ?? "");
  if (policy !== undefined) return policy;
  if (part.text !== "") return refuse(state, [noPolicy(part, state)]);
  const hint = state.loaded.policies.size === 0 ? "`:load` a policy first" : "`:use` one of those that `:use` lists";
  return refuse(state, [problemOf(part, "no policy is in use", hint)]);
}

function showRules(part: Part, state: State): Answer {
  const policy = policyFor(part, state);
  if ("problems" in policy) return policy;
  const { key, definitions, rules } = policy;
  return say(
    state,
    [
      key,
      printColumns(
        [
          ...definitions.constants.map(({ name, value }) => [`C.${name}`, `= ${printShort(value)}`]),
          ...definitions.variables.map(({ name, expression }) => [`V.${name}`, `= ${expression.text.trim()}`]),
        ],
        "  ",
      ),
      printColumns(
        rules.map(({ name, summary, condition }, at) => [
          `#${at + 1}`,
          name,
          summary,
          condition === undefined ? "" : `when ${printCondition(condition)}`,
        ]),
        "  ",
      ),
    ]
      .filter((text) => text !== "")
      .join("\n"),
  );
}

function execute(part: Part, state: State, host: SessionHost): Answer {
  const policy = policyFor({ ...part, text: "" }, state);
  if ("problems" in policy) return policy;
  const { rules } = policy;
  const wanted = part.text.replace(/^#/, "");
  const chosen = part.text === "" ? rules : rules.filter(({ name }, at) => wanted === String(at + 1) || part.text === name);
  if (chosen.length === 0) {
    const hint =
      didYouMean(
        part.text,
        rules.map(({ name }) => name),
      ).hint ?? `\`:rules\` lists ${count(rules.length, "rule")} by number and name`;
    return refuse(state, [problemOf(part, `no rule \`${part.text}\``, hint)]);
  }
  return say(state, chosen.map((rule) => explainRule(rule, state, host.now(), chosen.length === 1)).join("\n"));
}

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

const keys = (state: State): readonly string[] => [...state.loaded.policies.keys()];

/** The commands about policies. */
export const policyCommands: readonly Command[] = [
  {
    name: "load",
    form: "PATH",
    summary: "load a policy file, or every policy of a folder",
    examples: [["policies/expense.yaml", "loaded again, a file is replaced: edit, load, try"]],
    completion: "file",
    run: load,
  },
  {
    name: "use",
    form: "[POLICY]",
    summary: "let V and C hold what a policy defines; without a name, list the policies",
    examples: [
      ["resource.expense.vdefault", "conditions read here as they read in that policy"],
      ["none", "V and C are empty again"],
    ],
    completion: (state) => [...keys(state), "none"],
    run: use,
  },
  {
    name: "rules",
    form: "[POLICY]",
    summary: "list the rules of the policy in use, with their conditions",
    completion: keys,
    run: showRules,
  },
  {
    name: "exec",
    form: "[RULE]",
    summary: "say whether a rule's condition holds for the request, and why; without a rule, all of them",
    examples: [
      ["2", "the rule that `:rules` lists as #2"],
      ["manager-approves-small-amounts", "by name"],
    ],
    completion: (state) => state.loaded.policies.get(state.used ?? "")?.rules.map(({ name }) => name) ?? [],
    run: execute,
  },
  {
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
  },
];
