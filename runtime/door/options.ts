/** Validates the options that a program passes for its checks. */
import type { CheckOptions, SchemaEnforcement } from "../decide/input.ts";
import { isFields } from "./fields.ts";
import { checkScope, checkVersion } from "./forms.ts";
import { isHidden } from "./hidden.ts";
import { throwProblems, type ProblemList, addProblem, describeType } from "./problems.ts";
import { openCopyState, copyObject, type CopyState } from "./snapshot.ts";
import type { CheckSettings } from "./types.ts";

/** The options of a check. `now` may be undefined: then the clock is read. */
export interface ResolvedOptions extends Omit<CheckOptions, "now" | "nowOffset" | "clockRead"> {
  readonly now: number | undefined;
}

/** The defaults of a server without configuration. */
export const serverDefaults: ResolvedOptions = {
  now: undefined,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: false,
  effectivePolicies: false,
};

type Check<T> = (value: unknown, at: string, state: CopyState) => T | undefined;

const flag: Check<boolean> = (value, at, state) => {
  if (typeof value === "boolean") return value;
  addProblem(state, at, `must be true or false: ${describeType(value)}`);
  return undefined;
};
const text =
  (check: (text: string, at: string, found: ProblemList) => void): Check<string> =>
  (value, at, state) => {
    if (typeof value === "string") {
      check(value, at, state);
      return value;
    }
    addProblem(state, at, `must be a string: ${describeType(value)}`);
    return undefined;
  };
const instant: Check<number> = (value, at, state) => {
  // By tag, because a Date may come from another realm (a frame, a test context).
  const milliseconds = Object.prototype.toString.call(value) === "[object Date]" ? Number(value) : value;
  if (typeof milliseconds === "number" && Math.abs(milliseconds) <= lastInstant) return milliseconds;
  addProblem(state, at, `must be a date, or milliseconds since 1970: ${describeType(value)}`);
  return undefined;
};
const values: Check<ResolvedOptions["globals"]> = (value, at, state) => copyObject(value, at, state) ?? {};
const enforcement: Check<SchemaEnforcement> = (value, at, state) => {
  if (isEnforcement(value)) return value;
  addProblem(state, at, 'must be { enforcement: "warn" or "reject", validate }');
  return undefined;
};

const isEnforcement = (value: unknown): value is SchemaEnforcement =>
  typeof value === "object" &&
  value !== null &&
  "validate" in value &&
  typeof value.validate === "function" &&
  "enforcement" in value &&
  (value.enforcement === "warn" || value.enforcement === "reject");

/** The last instant of a Date, in milliseconds. */
const lastInstant = 8_640_000_000_000_000;

const checks: { readonly [name in keyof Required<CheckSettings>]: Check<unknown> } = {
  now: instant,
  globals: values,
  defaultPolicyVersion: text(checkVersion),
  defaultScope: text(checkScope),
  lenientScopeSearch: flag,
  strictEvaluation: flag,
  evaluationErrors: flag,
  effectivePolicies: flag,
  schemas: enforcement,
};

/**
 * Validates `said` and applies it over `before`; `others` are further names allowed, which the caller of this
 * function reads. Throws an `OptionError`.
 */
export function resolveOptions(said: unknown, before: ResolvedOptions, others: readonly string[] = []): ResolvedOptions {
  if (said === undefined) return before;
  const state = openCopyState(true);
  let read: { [name: string]: unknown } | undefined;
  // Settings inside a list or a Map would be ignored.
  if (!isFields(said) || isHidden(said)) addProblem(state, "options", `must be an object: ${describeType(said)}`);
  else
    for (const [name, value] of Object.entries(said)) {
      if (value === undefined || others.includes(name)) continue;
      if (isSetting(name)) (read ??= {})[name] = checks[name](value, name, state);
      else addProblem(state, name, `is unknown: the options are ${[...new Set([...Object.keys(checks), ...others])].join(", ")}`);
    }
  throwProblems(state, "OptionError", "the options cannot be used");
  if (read === undefined) return before;
  // A cast: each name was validated by its own check. Not by object spread, because a spread copy would get a hidden
  // class of its own.
  return Object.assign({}, before, read as Partial<ResolvedOptions>);
}

const isSetting = (name: string): name is keyof CheckSettings => Object.hasOwn(checks, name);
