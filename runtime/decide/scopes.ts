/** Scopes: the scope that a request names, and the chain of scopes to visit (semantics 4.3 and 4.4). */

/** Removes the leading dot, by which a request says "this scope, whatever the default is". */
export const withoutLeadingDot = (scope: string): string => (startsWithDot(scope) ? scope.slice(1) : scope);

/** Whether a scope has that dot. */
export const hasLeadingDot = (scope: string | undefined): boolean => scope !== undefined && startsWithDot(scope);

// Check the length first: reading beyond the end is slow, and most scopes are empty.
const startsWithDot = (scope: string): boolean => scope.length > 0 && scope.charCodeAt(0) === dot;

const dot = 0x2e;

/** The scope in force: that of the request, or the default. */
export const scopeUsed = (asked: string | undefined, defaultScope: string): string =>
  withoutLeadingDot(asked === undefined || asked === "" ? defaultScope : asked);

/** The version in force: that of the request, or the default. */
export const versionUsed = (asked: string | undefined, defaultVersion: string): string =>
  asked === undefined || asked === "" ? defaultVersion : asked;

/** The scopes of all policies of one type, whatever their name or version. */
export interface ScopeSet {
  /** The number of policies in each scope. */
  readonly all: ReadonlyMap<string, number>;
  /** Length of the longest scope, which bounds the search for long scopes in requests. */
  readonly longest: number;
}

/** Counts scopes. */
export function scopeSet(scopes: Iterable<string>): ScopeSet {
  const all = new Map<string, number>();
  for (const scope of scopes) all.set(scope, (all.get(scope) ?? 0) + 1);
  return countedScopes(all);
}

/** Builds the set from counts. */
export function countedScopes(all: ReadonlyMap<string, number>): ScopeSet {
  let longest = 0;
  for (const scope of all.keys()) longest = Math.max(longest, scope.length);
  return { all, longest };
}

/**
 * Returns the scopes to visit, nearest first: those that have a policy of the type. If the requested scope has none,
 * the result is empty unless `lenient`.
 */
export function scopeChain(existing: ScopeSet, asked: string, lenient: boolean): readonly string[] {
  if (!existing.all.has(asked) && !lenient) return [];
  const chain: string[] = [];
  for (let scope = nearestScope(existing, asked); scope !== undefined; scope = nearestScope(existing, parentScope(scope)))
    chain.push(scope);
  return chain;
}

/** Returns the scope itself or its nearest ancestor that has a policy of the type; undefined if there is none. */
export function nearestScope({ all, longest }: ScopeSet, asked: string | undefined): string | undefined {
  let scope = asked !== undefined && asked.length > longest ? parentScope(asked.slice(0, longest + 1)) : asked;
  while (scope !== undefined && !all.has(scope)) scope = parentScope(scope);
  return scope;
}

/** `acme.hr` -> `acme` -> "" -> undefined. */
export function parentScope(scope: string): string | undefined {
  if (scope === "") return undefined;
  const dot = scope.lastIndexOf(".");
  return dot === -1 ? "" : scope.slice(0, dot);
}
