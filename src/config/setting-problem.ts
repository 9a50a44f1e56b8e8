/** Problems of settings against each other, before their positions are known. */
import type { Problem } from "./problem.ts";
import type { SettingKey } from "./settings.ts";

/** A problem, and the setting that it is reported at. */
export type SettingProblem = Omit<Problem, "place"> & { readonly at: SettingKey };

/** Returns an error at a setting. */
export const settingError = (at: SettingKey, message: string, hint?: string): SettingProblem => ({
  severity: "error",
  at,
  message,
  ...(hint !== undefined && { hint }),
});
