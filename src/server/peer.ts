/** Who is at the other end of a connection, for logs and audit entries. */

/** What a socket knows of its other end. */
export interface Socketlike {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Returns address and port; `unix` for a socket file, which knows neither. */
export function peerOf({ remoteAddress, remotePort }: Socketlike): string {
  if (remoteAddress === undefined) return "unix";
  const address = remoteAddress.replace(/^::ffff:/, "");
  return `${address.includes(":") ? `[${address}]` : address}:${remotePort ?? 0}`;
}
