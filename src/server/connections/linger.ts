/** A lingering close: a client that is answered while it still sends would lose the response if the connection were closed at once. */
import type { Socket } from "node:net";

/** How long a client may go on sending after its answer, in milliseconds, and how much. */
const longest = 2000;
const mostBytes = 2 ** 26;

/**
 * Ends our side, throws away what still comes, and closes when the client does or has had its share.
 * Nobody else hears what comes: it is the rest of what has been answered.
 */
export function linger(socket: Socket): void {
  let thrownAway = 0;
  const late = setTimeout(() => socket.destroy(), longest).unref();
  socket
    .removeAllListeners("data")
    .on("data", (part: Buffer) => {
      thrownAway += part.length;
      if (thrownAway > mostBytes) socket.destroy();
    })
    // What is not sent yet is sent first.
    .on("end", () => socket.destroySoon())
    .on("close", () => clearTimeout(late))
    .resume();
  socket.end();
}
