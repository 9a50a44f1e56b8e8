/** What the host found out for a check that waited, as it comes into the realm: JSON. */
import { invariant } from "../cel/error.ts";
import type { AuxData } from "../decide/input.ts";
import type { SchemaAnswer } from "./schema-questions.ts";

/** What was found out. */
export interface Found {
  /** The claims of verified tokens. */
  readonly auxData: AuxData | undefined;
  /** Why the tokens do not count. */
  readonly invalid: string | undefined;
  /** One answer for each schema that was asked; none where nothing is wrong. */
  readonly validation: readonly SchemaAnswer[];
}

/** Of a check that need not wait, or by which nothing is wrong. */
export const nothingFound: Found = { auxData: undefined, invalid: undefined, validation: [] };

/** What the host says instead where there were no tokens, and no schema finds anything wrong. */
export const fine = "fine";

/** Reads what was found out; so many schemas were asked. */
export function readFound(text: string, schemas: number): Found {
  // A true edge: the host writes what `Realm.resume` says.
  const { auxData, invalid, validation } = JSON.parse(text) as {
    readonly auxData?: AuxData | null;
    readonly invalid?: string | null;
    readonly validation?: readonly SchemaAnswer[] | null;
  };
  const found = { auxData: auxData ?? undefined, invalid: invalid ?? undefined, validation: validation ?? [] };
  invariant(found.invalid !== undefined || found.validation.length === schemas, "every schema that was asked has answered");
  return found;
}

/** The length of the longest text in claims, which turns of loops may compare (D46.1). */
export function longestTextIn(auxData: AuxData | undefined): number {
  let longest = 0;
  const open: unknown[] = [auxData];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") longest = Math.max(longest, value.length);
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) open.push(inner);
  }
  return longest;
}
