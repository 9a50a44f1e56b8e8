/** Logs and reports each outcome: that a set is in force, or why the last good one stays. */
import { maxFindings } from "./compile/commands.ts";
import type { Finding } from "./compile/compile-set.ts";
import type { GoodOutcome, Outcome } from "./compile/outcome.ts";
import { count } from "./count.ts";
import type { StoreEvent } from "./observe/events.ts";
import type { Log } from "./observe/log.ts";

/** Logs outcomes in order. */
export interface OutcomeLog {
  /** Called when a set is in force. */
  readonly loaded: (outcome: GoodOutcome) => void;
  /** Called when a set compiled but could not be loaded. */
  readonly notLoaded: (outcome: GoodOutcome, error: unknown) => void;
  /** Called for all other outcomes, after which the set in force stays. */
  readonly kept: (outcome: Exclude<Outcome, GoodOutcome>) => void;
  /** Called when the store is not followed any more, until the next set. */
  readonly unfollowed: () => void;
}

/** Opens it; the set in force is assumed to be that of the store. */
export function openOutcomeLog(log: Log, observe: (event: StoreEvent) => void): OutcomeLog {
  /** Whether the set in force differs from the store's contents. */
  let isApart = false;
  const failed = (outcome: { readonly compileMilliseconds?: number }): void => {
    isApart = true;
    observe({ kind: "failed", ...costOf(outcome) });
  };
  return {
    loaded: (outcome) => {
      const { policies, created, updated, deleted } = outcome;
      for (const warning of outcome.warnings) log.warn(fields(warning), sentence(warning));
      log.info({ "authz.policies": policies, "authz.policy_set": outcome.digest }, `policies loaded from ${count(policies, "file")}`);
      // An empty directory is a valid store, but also what is left when a volume is not mounted.
      if (policies === 0) log.warn("there are no policies: every check is denied");
      if (isApart) log.info("the policies are good again: what the store holds is in force");
      isApart = false;
      observe({ kind: "loaded", at: Date.now(), ...costOf(outcome), policies, created, updated, deleted });
    },
    notLoaded: (outcome, error) => {
      log.error({ err: error }, "the changed policies could not be loaded: the last good set keeps answering");
      failed(outcome);
    },
    kept: (outcome) => {
      switch (outcome.kind) {
        case "broken":
          if (outcome.passed === true) return observe({ kind: "passed", ...costOf(outcome) });
          if (outcome.findings.length === 0) return failed(outcome); // the same errors as before
          for (const finding of outcome.findings.slice(0, maxFindings))
            log[finding.severity === "error" ? "error" : "warn"](fields(finding), sentence(finding));
          log.error(`${countErrors(outcome.findings)} in the changed policies: the last good set keeps answering`);
          return failed(outcome);
        case "unreachable":
          if (outcome.again !== true) log.error(`${outcome.message}: the last good set keeps answering`);
          return failed({});
        case "remark":
          log.warn(outcome.message);
      }
    },
    unfollowed: () => failed({}),
  };
}

/** Counts the errors among findings: `2 errors`. */
export const countErrors = (findings: readonly Finding[]): string =>
  count(findings.filter((finding) => finding.severity === "error").length, "error");

const costOf = ({ compileMilliseconds }: { readonly compileMilliseconds?: number }): { readonly compileMilliseconds?: number } =>
  compileMilliseconds === undefined ? {} : { compileMilliseconds };

function sentence(finding: Finding): string {
  return `${finding.place}: ${finding.message}${finding.hint === undefined ? "" : ` (${finding.hint})`}`;
}

function fields(finding: Finding): { readonly [name: string]: string } {
  return { "authz.diagnostic.code": finding.code, "authz.diagnostic.place": finding.place };
}
