/** Who is at the other end of a connection, for logs and audit entries. */

import type { Server } from "node:net";

/** What a socket knows of its other end. */
export interface Socketlike {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** It stays the same as long as the connection, and a connection asks often. */
const known = new WeakMap<Socketlike, string>();

/** Finds out who comes: of a connection that has been closed meanwhile nobody can tell any more. */
export function meet(socket: Socketlike, listener: Server): void {
  const isFile = typeof listener.address() === "string";
  known.set(socket, isFile ? "unix" : printPeer(socket));
}

/** Returns address and port; `unix` for a socket file, which knows neither; `unknown` where somebody was gone before we met. */
export function peerOf(socket: Socketlike): string {
  let peer = known.get(socket);
  if (peer === undefined) known.set(socket, (peer = printPeer(socket)));
  return peer;
}

function printPeer({ remoteAddress, remotePort }: Socketlike): string {
  if (remoteAddress === undefined) return "unknown";
  const address = remoteAddress.replace(/^::ffff:/, "");
  return `${address.includes(":") ? `[${address}]` : address}:${remotePort ?? 0}`;
}
