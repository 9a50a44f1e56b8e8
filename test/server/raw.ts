/** Bytes as they are, to a server and back: for what no client library would ever send. */
import { connect, type Socket } from "node:net";

/** A connection whose answers pile up as text. */
export interface RawConnection {
  readonly socket: Socket;
  readonly write: (text: string | Uint8Array) => void;
  /** What has come back so far, a character a byte. */
  readonly received: () => string;
  /** Resolves with all that came back, once the server has closed it. */
  readonly closed: Promise<string>;
}

/** Connects to `http://host:port` or `host:port`; what it sends at once is on its way when this resolves. */
export function openRaw(address: string, first: string | Uint8Array = ""): Promise<RawConnection> {
  const [host = "", port = ""] = address.replace("http://", "").split(":");
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect({ host, port: Number(port), noDelay: true });
    socket.setEncoding("latin1").on("data", (text: string) => void (received += text));
    const closed = new Promise<string>((done) => socket.on("close", () => done(received)));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.on("error", () => undefined); // a reset is one way to be closed
      if (first.length > 0) socket.write(first);
      resolve({ socket, write: (text) => void socket.write(text), received: () => received, closed });
    });
  });
}

/** Sends bytes and returns all that comes back until the server closes. */
export async function exchange(address: string, bytes: string | Uint8Array): Promise<string> {
  const { closed } = await openRaw(address, bytes);
  return closed;
}

/** The statuses of the answers in a text; the next one begins right behind a body. */
export function statuses(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
