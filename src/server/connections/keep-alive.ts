/** How long a connection may be silent until the system asks whether its other end is still there. */

/** What both listeners are opened with. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelay: 30_000 } as const;
