/** Validates the options that a program passes for its checks. */
import type { CheckOptions, SchemaEnforcement } from "../decide/input.ts";
import { isFields } from "./fields.ts";
import { checkScope, checkVersion } from "./forms.ts";
import { isHidden } from "./hidden.ts";
import { endWith, type Found, note, wordFor } from "./problems.ts";
import { openTaking, takeObject, type Taking } from "./snapshot.ts";
import type { CheckSettings } from "./types.ts";

/** The options of a check. `now` may be undefined: then the clock is read. */
export interface Settled extends Omit<CheckOptions, "now" | "nowOffset" | "clockRead"> {
  readonly now: number | undefined;
}

/** The defaults of a server without configuration. */
export const serverDefaults: Settled = {
  now: undefined,
  globals: {},
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  strictEvaluation: false,
  evaluationErrors: false,
  effectivePolicies: false,
};

type Check<T> = (value: unknown, at: string, taking: Taking) => T | undefined;

const flag: Check<boolean> = (value, at, taking) => {
  if (typeof value === "boolean") return value;
  note(taking, at, `must be true or false: ${wordFor(value)}`);
  return undefined;
};
const text =
  (check: (text: string, at: string, found: Found) => void): Check<string> =>
  (value, at, taking) => {
    if (typeof value === "string") {
      check(value, at, taking);
      return value;
    }
    note(taking, at, `must be a string: ${wordFor(value)}`);
    return undefined;
  };
const instant: Check<number> = (value, at, taking) => {
  // By tag, because a Date may come from another realm (a frame, a test context).
  const milliseconds = Object.prototype.toString.call(value) === "[object Date]" ? Number(value) : value;
  if (typeof milliseconds === "number" && Math.abs(milliseconds) <= lastInstant) return milliseconds;
  note(taking, at, `must be a date, or milliseconds since 1970: ${wordFor(value)}`);
  return undefined;
};
const values: Check<Settled["globals"]> = (value, at, taking) => takeObject(value, at, taking) ?? {};
const enforcement: Check<SchemaEnforcement> = (value, at, taking) => {
  if (isEnforcement(value)) return value;
  note(taking, at, 'must be { enforcement: "warn" or "reject", validate }');
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
export function settle(said: unknown, before: Settled, others: readonly string[] = []): Settled {
  if (said === undefined) return before;
  const taking = openTaking(true);
  let read: { [name: string]: unknown } | undefined;
  // Settings inside a list or a Map would be ignored.
  if (!isFields(said) || isHidden(said)) note(taking, "options", `must be an object: ${wordFor(said)}`);
  else
    for (const [name, value] of Object.entries(said)) {
      if (value === undefined || others.includes(name)) continue;
      if (isSetting(name)) (read ??= {})[name] = checks[name](value, name, taking);
      else note(taking, name, `is unknown: the options are ${[...Object.keys(checks), ...others].join(", ")}`);
    }
  endWith(taking, "OptionError", "the options cannot be used");
  if (read === undefined) return before;
  // A cast: each name was validated by its own check. Not by object spread, because a spread copy would get a hidden
  // class of its own.
  return Object.assign({}, before, read as Partial<Settled>);
}

const isSetting = (name: string): name is keyof CheckSettings => Object.hasOwn(checks, name);
