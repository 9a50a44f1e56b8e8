/** The TCP keep-alive of connections: how long one may be silent until the system probes its other end. */

/** What both listeners are opened with. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelay: 30_000 } as const;
