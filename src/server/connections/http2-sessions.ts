/** Tracks HTTP/2 sessions: limits their setup and their age, and closes them without losing a call. */
import type { ServerHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";
import { openHttp2Pings } from "./http2-pings.ts";

/** The stream below a session: a socket, or the cleartext stream of a TLS socket. */
export type SessionStream = Duplex & { readonly bytesRead: number };

/** The sessions of one or more listeners. */
export interface Http2Sessions {
  /** Adds a session, with the stream below it: our own frames can be written there between those of Node. */
  readonly add: (session: ServerHttp2Session, socket: SessionStream) => void;
  /**
   * Sends every client a GOAWAY, answers the streams that were opened by then, and resolves when all sessions are closed or have been
   * destroyed after `milliseconds`.
   */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** How sessions are limited. */
export interface Http2SessionOptions {
  /** The age in milliseconds at which a client is asked to reconnect; 0: never. */
  readonly maxAge: number;
  /** How many milliseconds a client may take to send its SETTINGS; 0: no limit. */
  readonly setupTimeout: number;
  /** The interval in milliseconds at which silent sessions are looked for. */
  readonly lookMilliseconds?: number;
}

/**
 * A GOAWAY frame with the highest possible stream id (RFC 9113, 6.8): it announces that the connection will close, and that all streams
 * opened so far will be answered. Node's own `goaway` cannot be used, because Node then ignores all streams that arrive later,
 * including those already on their way.
 */
const gracefulGoaway = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

/** How many milliseconds a client may take to answer the ping after the GOAWAY, and to close its side in the end. */
const clientTimeout = 2000;

/** Opens an empty set of sessions. */
export function openHttp2Sessions({ maxAge, setupTimeout, lookMilliseconds }: Http2SessionOptions): Http2Sessions {
  const pings = openHttp2Pings(lookMilliseconds);
  const open = new Map<ServerHttp2Session, Duplex>();
  const leaving = new WeakSet<ServerHttp2Session>();
  let whenEmpty: (() => void) | undefined;
  let closing = false;

  const leave = (session: ServerHttp2Session, socket: Duplex): void => {
    if (leaving.has(session)) return;
    leaving.add(session);
    const finish = (): void => {
      clearTimeout(late);
      if (session.destroyed || session.closed) return;
      session.close();
      // A session is destroyed when its last stream has ended, but its socket stays open until the client closes it, which may never
      // happen.
      const look = setInterval(() => session.destroyed && socket.destroy(), clientTimeout).unref();
      session.on("close", () => clearInterval(look));
    };
    const late = setTimeout(finish, clientTimeout);
    const notify = (): void => {
      if (session.destroyed || session.closed) return;
      if (socket.writable) socket.write(gracefulGoaway);
      // The answer to the ping arrives after all streams that the client opened before it read the GOAWAY.
      if (!session.ping(finish)) finish();
    };
    // The first frame of a connection must be our SETTINGS frame.
    if (session.pendingSettingsAck) session.once("localSettings", notify);
    else notify();
  };

  return {
    add: (session, socket) => {
      open.set(session, socket);
      pings.add(session, socket);
      // If a client breaks off right after the TLS handshake, pending writes never finish, and Node waits for them: the session then
      // keeps its socket even when it is destroyed. The only sign of it is the end of the client's side.
      const giveUp = (): void => {
        session.destroy();
        socket.destroy();
      };
      let setup = setupTimeout === 0 ? undefined : setTimeout(giveUp, setupTimeout);
      const ended = (): void => {
        clearTimeout(setup);
        setup = setTimeout(giveUp, clientTimeout);
      };
      socket.once("end", ended);
      session.once("remoteSettings", () => {
        clearTimeout(setup);
        socket.off("end", ended);
      });
      // The age is randomised: clients that connected together would otherwise reconnect together.
      const age = maxAge === 0 ? undefined : setTimeout(() => leave(session, socket), maxAge * (0.9 + Math.random() * 0.2)).unref();
      session.on("close", () => {
        clearTimeout(setup);
        clearTimeout(age);
        socket.off("end", ended);
        open.delete(session);
        if (open.size === 0) whenEmpty?.();
      });
      if (closing) leave(session, socket); // The handshake began before the listener was closed.
    },
    close: async (milliseconds) => {
      closing = true;
      pings.close();
      if (open.size === 0) return;
      const empty = new Promise<void>((resolve) => (whenEmpty = resolve));
      for (const [session, socket] of open) leave(session, socket);
      const late = setTimeout(() => {
        for (const [session, socket] of open) {
          session.destroy();
          socket.destroy();
        }
      }, milliseconds);
      await empty;
      clearTimeout(late);
    },
  };
}
