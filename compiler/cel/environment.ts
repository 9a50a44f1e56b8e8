/** What an expression may refer to: variables, fields of records, functions, and the names of types. */
import type { FunctionRow } from "../../runtime/cel/declare.ts";
import { typeValues } from "../../runtime/cel/evaluate/names.ts";
import { functionRows, overloadsOf } from "../../runtime/cel/functions/index.ts";
import { dyn, listOf, mapOf, message, string, typeOf, type Type } from "../../runtime/cel/type.ts";
import { recordsByName } from "./records.ts";

/** The types of one way to call a function: what the checker needs of a row. */
export type Overload = Pick<FunctionRow, "id" | "receiver" | "parameters" | "result">;

/** What the checker asks about the names of an expression. */
export interface Environment {
  /** Names are looked up in this namespace and those around it first: `a.b` finds `a.b.x`, then `a.x`, then `x`. */
  readonly container: string;
  /** Returns the type of a variable or of the name of a type. */
  readonly variable: (name: string) => Type | undefined;
  /** Returns the type of a field of a record, or undefined when the record has no such field. */
  readonly field: (message: string, field: string) => Type | undefined;
  /** Returns the ways to call a function; none when there is no such function. */
  readonly functions: (name: string) => readonly Overload[];
  /** What there is to choose from, for "did you mean". */
  readonly variableNames: readonly string[];
  readonly functionNames: readonly string[];
  readonly fieldNames: (message: string) => readonly string[];
}

/** The names that evaluate to a type. `dyn` is not among them: it is a function only. */
const typeNames: ReadonlyMap<string, Type> = new Map([...typeValues].map(([name, { type }]) => [name, typeOf(type)]));

const attributes = mapOf(string, dyn);
const strings = listOf(string);

/** A record whose fields nobody declared: each is dyn. */
const open = "open";

/** The records of a policy's environment. A field of two words is listed once, in camel case; snake case is read too. */
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
  // `policy_version` is read as `policyVersion`, but `policy_Version` and `policyVersion_` are nothing.
  return fields?.get(field) ?? (/^[a-z]+(?:_[a-z]+)*$/.test(field) ? fields?.get(camelCase(field)) : undefined);
}

function recordFieldNames(record: string): readonly string[] {
  const fields = records.get(record);
  return fields === undefined || fields === open ? [] : [...fields.keys()];
}

const callable = (name: string): boolean => /^[A-Za-z]/.test(name);
const functionNames: readonly string[] = [...new Set(functionRows.map((row) => row.name))].filter(callable);

/** The environment of every expression in a policy (semantics 5.1). */
export const policyEnvironment: Environment = {
  container: "",
  variable: (name) => policyVariables.get(name) ?? typeNames.get(name),
  field: recordField,
  functions: overloadsOf,
  variableNames: [...policyVariables.keys()],
  functionNames,
  fieldNames: recordFieldNames,
};

/** Declarations of one's own on top of the functions and type names of CEL. */
export interface Declarations {
  readonly container?: string;
  readonly functions?: ReadonlyMap<string, readonly Overload[]>;
}

/** Returns an environment with the given variables: for tests, and for expressions that are not part of a policy. */
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
