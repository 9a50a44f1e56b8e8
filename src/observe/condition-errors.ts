/** Logs a sample of the errors in conditions (`engine.celErrorLogLevel`, D43): a help for policy authors, not a record. */
import { cutWithDots } from "../../runtime/cut.ts";
import type { Config } from "../config/settings.ts";
import { maskTokens } from "../server/calls/redact.ts";
import { logOf, type Log } from "./log.ts";

/** The sampling of errors. */
export interface ConditionErrors {
  /**
   * Returns whether the next check should report its errors. Generated code represents an error only as "no"; naming it means
   * evaluating again with the interpreter, so on a busy server it is done for a sample of checks.
   */
  readonly shouldSample: () => boolean;
  /** Receives the errors of such a check, as JSON of `NamedError` objects, or undefined; and the number of its resources. */
  readonly logSample: (errors: string | undefined, callId: string, resources: number) => void;
}

/** The error of an expression, and the kind of the first resource that met it. */
interface NamedError {
  readonly expression: string;
  readonly message: string;
  readonly kind: string;
}

/** For how many resources per second errors are named, which takes a few thousandths of a processor. */
const maxResources = 100;
const minute = 60_000;
/** How many expressions are remembered for a minute. */
const maxExpressions = 1000;
const maxCharacters = 1000;

/** Opens it; `now` is a monotonic clock in milliseconds. */
export function openConditionErrors(
  level: Config["engine.celErrorLogLevel"],
  parent: Log,
  now: () => number = () => performance.now(),
): ConditionErrors {
  if (level === "off") return { shouldSample: () => false, logSample: () => undefined };
  const log = logOf(parent, "authz.conditions");
  const loggedAt = new Map<string, number>();
  let left = maxResources;
  let filledAt = now();

  const isNew = (expression: string, at: number): boolean => {
    const before = loggedAt.get(expression);
    if (before !== undefined && at - before < minute) return false;
    if (loggedAt.size >= maxExpressions) for (const [old, when] of loggedAt) if (at - when >= minute) loggedAt.delete(old);
    if (loggedAt.size >= maxExpressions) return false;
    loggedAt.set(expression, at);
    return true;
  };
  return {
    shouldSample: () => {
      if (!log.isLevelEnabled(level)) return false;
      if (left > 0) return true;
      const at = now();
      left = Math.min(maxResources, left + ((at - filledAt) / 1000) * maxResources);
      filledAt = at;
      return left > 0;
    },
    logSample: (text, callId, resources) => {
      left -= resources;
      if (text === undefined) return;
      const errors: readonly NamedError[] = JSON.parse(text);
      const at = now();
      for (const { expression, message, kind } of errors) {
        if (!isNew(expression, at)) continue;
        const why = brief(maskTokens(message));
        const setting = message.startsWith("too many steps") ? " (setting engine.maxEvaluationSteps)" : "";
        log[level](
          {
            "authz.call_id": callId,
            "authz.resource_kind": brief(maskTokens(kind)),
            "authz.expression": brief(expression),
            "error.message": why,
          },
          `a condition failed: ${why}${setting}`,
        );
      }
    },
  };
}

const brief = (text: string): string => cutWithDots(text, maxCharacters);
