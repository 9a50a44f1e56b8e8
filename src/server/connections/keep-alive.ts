/** The TCP keep-alive of connections: how long one may be silent until the system probes its other end. */

/** Socket options of both listeners. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelay: 30_000 } as const;
