/** Parses what the host found out for a waiting check (JSON). */
import { invariant } from "../cel/error.ts";
import type { AuxData } from "../decide/input.ts";
import type { SchemaAnswer } from "./schema-questions.ts";

/** The host's results. */
export interface Found {
  /** The claims of verified tokens. */
  readonly auxData: AuxData | undefined;
  /** Why the tokens are invalid. */
  readonly invalid: string | undefined;
  /** One result for each schema question; empty if nothing is wrong. */
  readonly validation: readonly SchemaAnswer[];
  /** Length in UTF-16 units of the longest string in the claims. */
  readonly longestText: number;
}

/** The result for a check that need not wait, or in which nothing is wrong. */
export const nothingFound: Found = { auxData: undefined, invalid: undefined, validation: [], longestText: 0 };

/** The host's short form if there were no tokens and no schema violations. */
export const fine = "fine";

/** Cache of parsed claims by their text: the same token is usually sent many times. */
const known = new Map<string, Found>();
const [maxKnown, maxKnownCharacters] = [1024, 2 ** 20] as const;
let knownCharacters = 0;

/** The host's short form if the tokens are valid and there is nothing else: `{ jwt }` or `{ jwts }`. */
const areClaimsAlone = (text: string): boolean => text.startsWith('{"jwt');

function readClaims(text: string): Found {
  const before = known.get(text);
  if (before !== undefined) return before;
  // A cast, as below.
  const auxData = JSON.parse(text) as AuxData;
  const found: Found = { auxData, invalid: undefined, validation: [], longestText: longestTextIn(auxData) };
  if (text.length > maxKnownCharacters) return found;
  knownCharacters += text.length;
  if (known.size === maxKnown || knownCharacters > maxKnownCharacters) {
    known.clear();
    knownCharacters = text.length;
  }
  known.set(text, found);
  return found;
}

/** Parses the results; `schemas` is the number of schema questions. */
export function readFound(text: string, schemas: number): Found {
  if (areClaimsAlone(text)) return readClaims(text);
  // A cast: the host writes the format documented at `Realm.resume`.
  const { auxData, invalid, validation } = JSON.parse(text) as {
    readonly auxData?: AuxData | null;
    readonly invalid?: string | null;
    readonly validation?: readonly SchemaAnswer[] | null;
  };
  const claims = auxData ?? undefined;
  const found = { auxData: claims, invalid: invalid ?? undefined, validation: validation ?? [], longestText: longestTextIn(claims) };
  invariant(found.invalid !== undefined || found.validation.length === schemas, "every schema that was asked has answered");
  return found;
}

/** Length of the longest string in claims, which loops may compare (D46.1). */
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
