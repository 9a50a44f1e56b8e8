/** `:load`, `:use`, `:rules` and `:exec`: load policies, and try their rules on the current request. */
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import { didYouMean } from "../../compiler/nearest.ts";
import { printLine, type Source } from "../../compiler/source.ts";
import { printCondition } from "../../compiler/table/print.ts";
import { count } from "../count.ts";
import { messageOf, isRefusal } from "../refusal.ts";
import { noPolicyFiles, refuse, say, type Answer, type Command, type PolicyFiles, type SessionHost } from "./answer.ts";
import { printColumns } from "./columns.ts";
import { problemOf, type Part } from "./problem.ts";
import { printShort } from "./print-result.ts";
import { exportingSources, loadPolicies, referencedSchemas, type LoadedPolicy } from "./loaded-policies.ts";
import type { State } from "./state.ts";
import { explainRule } from "./explain-rule.ts";

async function load(part: Part, state: State, host: SessionHost): Promise<Answer> {
  if (part.text === "") return refuse(state, [problemOf(part, "write `:load FILE` or `:load FOLDER`")]);
  let found: PolicyFiles;
  try {
    found = await host.readPolicies(part.text);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refuse(state, [problemOf(part, messageOf(error))]);
  }
  const { policies, folder } = found;
  if (policies.length === 0) return refuse(state, [problemOf(part, `there are no policies in \`${part.text}\``)]);
  const answer = addPolicies(policies, [], state);
  if (answer.problems.length === 0 || folder === undefined) return withSchemas(answer, found, host);
  // What a single file imports may be in the same directory; other files there are ignored.
  const beside = await host.readPolicies(folder).catch(() => noPolicyFiles);
  const others = beside.policies.filter(({ path }) => path !== policies[0]?.path);
  const again = addPolicies(policies, exportingSources(others), state);
  return again.problems.length === 0 ? withSchemas(again, found, host) : answer;
}

/** Adds schemas to the loaded ones, and opens those that policies refer to: no check waits for them then. */
async function withSchemas(answer: Answer, { schemas: found, store }: PolicyFiles, host: SessionHost): Promise<Answer> {
  const { loaded } = answer.state;
  if (answer.problems.length > 0 || host.openSchemas === undefined) return answer;
  // A file alone brings none: those of the folder it belongs to are read, and nothing else of that.
  const around = store === undefined ? found : (await host.readPolicies(store).catch(() => noPolicyFiles)).schemas;
  const schemaFiles = new Map([...loaded.schemaFiles, ...around]);
  const schemas = await host.openSchemas(referencedSchemas(loaded.set), schemaFiles);
  return { ...answer, state: { ...answer.state, loaded: { ...loaded, schemaFiles, schemas } } };
}

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
  const next = { ...kept, loaded: { ...loaded, schemaFiles: state.loaded.schemaFiles } };
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

const keys = (state: State): readonly string[] => [...state.loaded.policies.keys()];

/** The commands. */
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
];
