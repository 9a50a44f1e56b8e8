/** The messages of a request as single values: `request`, `P`, `R`, `auxData`, `runtime`, `G`. */
import { EvalError } from "../cel/error.ts";
import { Message, type Value } from "../cel/value.ts";
import { policyBindings } from "./activation.ts";
import type { CheckInput } from "./input.ts";

/** The names of these messages. */
export type RecordName = "request" | "principal" | "resource" | "auxData" | "runtime" | "globals";

/** The messages, with the derived roles that `runtime` shows. */
export interface Records {
  /** The active derived roles. */
  readonly of: readonly string[];
  readonly get: (name: RecordName) => Value | undefined;
}

/** Only `runtime` changes from scope to scope; the other messages are taken from `before`. */
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
