/** The settings of a realm: what a server configures once for all checks, as JSON. */
import type { ConstantValue } from "../bundle.ts";
import { defaultStepLimit } from "../cel/step-limit.ts";
import type { Offset, Value } from "../cel/value.ts";
import { readConstant } from "../constant.ts";
import { defaultMaxValues } from "../wire/count-values.ts";
import { defaultRecordRules, type RecordRules } from "../wire/decisions.ts";

/** The settings of a realm. */
export interface Settings {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly globals: { readonly [name: string]: Value };
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly maxEvaluationSteps: number;
  /** The zone of `now()`, see `CheckOptions`. */
  readonly nowOffset: Offset;
  readonly schemaEnforcement: "none" | "warn" | "reject";
  readonly maxActionsPerResource: number;
  readonly maxResourcesPerRequest: number;
  readonly maxValuesPerRequest: number;
  /**
   * Whether to freeze requests before units see them, so that no unit could change its input even if the gate
   * admitted such a program. This costs several times as much as the rest of the boundary, so it is off for sets
   * compiled by this process.
   */
  readonly freezesRequests: boolean;
  /**
   * What follows the reply's text, for the host alone: nothing, the number of resources decided, or also the decision
   * record.
   */
  readonly tells: "nothing" | "resources" | "decisions";
  /** Which decisions are recorded, and how large a record may be. */
  readonly records: RecordRules;
}

/** Used until the server sets others (D18). */
export const defaultSettings: Settings = {
  defaultPolicyVersion: "default",
  defaultScope: "",
  globals: {},
  lenientScopeSearch: false,
  strictEvaluation: false,
  maxEvaluationSteps: defaultStepLimit,
  nowOffset: 0,
  schemaEnforcement: "none",
  maxActionsPerResource: 50,
  maxResourcesPerRequest: 50,
  maxValuesPerRequest: defaultMaxValues,
  freezesRequests: true,
  tells: "nothing",
  records: defaultRecordRules,
};

/** Parses settings; missing ones have their defaults. Globals are encoded as constants, because JSON has no integers. */
export function readSettings(text: string): Settings {
  const { globals = {}, ...said }: Partial<Omit<Settings, "globals">> & { readonly globals?: { readonly [name: string]: ConstantValue } } =
    JSON.parse(text);
  const values = Object.entries(globals).map(([name, constant]): readonly [string, Value] => [name, readConstant(constant)]);
  return { ...defaultSettings, ...said, globals: Object.fromEntries(values) };
}
