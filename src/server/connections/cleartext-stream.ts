/** The cleartext side of a TLS connection as a stream of its own, so that more than one writer can write to it, a whole frame at a time. */
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

/**
 * Returns the cleartext stream. Given the TLS socket itself, Node's HTTP/2 would write to its native handle, and no other writer could write
 * between its frames.
 */
export function cleartextStream(socket: TLSSocket): Duplex {
  const cleartext = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    writev: (chunks, done) => {
      socket.cork();
      for (const [at, { chunk }] of chunks.entries()) socket.write(chunk, at === chunks.length - 1 ? done : undefined);
      socket.uncork();
    },
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (part: Buffer) => {
    if (!cleartext.push(part)) socket.pause();
  });
  socket.on("end", () => void cleartext.push(null));
  socket.on("error", () => void cleartext.destroy()).on("close", () => void cleartext.destroy());
  return cleartext;
}
