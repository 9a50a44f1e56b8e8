/** The records of a request, each taken as one value: `request`, `P`, `R`, `auxData`, `runtime`, `G`. */
import { EvalError } from "../cel/error.ts";
import { Message, type Value } from "../cel/value.ts";
import { policyBindings } from "./activation.ts";
import type { CheckInput } from "./input.ts";

/** What a record is called. */
export type RecordName = "request" | "principal" | "resource" | "auxData" | "runtime" | "globals";

/** Records, and the derived roles that `runtime` shows. */
export interface Records {
  readonly of: readonly string[];
  readonly get: (name: RecordName) => Value | undefined;
}

/** Only `runtime` changes from scope to scope; the other records stay the same values. */
export function openRecords(
  input: CheckInput,
  globals: { readonly [name: string]: Value },
  effectiveDerivedRoles: readonly string[],
  before: Records | undefined,
): Records {
  const bindings = policyBindings(input, { globals, constants: new Map(), variables: new Map(), effectiveDerivedRoles });
  const read = (name: string): Value | undefined => {
    const value = bindings(name);
    return value instanceof EvalError ? undefined : value;
  };
  const get = (name: RecordName): Value | undefined => {
    if (name === "runtime") return read("runtime");
    if (before !== undefined) return before.get(name);
    if (name !== "auxData") return read(bindingOf[name]);
    const request = read("request");
    return request instanceof Message ? request.get("auxData") : undefined;
  };
  return { of: effectiveDerivedRoles, get };
}

const bindingOf = { request: "request", principal: "P", resource: "R", globals: "G" } as const;
