/** `:let`: names a value, or changes the request, V, C, G or the derived roles. */
import { parse } from "../../compiler/cel/parse.ts";
import { policyEnvironment } from "../../compiler/cel/environment.ts";
import { recordsByName } from "../../compiler/cel/records.ts";
import { keywords, reservedWords } from "../../compiler/cel/keywords.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { isMap } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { toJson, type Json } from "../../runtime/cel/to-json.ts";
import { dyn, listOf, string } from "../../runtime/cel/type.ts";
import { Uint, type Value } from "../../runtime/cel/value.ts";
import { isJsonObject } from "../../runtime/wire/json.ts";
import { scanJson } from "../../runtime/wire/scan.ts";
import { refuse, type Answer, type Command, type SessionHost } from "./answer.ts";
import { areProblems, evaluateExpression } from "./expression.ts";
import { measure } from "./measure.ts";
import { problemOf, subrange, type Part, type Problem } from "./problem.ts";
import { printDefined } from "./print-result.ts";
import { fromView, isInvalid, toView } from "./request.ts";
import type { JsonMembers, State } from "./state.ts";

/** The path of each name within the request. */
const requestPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ["request", []],
  ["R", ["resource"]],
  ["P", ["principal"]],
]);

/** The command. */
export const letCommand: Command = {
  name: "let",
  form: "NAME = EXPRESSION",
  summary: "name a value; or change the request: `:let R.attr.amount = 5`, `:let P = {...}`",
  examples: [
    ["x = 12 * 60", "`x` is an int in every expression from here on; `_` is always the last result"],
    ["R.attr.amount = 250", "what a request carries is JSON: the number is a double"],
    ['P = {"id": "ann", "roles": ["manager"], "attr": {"team": "design"}}', "the whole principal"],
    ['request = {"principal": {"id": "ann"}, "resource": {"kind": "expense"}}', "the whole request"],
    ['request.auxData.jwt.aud = ["web"]', "a claim of the token"],
    ["V.isOwner = true", "a variable, in place of what the policy in use defines; also C (constants) and G (globals)"],
    ['runtime.effectiveDerivedRoles = ["owner"]', "the derived roles that conditions see"],
  ],
  multiline: true,
  completion: "expression",
  run: define,
};

