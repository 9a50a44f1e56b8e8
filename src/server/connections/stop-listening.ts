/** Closes a listener at a moment at which no connection waits to be accepted, so that none is reset. */
import { Server } from "node:net";

/** How many checks in a row must find no new connection. */
const quietLooks = 5;
const lookMilliseconds = 2;
/** At most this share of the time for shutdown is spent on waiting for that. */
const share = 1 / 4;

/** Other processes that listen at the same address. */
export interface SharedAddress {
  /** Whether other processes keep accepting connections there. */
  readonly othersContinue: boolean;
  /** Resolves when the process that distributes connections has checked for new ones since the call. */
  readonly polled: () => Promise<unknown>;
}

/**
 * Stops listening and leaves every connection open. The kernel completes connections before we accept them; closing the listener resets
 * those that were not accepted yet, whatever their clients have sent. Therefore it is closed at a moment at which none is waiting.
 */
export async function stopListening(server: Server, milliseconds: number, sharing?: SharedAddress): Promise<void> {
  if (!server.listening) return;
  if (sharing?.othersContinue !== true) await untilQuiet(server, milliseconds, sharing?.polled);
  // `http.Server.close` would also close idle keep-alive connections.
  Server.prototype.close.call(server);
}

async function untilQuiet(server: Server, milliseconds: number, polled: SharedAddress["polled"] | undefined): Promise<void> {
  let taken = 0;
  const count = (): void => void (taken += 1);
  server.on("connection", count);
  const end = performance.now() + milliseconds * share;
  for (let quiet = 0; quiet < quietLooks && performance.now() < end;) {
    const before = taken;
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
    // Between a timer and `setImmediate` the event loop polls the sockets: a waiting connection is accepted then.
    await new Promise((resolve) => setImmediate(resolve));
    await polled?.();
    quiet = taken === before ? quiet + 1 : 0;
  }
  server.off("connection", count);
}
