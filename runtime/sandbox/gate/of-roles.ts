/**
 * Checks cached values that depend on derived roles, which differ from scope to scope: such a value may be used by
 * only one function of one policy.
 */
import { refuse } from "./refusal.ts";

/** How a function depends on derived roles, itself or through functions it calls. */
export interface OfRoles {
  /** Whether its result may depend on them. */
  isMade: boolean;
  /** The functions it calls that cache a result that depends on them: variables, and loops that read such variables. */
  readonly keepers: OfRoles[];
  /** The only function that may use it, if it caches something. */
  asker: object | undefined;
}

interface Reader {
  readonly reading: { readonly text: string; readonly start: number };
  readonly ofRoles: OfRoles;
}

/** Returns the state of a function without dependence so far. */
export const openOfRoles = (): OfRoles => ({ isMade: false, keepers: [], asker: undefined });

/** No dependence on derived roles. */
export const notOfRoles: OfRoles = Object.freeze(openOfRoles());

/** Records that the function being read calls another, which may be a variable, whose value is cached. */
export function noteOfRoles({ ofRoles }: Reader, called: OfRoles, isVariable: boolean): void {
  if (!called.isMade) return;
  ofRoles.isMade = true;
  if (isVariable || called.keepers.length > 0) ofRoles.keepers.push(called);
}

/** Records the user of cached values; refuses a second one. Each function is visited once. */
export function keepApart({ reading: { text, start } }: Reader, asked: OfRoles, asker: object): void {
  const open = [asked];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.asker === asker) continue;
    if (one.asker !== undefined) refuse(text, start, "a second use of what was made of other derived roles and is kept");
    one.asker = asker;
    for (const keeper of one.keepers) open.push(keeper);
  }
}
