/** Who is at the other end of a connection, for logs and audit entries. */

/** What a socket knows of its other end. */
export interface Socketlike {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** It stays the same as long as the connection, and a connection asks often. */
const known = new WeakMap<Socketlike, string>();

/** Returns address and port; `unix` for a socket file, which knows neither. */
export function peerOf(socket: Socketlike): string {
  let peer = known.get(socket);
  if (peer === undefined) known.set(socket, (peer = printPeer(socket)));
  return peer;
}

function printPeer({ remoteAddress, remotePort }: Socketlike): string {
  if (remoteAddress === undefined) return "unix";
  const address = remoteAddress.replace(/^::ffff:/, "");
  return `${address.includes(":") ? `[${address}]` : address}:${remotePort ?? 0}`;
}
