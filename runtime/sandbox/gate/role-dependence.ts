/**
 * Checks cached values that depend on derived roles, which differ from scope to scope: such a value may be used by
 * only one function of one policy.
 */
import { refuse } from "./refusal.ts";

/** How a function depends on derived roles, itself or through functions it calls. */
export interface RoleDependence {
  /** Whether its result may depend on them. */
  isDependent: boolean;
  /** The functions it calls that cache a result that depends on them: variables, and loops that read such variables. */
  readonly caching: RoleDependence[];
  /** The only function that may use it, if it caches something. */
  user: object | undefined;
}

interface Reader {
  readonly reading: { readonly text: string; readonly start: number };
  readonly roleDependence: RoleDependence;
}

/** Returns the state of a function without dependence so far. */
export const openRoleDependence = (): RoleDependence => ({ isDependent: false, caching: [], user: undefined });

/** No dependence on derived roles. */
export const noRoleDependence: RoleDependence = Object.freeze(openRoleDependence());

/** Records that the function being read calls another, which may be a variable, whose value is cached. */
export function noteRoleDependence({ roleDependence }: Reader, called: RoleDependence, isVariable: boolean): void {
  if (!called.isDependent) return;
  roleDependence.isDependent = true;
  if (isVariable || called.caching.length > 0) roleDependence.caching.push(called);
}

/** Records the user of cached values; refuses a second one. Each function is visited once. */
export function noteUser({ reading: { text, start } }: Reader, asked: RoleDependence, user: object): void {
  const open = [asked];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.user === user) continue;
    if (one.user !== undefined) refuse(text, start, "a second use of what was made of other derived roles and is kept");
    one.user = user;
    for (const callee of one.caching) open.push(callee);
  }
}
