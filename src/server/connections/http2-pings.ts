/** Pings HTTP/2 connections that have fallen silent, and closes those that do not answer. */
import type { ServerHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";

/** The sessions that are checked. */
export interface Http2Pings {
  readonly add: (session: ServerHttp2Session, socket: Duplex & { readonly bytesRead: number }) => void;
  readonly close: () => void;
}

interface Watched {
  readonly socket: Duplex & { readonly bytesRead: number };
  /** How many bytes had been read at the last check, and at how many checks in a row that number had not changed. */
  seen: number;
  silent: number;
}

/** The default interval in milliseconds; 0: no checks. Node from 24 (and 22.23) closes broken sessions itself. */
const usualInterval = Number(process.versions.node.split(".", 1)[0]) < 24 ? 10_000 : 0;
/**
 * After how many silent checks a session is pinged, and after how many it is closed. Checks are counted, not time: a client must not be
 * cut off because this process was suspended.
 */
const [pingAfter, closeAfter] = [1, 3] as const;

/**
 * Starts the checks. When a client violates the protocol, Node 20 sends a GOAWAY and stops reading, without any event: neither the end
 * nor the reset of the connection is seen after that, and the socket would stay open forever. Such a session does not answer pings;
 * every other one does.
 */
export function openHttp2Pings(lookMilliseconds: number = usualInterval): Http2Pings {
  const open = new Map<ServerHttp2Session, Watched>();
  const look = (): void => {
    for (const [session, watched] of open) {
      const { bytesRead } = watched.socket;
      watched.silent = bytesRead === watched.seen ? watched.silent + 1 : 0;
      watched.seen = bytesRead;
      if (watched.silent === pingAfter && !session.closed && !session.destroyed) session.ping(() => undefined);
      if (watched.silent < closeAfter) continue;
      session.destroy();
      watched.socket.destroy();
    }
  };
  const timer = lookMilliseconds === 0 ? undefined : setInterval(look, lookMilliseconds).unref();
  return {
    add: (session, socket) => {
      if (timer === undefined) return;
      open.set(session, { socket, seen: 0, silent: 0 });
      session.on("close", () => open.delete(session));
    },
    close: () => clearInterval(timer),
  };
}
