/** Which protocol a new connection speaks, told by its first bytes; whoever says nothing for too long is cut off. */
import type { Socket } from "node:net";

/** With these bytes, and no others, HTTP/2 begins where it was not agreed on before (RFC 9113, 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Who takes the connection over; the bytes that were looked at are in it again. */
export interface Protocols {
  readonly http1: (socket: Socket) => void;
  readonly http2: (socket: Socket) => void;
}

/** Waits for the first bytes of a connection, at most so long (0: for ever), and hands it over. */
export function handOver(socket: Socket, milliseconds: number, { http1, http2 }: Protocols): void {
  let seen = Buffer.alloc(0);
  const late = milliseconds === 0 ? undefined : setTimeout(() => socket.destroy(), milliseconds);
  const gone = (): void => {
    clearTimeout(late);
    socket.destroy();
  };
  const look = (): void => {
    for (let part: unknown = socket.read(); Buffer.isBuffer(part); part = socket.read()) seen = Buffer.concat([seen, part]);
    const compared = Math.min(seen.length, preface.length);
    const alike = seen.subarray(0, compared).equals(preface.subarray(0, compared));
    if (alike && compared < preface.length) return; // not enough to tell
    clearTimeout(late);
    socket.off("readable", look).off("end", gone).off("error", gone).off("close", gone);
    socket.unshift(seen);
    if (alike) http2(socket);
    else http1(socket);
  };
  socket.on("readable", look).on("end", gone).on("error", gone).on("close", gone);
}
