/** Who is at the other end of a connection, for logs and audit entries. */

import type { Server } from "node:net";

/** The address properties of a socket. */
export interface Socketlike {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** The property of a socket that caches its peer, which never changes and is asked for often. */
const cachedPeer = Symbol("peer");
type WithPeer = Socketlike & { [cachedPeer]?: string };

/** Records the peer of a new connection: once it is closed, its address is no longer available. */
export function recordPeer(socket: WithPeer, listener: Server): void {
  // `listener.address()` is a system call, so it is used only for sockets without a remote address.
  socket[cachedPeer] = printPeer(socket) ?? (typeof listener.address() === "string" ? "unix" : "unknown");
}

/**
 * Returns the client's address and port; `unix` for a Unix socket, which has none; `unknown` when the client was gone before `recordPeer` was
 * called.
 */
export function peerOf(socket: WithPeer): string {
  return (socket[cachedPeer] ??= printPeer(socket) ?? "unknown");
}

function printPeer({ remoteAddress, remotePort }: Socketlike): string | undefined {
  if (remoteAddress === undefined) return undefined;
  const address = remoteAddress.replace(/^::ffff:/, "");
  return `${address.includes(":") ? `[${address}]` : address}:${remotePort ?? 0}`;
}
