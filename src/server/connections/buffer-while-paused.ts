/** Keeps what arrives on a paused HTTP/1.1 connection: neither does it reach Node's parser, nor is it lost. */
import type { Socket } from "node:net";

/**
 * Node pauses a connection whose responses are not read, so that no more requests are parsed. The socket still fills its own buffer,
 * and while the parser reads from the socket's handle directly, that data reaches the parser anyway and is rejected or lost. A `data`
 * listener makes the parser read from the stream instead, which buffers the data.
 */
export function bufferWhilePaused(socket: Socket): void {
  socket.on("data", () => undefined);
}
