/** Checks that wait until the host has found something out; a flood of them cannot fill the memory. */
import type { Evaluator } from "../decide/decision.ts";
import type { CheckInput } from "../decide/input.ts";
import type { Form } from "../wire/forms.ts";
import type { CheckRequest } from "../wire/request.ts";
import type { SchemaQuestions } from "./schema-questions.ts";
import type { Settings } from "./settings.ts";

/** A check that was read: it is decided by the set and the settings under which it began. */
export interface PendingCheck {
  readonly evaluator: Evaluator;
  readonly settings: Settings;
  readonly request: CheckRequest;
  /** Without claims, where schemas were to be asked about them. */
  readonly inputs: readonly CheckInput[] | undefined;
  readonly schemas: SchemaQuestions;
  readonly form: Form;
  /** Name the errors that its conditions meet, for the host alone. */
  readonly naming: boolean;
}

/** Those that wait. */
export interface PendingChecks {
  /** Keeps a check, whose body has so many characters, under a handle; the oldest make room. */
  readonly keep: (check: PendingCheck, size: number) => number;
  /** Gives a check back, and keeps it no longer; undefined when it is not there. */
  readonly take: (handle: number) => PendingCheck | undefined;
}

/** Opens an empty waiting room for so many checks, with so many characters in all. */
export function openPendingChecks(mostChecks = 1024, mostCharacters = 2 ** 26): PendingChecks {
  // In the order in which they came.
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
        if (handle === last || (waiting.size <= mostChecks && characters <= mostCharacters)) break;
        take(handle);
      }
      return last;
    },
    take,
  };
}
