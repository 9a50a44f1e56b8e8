/** HTTP/1.1 connections that are paused: nothing that comes meanwhile reaches Node's parser, and nothing of it is lost. */
import type { Socket } from "node:net";

/**
 * Node pauses a connection whose answers are not taken, so that no more requests are read. Its stream reads on for its own
 * buffer, and as long as the parser stands beside it on the socket, that takes all the same what comes: for an error, or it is
 * lost. A listener more moves the parser to behind the stream, which keeps it.
 */
export function keepWhilePaused(socket: Socket): void {
  socket.on("data", () => undefined);
}
