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
  /** The length of the longest text in the claims. */
  readonly longestText: number;
}

/** Of a check that need not wait, or by which nothing is wrong. */
export const nothingFound: Found = { auxData: undefined, invalid: undefined, validation: [], longestText: 0 };

/** What the host says instead where there were no tokens, and no schema finds anything wrong. */
export const fine = "fine";

/** Claims alone, as they were read before: whoever calls mostly does so with the same token many times. */
const known = new Map<string, Found>();
const [mostKnown, mostKnownCharacters] = [1024, 2 ** 20] as const;
let knownCharacters = 0;

/** The host says so where the tokens hold and nothing else is to be told: `{ jwt }` or `{ jwts }`. */
const areClaimsAlone = (text: string): boolean => text.startsWith('{"jwt');

function readClaims(text: string): Found {
  const before = known.get(text);
  if (before !== undefined) return before;
  // A true edge, as below.
  const auxData = JSON.parse(text) as AuxData;
  const found: Found = { auxData, invalid: undefined, validation: [], longestText: longestTextIn(auxData) };
  if (text.length > mostKnownCharacters) return found;
  knownCharacters += text.length;
  if (known.size === mostKnown || knownCharacters > mostKnownCharacters) {
    known.clear();
    knownCharacters = text.length;
  }
  known.set(text, found);
  return found;
}

/** Reads what was found out; so many schemas were asked. */
export function readFound(text: string, schemas: number): Found {
  if (areClaimsAlone(text)) return readClaims(text);
  // A true edge: the host writes what `Realm.resume` says.
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
