/** Who is at the other end of a connection, for logs and audit entries. */

import type { Server } from "node:net";

/** What a socket knows of its other end. */
export interface Socketlike {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Where a connection carries what is known of it: it stays the same as long as the connection, which asks often. */
const carried = Symbol("peer");
type Carrying = Socketlike & { [carried]?: string };

/** Finds out who comes: of a connection that has been closed meanwhile nobody can tell any more. */
export function meet(socket: Carrying, listener: Server): void {
  // To ask where we listen is a call of the system, and to know it spares one only where the other end has no address.
  socket[carried] = printPeer(socket) ?? (typeof listener.address() === "string" ? "unix" : "unknown");
}

/** Returns address and port; `unix` for a socket file, which knows neither; `unknown` where somebody was gone before we met. */
export function peerOf(socket: Carrying): string {
  return (socket[carried] ??= printPeer(socket) ?? "unknown");
}

function printPeer({ remoteAddress, remotePort }: Socketlike): string | undefined {
  if (remoteAddress === undefined) return undefined;
  const address = remoteAddress.replace(/^::ffff:/, "");
  return `${address.includes(":") ? `[${address}]` : address}:${remotePort ?? 0}`;
}
