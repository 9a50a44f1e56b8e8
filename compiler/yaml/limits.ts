/** Longer, deeper or more repetitive than any policy: a text beyond these is refused before it can cost anything. */

/** Characters of a text, levels of nesting, nodes that come in through aliases. */
export const limits = { length: 4 * 1024 * 1024, depth: 200, aliasedNodes: 100_000 } as const;
