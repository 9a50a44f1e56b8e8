/** Detects whether a new connection speaks HTTP/1 or HTTP/2 by its first bytes; one that sends none for too long is cut off. */
import type { Socket } from "node:net";
import { bufferWhilePaused } from "./buffer-while-paused.ts";

/** The connection preface of HTTP/2 with prior knowledge (RFC 9113, 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Takes over the connection; no bytes have been consumed. */
export interface ProtocolHandlers {
  readonly http1: (socket: Socket) => void;
  readonly http2: (socket: Socket) => void;
}

/** Waits for the first bytes of a connection, at most `milliseconds` (0: without limit), and passes it to the handler of its protocol. */
export function detectProtocol(socket: Socket, milliseconds: number, { http1, http2 }: ProtocolHandlers): void {
  let seen: Buffer | undefined;
  const late = milliseconds === 0 ? undefined : setTimeout(() => socket.destroy(), milliseconds);
  const gone = (): void => {
    clearTimeout(late);
    socket.destroy();
  };
  const look = (part: Buffer): void => {
    seen = seen === undefined ? part : Buffer.concat([seen, part]);
    const compared = Math.min(seen.length, preface.length);
    const alike = seen.compare(preface, 0, compared, 0, compared) === 0;
    if (alike && compared < preface.length) return; // not enough bytes to tell
    clearTimeout(late);
    socket.off("data", look).off("end", gone).off("error", gone).off("close", gone);
    if (alike) {
      socket.pause();
      socket.unshift(seen);
      return http2(socket);
    }
    http1(socket);
    // The HTTP/1 parser is attached by now, so the bytes are emitted again. `unshift` would cost half as much as all other work of a
    // short connection.
    socket.emit("data", seen);
    // Those bytes may have made the parser pause the connection.
    if (socket.isPaused()) bufferWhilePaused(socket);
  };
  socket.on("data", look).on("end", gone).on("error", gone).on("close", gone);
}