function define(part: Part, state: State, host: SessionHost): Answer {
  // A quoted key may contain `=`.
  const equals = /^(?:[^="']|"[^"]*"|'[^']*')*/.exec(part.text)?.[0].length ?? 0;
  const isWhole = part.text[equals] === "=" && part.text.slice(0, equals).trim() !== "" && !/^=?\s*$/.test(part.text.slice(equals + 1));
  if (!isWhole || part.text[equals + 1] === "=") return refuse(state, [problemOf(part, "write `:let NAME = EXPRESSION`")]);
  const target = subrange(part, 0, equals);
  const given = subrange(part, equals + 1);
  const path = pathOf(parse(target.text).tree);
  const [root, ...steps] = path ?? [];
  if (root === undefined) {
    const why =
      keywords.has(target.text) || reservedWords.has(target.text) ? "cannot be a name: the word is reserved" : "cannot be given a value";
    return refuse(state, [problemOf(target, `\`${target.text}\` ${why}`, "write a name, or a path such as `R.attr.amount`")]);
  }

  const place = requestPaths.get(root);
  if (place !== undefined) return defineInRequest(target, given, [...place, ...steps], state, host);
  if (root === "runtime") return defineDerivedRoles(target, given, steps, state, host);
  const record = recordsByName.get(root);
  if (record === "variables" || record === "constants" || record === "globals")
    return defineInMap(target, given, record, steps, state, host);
  return defineName(target, given, [root, ...steps].join("."), state, host);
}

/** Returns the names and keys of a path such as `a.b["c"]`; undefined when it is none. */
function pathOf(tree: Expression | undefined): readonly string[] | undefined {
  if (tree?.kind === "identifier" && tree.absolute !== true) return [tree.name];
  if (tree?.kind === "select" && tree.test !== true && tree.optional !== true) return withStep(pathOf(tree.operand), tree.field);
  if (tree?.kind !== "call" || tree.function !== "_[_]") return undefined;
  const [operand, key] = tree.args;
  return key?.kind === "literal" && typeof key.value === "string" ? withStep(pathOf(operand), key.value) : undefined;
}

const withStep = (path: readonly string[] | undefined, step: string): readonly string[] | undefined => path && [...path, step];

function defineName(target: Part, given: Part, name: string, state: State, host: SessionHost): Answer {
  const why = whyNoName(target.text, name);
  if (why !== undefined) return refuse(state, [problemOf(target, `\`${target.text}\` cannot be a name: ${why}`)]);
  const found = evaluateExpression(given, state, host.now());
  if (areProblems(found)) return refuse(state, found);
  const { value, type } = found;
  return {
    state: { ...state, names: new Map([...state.names, [name, { value, type }]]) },
    text: printDefined(name, value, type, host),
    problems: [],
    result: { value, type },
  };
}

function whyNoName(written: string, name: string): string | undefined {
  if (!/^[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*$/.test(written)) return "a name has letters, digits and `_`";
  if (name === "_") return "it is the last result";
  const [first = ""] = name.split(".");
  if (keywords.has(name) || reservedWords.has(first)) return "the word is reserved";
  if (policyEnvironment.variable(name) !== undefined) return "it is a type";
  return undefined;
}

/** Parses JSON, or else evaluates an expression to JSON. */
function jsonOf(given: Part, state: State, host: SessionHost): { readonly json: Json } | readonly Problem[] {
  if (scanJson(given.text) === undefined) return { json: JSON.parse(given.text) };
  const found = evaluateExpression(given, state, host.now());
  if (areProblems(found)) return found;
  const inexact = measure(found.value).parts < 100_000 ? inexactInteger(found.value) : undefined;
  if (inexact !== undefined)
    return [
      problemOf(given, `${inexact} has no exact JSON number`, "numbers of a request are doubles; write it as a string, or as a double"),
    ];
  const json = toJson(found.value);
  return json instanceof EvalError ? [problemOf(given, json.message, "what a request carries is JSON")] : { json };
}

function inexactInteger(value: Value): bigint | undefined {
  const integer = value instanceof Uint ? value.value : value;
  if (typeof integer === "bigint") return integer <= exact && integer >= -exact ? undefined : integer;
  if (Array.isArray(value)) return firstOf(value);
  return isMap(value) ? firstOf(Array.from(mapEntries(value), ([, element]) => element)) : undefined;
}

const exact = BigInt(Number.MAX_SAFE_INTEGER);

function firstOf(values: readonly Value[]): bigint | undefined {
  for (const value of values) {
    const found = inexactInteger(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sets a value at a path in JSON; missing objects on the way are created. */
function withJson(json: Json | undefined, [step, ...steps]: readonly string[], datum: Json): Json {
  if (step === undefined) return datum;
  const members: JsonMembers = isJsonObject(json) ? json : {};
  const entries = Object.entries(members);
  if (!Object.hasOwn(members, step)) return Object.fromEntries([...entries, [step, withJson(undefined, steps, datum)]]);
  return Object.fromEntries(entries.map(([name, before]) => [name, name === step ? withJson(before, steps, datum) : before]));
}

function defineInRequest(target: Part, given: Part, path: readonly string[], state: State, host: SessionHost): Answer {
  const read = jsonOf(given, state, host);
  if (areProblems(read)) return refuse(state, read);
  const request = fromView(withJson(toView(state.request), path, read.json), state.request);
  if (isInvalid(request)) return refuse(state, [problemOf(target, request.message, request.hint)]);
  const next: State = { ...state, request };
  const found = evaluateExpression(target, next, host.now());
  // A field with its zero value counts as unset, and cannot be read back.
  const value = areProblems(found) ? null : found.value;
  return { state: next, text: printDefined(target.text, value, areProblems(found) ? dyn : found.type, host), problems: [] };
}

function defineDerivedRoles(target: Part, given: Part, steps: readonly string[], state: State, host: SessionHost): Answer {
  const read = jsonOf(given, state, host);
  if (areProblems(read)) return refuse(state, read);
  const field = steps.join(".");
  const roles = field === "" && isJsonObject(read.json) ? read.json["effectiveDerivedRoles"] : read.json;
  const isField = ["", "effectiveDerivedRoles", "effective_derived_roles"].includes(field);
  if (!isField || !Array.isArray(roles) || !roles.every((role) => typeof role === "string"))
    return refuse(state, [problemOf(target, "of `runtime`, only `effectiveDerivedRoles` can be set, to a list of strings")]);
  return {
    state: { ...state, derivedRoles: roles },
    text: printDefined("runtime.effectiveDerivedRoles", roles, listOf(string), host),
    problems: [],
  };
}

function defineInMap(
  target: Part,
  given: Part,
  map: "variables" | "constants" | "globals",
  [name, ...deeper]: readonly string[],
  state: State,
  host: SessionHost,
): Answer {
  if (deeper.length > 0) return refuse(state, [problemOf(target, `\`${target.text}\` cannot be set alone`, "set the whole of it")]);
  const read = map === "constants" ? jsonOf(given, state, host) : evaluateExpression(given, state, host.now());
  if (areProblems(read)) return refuse(state, read);
  const value: Value = "json" in read ? read.json : read.value;
  if (name !== undefined) {
    const next = { ...state, [map]: new Map([...state[map], [name, value]]) };
    return { state: next, text: printDefined(target.text, value, dyn, host), problems: [] };
  }
  if (!isMap(value)) return refuse(state, [problemOf(given, `\`${target.text}\` must be a map`)]);
  const entries = Array.from(mapEntries(value));
  const wrong = entries.find(([key]) => typeof key !== "string");
  if (wrong !== undefined) return refuse(state, [problemOf(given, `the keys of \`${target.text}\` must be strings`)]);
  const members = entries.flatMap(([key, element]) => (typeof key === "string" ? [[key, element] as const] : []));
  const next = { ...state, [map]: new Map(members) };
  return { state: next, text: printDefined(target.text, value, dyn, host), problems: [] };
}
