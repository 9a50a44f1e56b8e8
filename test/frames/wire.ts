/** Plays a script on a connection of its own: over TCP, TLS or a socket file. */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Heard, Script } from "./script.ts";

/** Where a face of the server is. */
export interface Place {
  readonly to: { readonly host: string; readonly port: number } | { readonly path: string };
  /** The authority whose certificates are trusted; absent where nothing is encrypted. */
  readonly authority?: string | undefined;
}

/** How long an answer may take. */
const patience = 50_000;
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Plays it to its end. */
export async function play(script: Script, { to, authority }: Place): Promise<Heard> {
  const raw = connect({ ...to, allowHalfOpen: true, noDelay: true });
  const socket: Socket =
    authority === undefined ? raw : connectTls({ socket: raw, ca: authority, servername: "localhost", ALPNProtocols: [script.protocol] });
  const parts: Buffer[] = [];
  let [isOver, isClosedByUs] = [false, false];
  let tell: () => void = () => undefined;
  const over = (): void => {
    isOver = true;
    tell();
  };
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    tell();
  });
  // A reset is one way to be closed.
  raw.on("error", over).on("close", over);
  socket.on("end", over).on("error", over).on("close", over);
  try {
    for (const step of script.steps) {
      if (isOver) break;
      switch (step.kind) {
        case "send":
          // Each packet of its own, as far as the system lets us say.
          await new Promise<void>((resolve) => {
            tell = resolve;
            socket.write(step.bytes, () => resolve());
          });
          tell = () => undefined;
          break;
        case "pause":
          await pause(step.milliseconds);
          break;
        case "deaf":
          socket.pause();
          await pause(step.milliseconds);
          socket.resume();
          break;
        case "end":
          // Node's own client of TLS hears nothing any more once it has ended its side.
          if (authority === undefined) socket.end();
          break;
        case "reset":
          isClosedByUs = true;
          if ("port" in to) raw.resetAndDestroy();
          socket.destroy();
          raw.destroy();
          return { bytes: Buffer.concat(parts), ended: "client" };
      }
    }
    const late = performance.now() + patience;
    for (;;) {
      if (isOver) return { bytes: Buffer.concat(parts), ended: isClosedByUs ? "client" : "server" };
      const bytes = Buffer.concat(parts);
      if (script.isDone(bytes)) return { bytes, ended: "client" };
      if (performance.now() > late) return { bytes, ended: "nobody" };
      await Promise.race([pause(500), new Promise<void>((resolve) => (tell = resolve))]);
    }
  } finally {
    socket.destroy();
    raw.destroy();
  }
}
