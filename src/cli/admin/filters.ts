/** The options that select policies by patterns; the server applies them. */
import type { Command } from "commander";

/** Adds the options. */
export const addFilterOptions = (command: Command): Command =>
  command
    .option("--name-regexp <pattern>", "only those whose name matches (RE2)")
    .option("--version-regexp <pattern>", "only those whose version matches (RE2)")
    .option("--scope-regexp <pattern>", "only those whose scope matches (RE2)")
    .option("--include-disabled", "include disabled policies");

/** The values of the options. */
export interface PolicyFilter {
  readonly nameRegexp?: string;
  readonly versionRegexp?: string;
  readonly scopeRegexp?: string;
  readonly includeDisabled?: boolean;
}

/** Picks the filter from all options of a command. */
export const filterOf = ({ nameRegexp = "", versionRegexp = "", scopeRegexp = "", includeDisabled = false }: PolicyFilter) => ({
  nameRegexp,
  versionRegexp,
  scopeRegexp,
  includeDisabled,
});
