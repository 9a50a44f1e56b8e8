/** What a program says of its checks -> the options of a check. */
import type { CheckOptions, SchemaEnforcement } from "../decide/input.ts";
import { type Note, openProblems, wordFor } from "./problems.ts";
import { takeObject } from "./snapshot.ts";
import type { CheckSettings } from "./types.ts";

/** Options of a check, but for the instant, of which only whoever asks may know. */
export interface Settled extends Omit<CheckOptions, "now" | "clockRead"> {
  readonly now: number | undefined;
}

/** As a server is that nobody configured. */
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

type Check<T> = (value: unknown, at: string, note: Note) => T | undefined;

const flag: Check<boolean> = (value, at, note) => {
  if (typeof value === "boolean") return value;
  note(at, `must be true or false: ${wordFor(value)}`);
  return undefined;
};
const text: Check<string> = (value, at, note) => {
  if (typeof value === "string") return value;
  note(at, `must be a text: ${wordFor(value)}`);
  return undefined;
};
const instant: Check<number> = (value, at, note) => {
  const milliseconds = value instanceof Date ? value.getTime() : value;
  if (typeof milliseconds === "number" && Math.abs(milliseconds) <= lastInstant) return milliseconds;
  note(at, `must be a date, or milliseconds since 1970: ${wordFor(value)}`);
  return undefined;
};
const values: Check<Settled["globals"]> = (value, at, note) => takeObject(value, at, { note, integers: true, sees: () => undefined }) ?? {};
const enforcement: Check<SchemaEnforcement> = (value, at, note) => {
  if (isEnforcement(value)) return value;
  note(at, 'must be { enforcement: "warn" or "reject", validate: a function }');
  return undefined;
};

const isEnforcement = (value: unknown): value is SchemaEnforcement =>
  typeof value === "object" &&
  value !== null &&
  "validate" in value &&
  typeof value.validate === "function" &&
  "enforcement" in value &&
  (value.enforcement === "warn" || value.enforcement === "reject");

/** As far as dates go. */
const lastInstant = 8_640_000_000_000_000;

const checks: { readonly [name in keyof Required<CheckSettings>]: Check<unknown> } = {
  now: instant,
  globals: values,
  defaultPolicyVersion: text,
  defaultScope: text,
  lenientScopeSearch: flag,
  strictEvaluation: flag,
  evaluationErrors: flag,
  effectivePolicies: flag,
  schemas: enforcement,
};

/** Reads what is said, over what was said before; `others` are names that somebody else reads. */
export function settle(said: unknown, before: Settled, others: readonly string[] = []): Settled {
  if (said === undefined) return before;
  const { note, end } = openProblems("OptionError", "the options cannot be used");
  const read: { [name: string]: unknown } = {};
  if (typeof said !== "object" || said === null) note("options", `must be an object: ${wordFor(said)}`);
  else
    for (const [name, value] of Object.entries(said)) {
      if (value === undefined || others.includes(name)) continue;
      if (isSetting(name)) read[name] = checks[name](value, name, note);
      else note(name, `is not known here: there is ${[...Object.keys(checks), ...others].join(", ")}`);
    }
  end();
  // A true edge: each name was read by its own check.
  return { ...before, ...(read as Partial<Settled>) };
}

const isSetting = (name: string): name is keyof CheckSettings => Object.hasOwn(checks, name);
