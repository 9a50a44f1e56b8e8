/** A bounded LRU cache of the claims of verified tokens (D15). It is keyed by digest, so that no tokens are kept. */
import { hash } from "node:crypto";
import type { Claims } from "./claims.ts";

/** The cache of verified claims. */
export interface ClaimsCache {
  readonly get: (key: string) => Claims | undefined;
  readonly set: (key: string, claims: Claims) => void;
  readonly delete: (key: string) => void;
  readonly state: () => ClaimsCacheState;
}

/** The state of the cache. */
export interface ClaimsCacheState {
  /** How many lookups found an entry, and how many did not. */
  readonly hits: number;
  readonly misses: number;
  /** The number of entries, and their limit. */
  readonly live: number;
  readonly max: number;
}

/** The most characters of all claims together. */
const maxCharacters = 16 * 1024 * 1024;

/** Opens a cache of at most `most` tokens; the least recently used is evicted first. */
export function openClaimsCache(most: number): ClaimsCache {
  const claims = new Map<string, Claims>();
  let characters = 0;
  let hits = 0;
  let misses = 0;
  const forget = (key: string): void => {
    characters -= claims.get(key)?.auxDataText.length ?? 0;
    claims.delete(key);
  };
  return {
    get: (key) => {
      const found = claims.get(key);
      if (found === undefined) {
        misses++;
        return undefined;
      }
      hits++;
      claims.delete(key);
      claims.set(key, found);
      return found;
    },
    set: (key, found) => {
      forget(key);
      claims.set(key, found);
      characters += found.auxDataText.length;
      for (const oldest of claims.keys()) {
        if (claims.size <= most && characters <= maxCharacters) break;
        forget(oldest);
      }
    },
    delete: forget,
    state: () => ({ hits, misses, live: claims.size, max: most }),
  };
}

/** Returns the cache key of a token verified with one version of a key set. */
export function cacheKey(token: string, keySetId: string, version: number): string {
  return hash("sha256", `${JSON.stringify([keySetId, version])}\n${token}`, "base64");
}
