/** A lingering close: a client that is answered while it still sends would lose the response if the connection were closed at once. */
import type { Socket } from "node:net";

/** How many milliseconds, and how many bytes, a client may go on sending after the response. */
const longest = 2000;
const maxBytes = 2 ** 26;

/**
 * Ends our side, discards what still arrives, and closes when the client does or has reached a limit. Existing `data` listeners are
 * removed: what arrives belongs to a request that has been answered.
 */
export function linger(socket: Socket): void {
  let thrownAway = 0;
  const late = setTimeout(() => socket.destroy(), longest).unref();
  socket
    .removeAllListeners("data")
    .on("data", (part: Buffer) => {
      thrownAway += part.length;
      if (thrownAway > maxBytes) socket.destroy();
    })
    // `destroySoon` flushes pending writes first.
    .on("end", () => socket.destroySoon())
    .on("close", () => clearTimeout(late))
    .resume();
  socket.end();
}
