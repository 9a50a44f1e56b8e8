/** Pings HTTP/2 connections that have fallen silent, and closes those that do not answer. */
import type { ServerHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";

/** The connections that are watched. */
export interface Silence {
  readonly add: (session: ServerHttp2Session, socket: Duplex & { readonly bytesRead: number }) => void;
  readonly close: () => void;
}

interface Watched {
  readonly socket: Duplex & { readonly bytesRead: number };
  /** What had been read when we looked last, and for how many looks nothing more came. */
  seen: number;
  silent: number;
}

/** Node 24 closes what is broken (22.23 too), and nobody has to be asked; 0: never. */
const usualLook = Number(process.versions.node.split(".", 1)[0]) < 24 ? 10_000 : 0;
/** Looks, not the clock: who was not heard because this process stood still is not let go for it. */
const [asks, letsGo] = [1, 3] as const;

/**
 * Opens the watch. When a client breaks the rules, Node 20 says farewell, stops to read, and tells nobody: neither the end of
 * the connection nor its reset is ever seen then, and its socket would stay for as long as the process. Pings come through to
 * nobody there; everybody else answers.
 */
export function openSilence(lookMilliseconds: number = usualLook): Silence {
  const open = new Map<ServerHttp2Session, Watched>();
  const look = (): void => {
    for (const [session, watched] of open) {
      const { bytesRead } = watched.socket;
      watched.silent = bytesRead === watched.seen ? watched.silent + 1 : 0;
      watched.seen = bytesRead;
      if (watched.silent === asks && !session.closed && !session.destroyed) session.ping(() => undefined);
      if (watched.silent < letsGo) continue;
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
