/** Limits of a YAML source, far above any real policy: a source beyond them is refused before it costs time or memory. */

/** Characters of a source, levels of nesting, and nodes created through aliases. */
export const limits = { length: 4 * 1024 * 1024, depth: 200, aliasedNodes: 100_000 } as const;
