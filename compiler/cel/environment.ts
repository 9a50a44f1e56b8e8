/** The environment of an expression: variables, fields of messages, functions, and type names. */
import type { FunctionRow } from "../../runtime/cel/declare.ts";
import { typeValues } from "../../runtime/cel/evaluate/names.ts";
import { functionRows, overloadsOf } from "../../runtime/cel/functions/index.ts";
import { dyn, listOf, mapOf, message, string, typeOf, type Type } from "../../runtime/cel/type.ts";
import { recordsByName } from "./records.ts";

/** The types of one overload: the part of a function row that the checker needs. */
export type Overload = Pick<FunctionRow, "id" | "receiver" | "parameters" | "result">;

/** What the checker asks about the names of an expression. */
export interface Environment {
  /** The namespace. Names are looked up in it and in its parents: in `a.b` first `a.b.x`, then `a.x`, then `x`. */
  readonly container: string;
  /** Returns the type of a variable or type name. */
  readonly variable: (name: string) => Type | undefined;
  /** Returns the type of a field; undefined if the message has no such field. */
  readonly field: (message: string, field: string) => Type | undefined;
  /** Returns the overloads of a function; empty if there is no such function. */
  readonly functions: (name: string) => readonly Overload[];
  /** All names, for "did you mean" hints. */
  readonly variableNames: readonly string[];
  readonly functionNames: readonly string[];
  readonly fieldNames: (message: string) => readonly string[];
}

/** The names that evaluate to a type. Not `dyn`, which is only a function. */
const typeNames: ReadonlyMap<string, Type> = new Map([...typeValues].map(([name, { type }]) => [name, typeOf(type)]));

const attributes = mapOf(string, dyn);
const strings = listOf(string);

/** A message without declared fields: each field is dyn. */
const open = "open";

/** The messages in the environment of a policy. Fields are listed in camel case; snake case is accepted too. */
const records = new Map<string, ReadonlyMap<string, Type> | typeof open>([
  [
    "request",
    new Map<string, Type>([
      ["principal", message("principal")],
      ["resource", message("resource")],
      ["auxData", message("auxData")],
    ]),
  ],
  [
    "principal",
    new Map<string, Type>([
      ["id", string],
      ["roles", strings],
      ["attr", attributes],
      ["policyVersion", string],
      ["scope", string],
    ]),
  ],
  [
    "resource",
    new Map<string, Type>([
      ["kind", string],
      ["id", string],
      ["attr", attributes],
      ["policyVersion", string],
      ["scope", string],
    ]),
  ],
  [
    "auxData",
    new Map<string, Type>([
      ["jwt", attributes],
      ["jwts", mapOf(string, message("claims"))],
    ]),
  ],
  ["claims", new Map<string, Type>([["claims", attributes]])],
  ["runtime", new Map<string, Type>([["effectiveDerivedRoles", strings]])],
  ["variables", open],
  ["constants", open],
  ["globals", open],
]);

const policyVariables: ReadonlyMap<string, Type> = new Map(Array.from(recordsByName, ([name, record]) => [name, message(record)]));

const camelCase = (field: string): string => field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function recordField(record: string, field: string): Type | undefined {
  const fields = records.get(record);
  if (fields === open) return dyn;
  // `policy_version` is accepted for `policyVersion`, but not `policy_Version` or `policyVersion_`.
  return fields?.get(field) ?? (/^[a-z]+(?:_[a-z]+)*$/.test(field) ? fields?.get(camelCase(field)) : undefined);
}

function recordFieldNames(record: string): readonly string[] {
  const fields = records.get(record);
  return fields === undefined || fields === open ? [] : [...fields.keys()];
}

const callable = (name: string): boolean => /^[A-Za-z]/.test(name);
const functionNames: readonly string[] = [...new Set(functionRows.map((row) => row.name))].filter(callable);

/** The environment of expressions in policies (semantics 5.1). */
export const policyEnvironment: Environment = {
  container: "",
  variable: (name) => policyVariables.get(name) ?? typeNames.get(name),
  field: recordField,
  functions: overloadsOf,
  variableNames: [...policyVariables.keys()],
  functionNames,
  fieldNames: recordFieldNames,
};

/** Additional declarations. */
export interface Declarations {
  readonly container?: string;
  readonly functions?: ReadonlyMap<string, readonly Overload[]>;
}

/** Returns an environment with the given variables, for tests and for expressions outside of policies. */
export function standardEnvironment(variables: ReadonlyMap<string, Type>, { container = "", functions }: Declarations = {}): Environment {
  return {
    ...policyEnvironment,
    container,
    variable: (name) => variables.get(name) ?? typeNames.get(name),
    field: () => undefined,
    functions: (name) => {
      const own = functions?.get(name);
      return own === undefined ? overloadsOf(name) : [...own, ...overloadsOf(name)];
    },
    variableNames: [...variables.keys()],
    functionNames: [...functionNames, ...(functions?.keys() ?? [])],
    fieldNames: () => [],
  };
}
