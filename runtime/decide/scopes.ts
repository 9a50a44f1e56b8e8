/** Scopes: what a request names, and the chain of policies that this leads to (semantics 4.3 and 4.4). */

/** Removes the one leading dot by which a request says "this scope, whatever the default is". */
export const withoutLeadingDot = (scope: string): string => (startsWithDot(scope) ? scope.slice(1) : scope);

/** Says whether a scope has that dot. */
export const hasLeadingDot = (scope: string | undefined): boolean => scope !== undefined && startsWithDot(scope);

// A character that is not there is slow to ask for, and most scopes are empty.
const startsWithDot = (scope: string): boolean => scope.length > 0 && scope.charCodeAt(0) === dot;

const dot = 0x2e;

/** The scope a request is answered in: its own or the default. */
export const scopeUsed = (asked: string | undefined, defaultScope: string): string =>
  withoutLeadingDot(asked === undefined || asked === "" ? defaultScope : asked);

/** The version a request is answered with: its own or the default. */
export const versionUsed = (asked: string | undefined, defaultVersion: string): string =>
  asked === undefined || asked === "" ? defaultVersion : asked;

/** The scopes that some policy of one type has, whatever its name or version. */
export interface ScopeSet {
  /** How many policies each has. */
  readonly all: ReadonlyMap<string, number>;
  /** Length of the longest: a request cannot make the search longer than the policies do. */
  readonly longest: number;
}

/** Collects scopes. */
export function scopeSet(scopes: Iterable<string>): ScopeSet {
  const all = new Map<string, number>();
  for (const scope of scopes) all.set(scope, (all.get(scope) ?? 0) + 1);
  return countedScopes(all);
}

/** The scopes of so many policies each. */
export function countedScopes(all: ReadonlyMap<string, number>): ScopeSet {
  let longest = 0;
  for (const scope of all.keys()) longest = Math.max(longest, scope.length);
  return { all, longest };
}

/**
 * The scopes to visit, nearest first. Only scopes that some policy of the type has take part; when the asked scope has
 * none the chain is empty, unless the search is lenient.
 */
export function scopeChain(existing: ScopeSet, asked: string, lenient: boolean): readonly string[] {
  if (!existing.all.has(asked) && !lenient) return [];
  const chain: string[] = [];
  for (let scope = nearestScope(existing, asked); scope !== undefined; scope = nearestScope(existing, parentScope(scope)))
    chain.push(scope);
  return chain;
}

/** A scope itself, or the nearest above it, that some policy of the type has. */
export function nearestScope({ all, longest }: ScopeSet, asked: string | undefined): string | undefined {
  let scope = asked !== undefined && asked.length > longest ? parentScope(asked.slice(0, longest + 1)) : asked;
  while (scope !== undefined && !all.has(scope)) scope = parentScope(scope);
  return scope;
}

/** `acme.hr` -> `acme` -> "" -> none. */
export function parentScope(scope: string): string | undefined {
  if (scope === "") return undefined;
  const dot = scope.lastIndexOf(".");
  return dot === -1 ? "" : scope.slice(0, dot);
}
