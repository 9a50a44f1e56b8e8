/** Logs why a client's handshake is not accepted: the client itself only sees that the connection ends. */
import type { TLSSocket } from "node:tls";
import type { Log } from "../../observe/log.ts";
import { codeOf } from "../../refusal.ts";

/** Called with every handshake that fails. */
export type HandshakeFailed = (error: Error, socket: TLSSocket) => void;

/** Each reason is logged at most once in this many milliseconds, because a client can fail again and again. */
const quietMilliseconds = 60_000;

const sentences: ReadonlyMap<string, string> = new Map([
  ["ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE", "it showed no certificate"],
  ["INVALID_PURPOSE", "its certificate is not for clients: an extendedKeyUsage must name clientAuth"],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet"],
  ["ERR_SSL_HTTP_REQUEST", "it sent plain HTTP to a TLS port: its address must begin with https://"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "it sent to a TLS port what is not TLS, such as gRPC without TLS"],
  ["ERR_SSL_UNSUPPORTED_PROTOCOL", "it offers no TLS version from 1.2 on"],
]);

/**
 * Returns a handler that logs handshakes refused for the client's certificate, or because the client uses no TLS, or an old one. Other
 * failed handshakes are frequent and not actionable, and are not logged.
 */
export function logRejectedCertificates(log: Pick<Log, "warn">): HandshakeFailed {
  const toldAt = new Map<string, number>();
  return (error, socket) => {
    // `authorizationError` is set after verification. Its declared type is Error, but its value is a code.
    const verified: unknown = socket.authorizationError;
    const code = typeof verified === "string" ? verified : (codeOf(error) ?? "");
    const reason =
      sentences.get(code) ?? (typeof verified === "string" ? "server.tls.caCert does not vouch for its certificate" : undefined);
    if (reason === undefined) return;
    const [now, before] = [Date.now(), toldAt.get(code)];
    if (before !== undefined && Math.abs(now - before) < quietMilliseconds) return;
    toldAt.set(code, now);
    log.warn({ "error.code": code }, `a client was turned away: ${reason} (logged once a minute)`);
  };
}
