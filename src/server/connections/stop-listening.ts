/** Closes a listener at a moment at which no connection waits to be accepted, so that none is reset. */
import { Server } from "node:net";

/** So many looks in a row must find nobody new. */
const quietLooks = 5;
const lookMilliseconds = 2;
/** Of the time there is, at most this much is spent on waiting for that. */
const share = 1 / 4;

/** Who listens there besides. */
export interface Sharing {
  /** Others go on: they take whoever comes. */
  readonly othersGoOn: boolean;
  /** Resolves when whoever hands out connections has looked for new ones since it was asked. */
  readonly looked: () => Promise<unknown>;
}

/**
 * Stops listening, and leaves every connection as it is.
 * The system completes connections before we take them in; when the listener closes it resets those that still wait,
 * whatever their clients have sent by then.
 */
export async function stopListening(server: Server, milliseconds: number, sharing?: Sharing): Promise<void> {
  if (!server.listening) return;
  if (sharing?.othersGoOn !== true) await untilQuiet(server, milliseconds, sharing?.looked);
  // An HTTP server's own `close` would also close the connections that wait for their next request.
  Server.prototype.close.call(server);
}

async function untilQuiet(server: Server, milliseconds: number, looked: Sharing["looked"] | undefined): Promise<void> {
  let taken = 0;
  const count = (): void => void (taken += 1);
  server.on("connection", count);
  const end = performance.now() + milliseconds * share;
  for (let quiet = 0; quiet < quietLooks && performance.now() < end;) {
    const before = taken;
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
    // Between a timer and this the sockets are looked at: if somebody waits, one of them is taken in.
    await new Promise((resolve) => setImmediate(resolve));
    await looked?.();
    quiet = taken === before ? quiet + 1 : 0;
  }
  server.off("connection", count);
}
