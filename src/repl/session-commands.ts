/** `:vars`, `:request`, `:resource`, `:now` and `:reset`: show and select parts of the session. */
import { visible } from "../../compiler/print-diagnostics.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { typeName, typeOfValue } from "../../runtime/cel/kind.ts";
import type { Json } from "../../runtime/cel/to-json.ts";
import { printType } from "../../runtime/cel/type.ts";
import { Timestamp, type Value } from "../../runtime/cel/value.ts";
import { refuse, say, type Answer, type Command, type SessionHost } from "./answer.ts";
import { areProblems, evaluateExpression } from "./expression.ts";
import { printColumns } from "./columns.ts";
import { printShort } from "./print-result.ts";
import { problemOf, type Part } from "./problem.ts";
import { activationOf } from "./activation.ts";
import { toView } from "./request.ts";
import type { State } from "./state.ts";

function showVariables(_part: Part, state: State, host: SessionHost): Answer {
  const activation = activationOf(state, host.now());
  const rows: (readonly string[])[] = [];
  const add = (name: string, value: Value, type: string): void => void rows.push([name, `= ${printShort(value)}`, type]);
  for (const record of ["P", "R"]) {
    const value = activation.bindings(record);
    if (value !== undefined && !(value instanceof EvalError)) add(record, value, typeName(typeOfValue(value)));
  }
  if (state.request.auxData !== undefined) add("request.auxData", state.request.auxData, "auxData");
  add("runtime.effectiveDerivedRoles", activation.derivedRoles, "list(string)");
  for (const [letter, values] of [
    ["C", activation.constants],
    ["V", activation.variables],
    ["G", state.globals],
  ] as const)
    for (const [name, value] of values) add(`${letter}.${name}`, value, typeName(typeOfValue(value)));
  for (const [name, error] of activation.variableErrors) rows.push([`V.${name}`, `has no value: ${error.message}`]);
  for (const [name, { value, type }] of state.names) add(name, value, printType(type));
  return say(state, printColumns(rows));
}

/** Prints the request as JSON, for a file to pass to `--request`. */
const showRequest = (_part: Part, state: State): Answer => {
  const { resource, ...shared } = toView(state.request);
  const single = state.request.resources.length === 1;
  const json = JSON.stringify(single ? { ...shared, resource } : { ...shared, resources: state.request.resources }, undefined, 2);
  // Characters that are unsafe for a terminal are escaped, which does not change the JSON.
  return say(
    state,
    json.replaceAll(invisibleCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
};

const invisibleCharacters = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function selectResource(part: Part, state: State): Answer {
  const { resources, at } = state.request;
  if (part.text === "") {
    const rows = resources.map(({ resource, actions }, index) => [
      index === at ? "*" : " ",
      `${index + 1}`,
      textOf(resource["kind"]),
      textOf(resource["id"]),
      actions.join(", "),
    ]);
    return say(state, printColumns(rows));
  }
  const chosen = Number(part.text) - 1;
  if (!Number.isInteger(chosen) || chosen < 0 || chosen >= resources.length)
    return refuse(state, [
      problemOf(part, `no resource \`${part.text}\``, `there ${resources.length === 1 ? "is only 1" : `are 1 to ${resources.length}`}`),
    ]);
  const { kind, id } = resources[chosen]?.resource ?? {};
  return say(
    { ...state, request: { ...state.request, at: chosen } },
    `R is ${`${textOf(kind)} ${textOf(id)}`.trim() || "a resource without a kind"}`,
  );
}

const textOf = (json: Json | undefined): string => (typeof json === "string" ? visible(json) : "");

function setNow(part: Part, state: State, host: SessionHost): Answer {
  if (part.text === "") {
    const { now } = activationOf(state, host.now()).context;
    return say(state, printShort(now));
  }
  if (part.text === "real") {
    const { now: _now, ...without } = state;
    return say(without, "now() is the time of day");
  }
  const found = evaluateExpression(part.text.startsWith("timestamp") || !/^[0-9]/.test(part.text) ? part : quoted(part), state, host.now());
  if (areProblems(found)) return refuse(state, found);
  if (!(found.value instanceof Timestamp))
    return refuse(state, [problemOf(part, `\`${part.text}\` is not a timestamp`, "write `:now 2026-01-31T12:00:00Z`")]);
  return say({ ...state, now: found.value }, `now() is ${printShort(found.value)}`);
}

/** Wraps an instant such as `2026-01-31T12:00:00Z` into an expression. */
const quoted = (part: Part): Part => {
  const text = `timestamp(${JSON.stringify(part.text)})`;
  return { entry: { ...part.entry, source: { ...part.entry.source, text } }, text, start: 0 };
};

const reset = (_part: Part, state: State): Answer => {
  const initial = state.initial ?? state;
  return say({ ...initial, initial }, "everything is as it was at the start");
};

/** The commands that show and select. */
export const sessionCommands: readonly Command[] = [
  { name: "vars", form: "", summary: "show every name and its value", run: showVariables },
  { name: "request", form: "", summary: "show the request as JSON", run: showRequest },
  {
    name: "resource",
    form: "[NUMBER]",
    summary: "make another resource of the request `R`; without a number, list them",
    run: selectResource,
    completion: (state) => state.request.resources.map((_, at) => String(at + 1)),
  },
  {
    name: "now",
    form: "[TIME]",
    summary: "stop the clock that `now()` reads; `:now real` lets it go again",
    examples: [["2026-01-31T12:00:00Z", "conditions about time come to the same each time"]],
    completion: () => ["real"],
    run: setNow,
  },
  { name: "reset", form: "", summary: "forget what was named and changed since the start", run: reset },
];
