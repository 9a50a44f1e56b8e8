/** Keeps checks that wait for the host, within bounds, so that they cannot exhaust memory. */
import type { Evaluator } from "../decide/decision.ts";
import type { CheckInput } from "../decide/input.ts";
import type { Form } from "../wire/forms.ts";
import type { CheckRequest } from "../wire/request.ts";
import type { SchemaQuestions } from "./schema-questions.ts";
import type { Settings } from "./settings.ts";

/** A check that was read. It is decided with the policy set and settings that were in force when it arrived. */
export interface PendingCheck {
  readonly evaluator: Evaluator;
  readonly settings: Settings;
  readonly request: CheckRequest;
  /** Inputs without claims, if schema questions needed them. */
  readonly inputs: readonly CheckInput[] | undefined;
  readonly schemas: SchemaQuestions;
  readonly form: Form;
  /** Whether to report errors of conditions to the host. */
  readonly naming: boolean;
}

/** The waiting checks. */
export interface PendingChecks {
  /**
   * Stores a check and returns its handle; `size` is the length of its body. The oldest checks are dropped if there
   * are too many.
   */
  readonly keep: (check: PendingCheck, size: number) => number;
  /** Removes and returns a check; undefined if it is unknown or was dropped. */
  readonly take: (handle: number) => PendingCheck | undefined;
}

/** Creates the store with its bounds: number of checks, and UTF-16 units of all bodies. */
export function openPendingChecks(maxChecks = 1024, maxCharacters = 2 ** 26): PendingChecks {
  // In order of arrival.
  const waiting = new Map<number, { readonly check: PendingCheck; readonly size: number }>();
  let characters = 0;
  let last = 0;
  const take = (handle: number): PendingCheck | undefined => {
    const found = waiting.get(handle);
    if (found === undefined) return undefined;
    waiting.delete(handle);
    characters -= found.size;
    return found.check;
  };
  return {
    keep(check, size) {
      waiting.set(++last, { check, size });
      characters += size;
      for (const handle of waiting.keys()) {
        if (handle === last || (waiting.size <= maxChecks && characters <= maxCharacters)) break;
        take(handle);
      }
      return last;
    },
    take,
  };
}
