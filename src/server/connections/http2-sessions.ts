/** Tracks HTTP/2 sessions: limits their setup and their age, and closes them without losing a call. */
import type { ServerHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";
import { openSilence } from "./silence.ts";

/** What a connection stands on. */
export type Stood = Duplex & { readonly bytesRead: number };

/** The connections of one or more listeners. */
export interface Http2Sessions {
  /** Takes a new one in, with what it stands on: between the frames that Node writes there, others can be written. */
  readonly add: (session: ServerHttp2Session, socket: Stood) => void;
  /** Asks every client to go, answers what it has sent by then, and resolves when all are gone or cut off after so long. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** How they are treated. */
export interface Http2SessionOptions {
  /** After how long a client is asked to come again; 0: never. */
  readonly maxAge: number;
  /** How long a client may take until it has sent its settings; 0: for ever. */
  readonly setupTimeout: number;
  /** How often it is looked who is silent. */
  readonly lookMilliseconds?: number;
}

/**
 * "No new streams, please; all that you have sent will be answered": GOAWAY with the highest stream id there is (RFC 9113, 6.8).
 * Node's own `goaway` makes it ignore every stream that comes after, also those that were on their way.
 */
const shutdownNotice = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

/** How long a client may take to answer the ping that follows the notice, and to close its side in the end. */
const patience = 2000;

/** Opens the set of connections, empty. */
export function openHttp2Sessions({ maxAge, setupTimeout, lookMilliseconds }: Http2SessionOptions): Http2Sessions {
  const silence = openSilence(lookMilliseconds);
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
      // It is destroyed when its last stream has ended; then it waits for the client, who may never close.
      const look = setInterval(() => session.destroyed && socket.destroy(), patience).unref();
      session.on("close", () => clearInterval(look));
    };
    const late = setTimeout(finish, patience);
    const notify = (): void => {
      if (session.destroyed || session.closed) return;
      if (socket.writable) socket.write(shutdownNotice);
      // Its answer comes after every stream that the client had opened before it read the notice.
      if (!session.ping(finish)) finish();
    };
    // The first frame of a connection must be our settings: nothing may overtake them.
    if (session.pendingSettingsAck) session.once("localSettings", notify);
    else notify();
  };

  return {
    add: (session, socket) => {
      open.set(session, socket);
      silence.add(session, socket);
      // Over TLS, what is written to who broke off right after the handshake is never done with, and Node waits for it: such a
      // session keeps its socket when it is destroyed. All that is seen of it is that the client has ended its side.
      const giveUp = (): void => {
        session.destroy();
        socket.destroy();
      };
      let setup = setupTimeout === 0 ? undefined : setTimeout(giveUp, setupTimeout);
      const ended = (): void => {
        clearTimeout(setup);
        setup = setTimeout(giveUp, patience);
      };
      socket.once("end", ended);
      session.once("remoteSettings", () => {
        clearTimeout(setup);
        socket.off("end", ended);
      });
      // Not all at once: clients that came together would come again together.
      const age = maxAge === 0 ? undefined : setTimeout(() => leave(session, socket), maxAge * (0.9 + Math.random() * 0.2)).unref();
      session.on("close", () => {
        clearTimeout(setup);
        clearTimeout(age);
        socket.off("end", ended);
        open.delete(session);
        if (open.size === 0) whenEmpty?.();
      });
      if (closing) leave(session, socket); // its handshake began before the listener closed
    },
    close: async (milliseconds) => {
      closing = true;
      silence.close();
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
