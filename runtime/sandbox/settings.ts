/** What a server decides once and every check takes as given, as it comes into the realm: JSON. */
import type { ConstantValue } from "../bundle.ts";
import { usualMostSteps } from "../cel/most-steps.ts";
import type { Offset, Value } from "../cel/value.ts";
import { readConstant } from "../constant.ts";
import { usualMostValues } from "../wire/count-values.ts";
import { defaultRecordRules, type RecordRules } from "../wire/decisions.ts";

/** The settings of a realm. */
export interface Settings {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly globals: { readonly [name: string]: Value };
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly maxEvaluationSteps: number;
  /** Where `now()` is written, see `CheckOptions`. */
  readonly nowOffset: Offset;
  readonly schemaEnforcement: "none" | "warn" | "reject";
  readonly maxActionsPerResource: number;
  readonly maxResourcesPerRequest: number;
  readonly maxValuesPerRequest: number;
  /**
   * Requests are frozen before units see them: no unit could change what it was asked, even if the gate had let such a program in.
   * It costs as much as all the rest of the boundary several times over, so sets that this process has compiled go without.
   */
  readonly freezesRequests: boolean;
  /** What follows the reply's text, for the host alone: nothing, how many resources were decided, or also the decisions for the record. */
  readonly tells: "nothing" | "resources" | "decisions";
  /** Which decisions the host is told for the record, and how large they may be. */
  readonly records: RecordRules;
}

/** In force until the server says otherwise (D18). */
export const defaultSettings: Settings = {
  defaultPolicyVersion: "default",
  defaultScope: "",
  globals: {},
  lenientScopeSearch: false,
  strictEvaluation: false,
  maxEvaluationSteps: usualMostSteps,
  nowOffset: 0,
  schemaEnforcement: "none",
  maxActionsPerResource: 50,
  maxResourcesPerRequest: 50,
  maxValuesPerRequest: usualMostValues,
  freezesRequests: true,
  tells: "nothing",
  records: defaultRecordRules,
};

/** Reads settings; what is not said is as by default. Globals come as constants, because JSON has no integers. */
export function readSettings(text: string): Settings {
  const { globals = {}, ...said }: Partial<Omit<Settings, "globals">> & { readonly globals?: { readonly [name: string]: ConstantValue } } =
    JSON.parse(text);
  const values = Object.entries(globals).map(([name, constant]): readonly [string, Value] => [name, readConstant(constant)]);
  return { ...defaultSettings, ...said, globals: Object.fromEntries(values) };
}
