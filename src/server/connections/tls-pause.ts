/** HTTP/1.1 over TLS: nothing that comes on a connection that is paused reaches Node's parser. */
import type { TLSSocket } from "node:tls";

/** Node 22 keeps it by itself. */
const isLost = Number(process.versions.node.split(".", 1)[0]) < 22;

/**
 * Node pauses a connection whose answers are not taken, so that no more requests are read. Over TLS, Node 20 gives its parser
 * all the same what came together with the last one: that is taken for an error, or lost.
 */
export function holdWhilePaused(socket: TLSSocket): void {
  // A listener of its own moves the parser from the socket to behind the stream, which keeps what comes meanwhile.
  if (isLost) socket.on("data", () => undefined);
}
