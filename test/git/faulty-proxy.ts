/** A TCP proxy that does to a connection what networks do: cuts, delays, flips bits, hangs, refuses. */
import { randomInt } from "node:crypto";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What goes wrong. Bytes are counted in what the server sends, from the first `PACK` when `inPack` says so. */
export type Fault =
  | { readonly kind: "none" }
  /** Nobody listens. */
  | { readonly kind: "down" }
  /** Connections are accepted and never answered. */
  | { readonly kind: "hang" }
  /** Connections are accepted and reset. */
  | { readonly kind: "reset" }
  /** The connection ends after so many bytes. */
  | { readonly kind: "cut"; readonly after: number; readonly inPack?: boolean }
  /** The answer stops after so many bytes, and the connection stays. */
  | { readonly kind: "stall"; readonly after: number; readonly inPack?: boolean }
  /** One bit is another. */
  | { readonly kind: "flip"; readonly at: number; readonly inPack?: boolean }
  /** Everything comes so much later. */
  | { readonly kind: "delay"; readonly milliseconds: number };

/** A proxy in front of a port. */
export interface FaultyProxy {
  readonly port: number;
  /** From now on; connections that are open are closed. */
  readonly setFault: (fault: Fault) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens one on a free port. */
export async function openFaultyProxy(target: number): Promise<FaultyProxy> {
  let fault: Fault = { kind: "none" };
  const sockets = new Set<Socket>();
  const forget = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    forget(client);
    if (fault.kind === "reset") return void client.resetAndDestroy();
    if (fault.kind === "hang") return void client.resume();
    const upstream = connect(target, "127.0.0.1");
    forget(upstream);
    client.pipe(upstream);
    const pass = damage(fault);
    upstream.on("data", (chunk: Buffer) => {
      const { bytes, ends } = pass(chunk);
      const send = (): void => {
        if (client.destroyed) return;
        client.write(bytes);
        if (ends) client.end();
      };
      if (fault.kind === "delay") setTimeout(send, fault.milliseconds);
      else send();
    });
    upstream.on("end", () => {
      if (fault.kind === "delay") setTimeout(() => client.end(), fault.milliseconds);
      else if (fault.kind !== "stall") client.end();
    });
    client.on("close", () => upstream.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => void server.once("error", reject).listen(port, "127.0.0.1", () => resolve()));
  // A port that the system gives to nobody by itself: while the proxy is down, no one else may listen there.
  for (let tries = 0; !server.listening; tries++)
    await listen(randomInt(12_000, 32_000)).catch((error: unknown) => {
      if (tries === 20) throw error;
    });
  // A TCP server's address has a port.
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) server.close(() => resolve());
      else resolve();
    });
  return {
    port,
    setFault: async (next) => {
      fault = next;
      for (const socket of sockets) socket.destroy();
      if (fault.kind === "down") {
        await stop();
        await refuses(port);
      } else if (!server.listening) await listen(port);
      // Whoever kept a connection hears that it is closed before anybody asks again.
      await delay(10);
      // A timer comes before what has arrived: after one look at the sockets it has been heard.
      await new Promise(setImmediate);
    },
    close: stop,
  };
}

/** Waits until nobody listens: a program that was started at that moment holds the listener for as long as it takes to begin. */
async function refuses(port: number): Promise<void> {
  for (;;) {
    const code = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.destroy());
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code)).on("close", () => resolve(undefined));
    });
    if (code === "ECONNREFUSED") return;
  }
}

function damage(fault: Fault): (chunk: Buffer) => { readonly bytes: Buffer; readonly ends: boolean } {
  let [counted, counts] = [0, !("inPack" in fault && fault.inPack)];
  return (chunk) => {
    let from = 0;
    if (!counts) {
      const start = chunk.indexOf("PACK");
      if (start === -1) return { bytes: chunk, ends: false };
      [from, counts] = [start, true];
    }
    const place = (fault.kind === "flip" ? fault.at : "after" in fault ? fault.after : Infinity) - counted + from;
    counted += chunk.length - from;
    if (fault.kind === "flip" && place >= 0 && place < chunk.length) {
      const bytes = Buffer.from(chunk);
      bytes[place] = (bytes[place] ?? 0) ^ 0b100;
      return { bytes, ends: false };
    }
    if ((fault.kind === "cut" || fault.kind === "stall") && place < chunk.length)
      return { bytes: chunk.subarray(0, Math.max(0, place)), ends: fault.kind === "cut" };
    return { bytes: chunk, ends: false };
  };
}
