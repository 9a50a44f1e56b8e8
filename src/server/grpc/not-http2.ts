/** Logs that a client sent something else than HTTP/2 to the gRPC port: the client itself only sees frames that it cannot read. */
import type { Log } from "../../observe/log.ts";

/** Called with every error of an HTTP/2 session. */
export type SessionFailed = (error: NodeJS.ErrnoException) => void;

/** What nghttp2 calls a connection that does not begin with the preface of HTTP/2 (NGHTTP2_ERR_BAD_CLIENT_MAGIC). */
const badClientMagic = -903;

/** It is logged at most once in this many milliseconds, because a misdirected probe comes again and again. */
const quietMilliseconds = 60_000;

/** Returns a function that logs a wrong beginning; all other errors of sessions are the clients' and are passed over. */
export function logNotHttp2(log: Log): SessionFailed {
  let toldAt: number | undefined;
  return ({ errno }) => {
    if (errno !== badClientMagic) return;
    const now = Date.now();
    if (toldAt !== undefined && Math.abs(now - toldAt) < quietMilliseconds) return;
    toldAt = now;
    log.warn(
      "a client sent to the gRPC port what is not HTTP/2: JSON over HTTP/1.1 goes to the HTTP port (setting server.httpListenAddr; logged once a minute)",
    );
  };
}
