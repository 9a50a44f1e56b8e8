/** An HTTP proxy that leads to servers of this machine, whatever host is asked for, and can fail in every way that proxies do. */
import { createServer, request as forward, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Pair } from "./certificates.ts";

/** What goes wrong. */
export type ProxyFault =
  | { readonly kind: "none" }
  /** The request is taken, and never answered. */
  | { readonly kind: "hang" }
  /** The connection ends before there is an answer. */
  | { readonly kind: "drop" }
  /** It answers that it connects, and then ends the connection, or sends something else than the server's bytes. */
  | { readonly kind: "connected"; readonly next: "end" | "reset" | "garbage" | "nothing" }
  | { readonly kind: "status"; readonly status: number };

export interface ProxyOptions {
  /** Its certificate; without, it is asked without TLS. */
  readonly pair?: Pair;
  /** Whoever does not send these gets 407. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

export interface ProxyServer {
  readonly port: number;
  readonly setFault: (fault: ProxyFault) => void;
  /** The request lines so far. */
  readonly asked: readonly string[];
  /** How many connections to it are open. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Starts one on a port of its own. */
export async function startProxy({ pair, credentials }: ProxyOptions = {}): Promise<ProxyServer> {
  let fault: ProxyFault = { kind: "none" };
  const asked: string[] = [];
  const expected = credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
  const statusFor = (sent: string | undefined): number | undefined =>
    fault.kind === "status" ? fault.status : expected === undefined || sent === expected ? undefined : 407;

  const listener: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (fault.kind === "hang") return;
    if (fault.kind === "drop") return void request.socket.destroy();
    const { "proxy-authorization": sent, ...headers } = request.headers;
    const status = statusFor(sent);
    if (status !== undefined) return void response.writeHead(status).end("no");
    const { port, pathname, search } = new URL(request.url ?? "");
    const onward = forward({ host: "127.0.0.1", port, path: pathname + search, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  };
  const server = pair === undefined ? createServer(listener) : createTlsServer({ cert: pair.certificate, key: pair.key }, listener);
  server.on("connect", (request, socket: Duplex) => {
    asked.push(`${request.method} ${request.url}`);
    socket.on("error", () => undefined);
    socket.on("end", () => socket.end());
    if (fault.kind === "hang") return void socket.resume(); // Only who reads notices the end.
    if (fault.kind === "drop") return void socket.destroy();
    const status = statusFor(request.headers["proxy-authorization"]);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`);
    const connected = "HTTP/1.1 200 Connection established\r\n\r\n";
    if (fault.kind === "connected") {
      socket.resume();
      if (fault.next === "garbage") return void socket.end(`${connected}HTTP/1.1 502 Bad Gateway\r\n\r\n`);
      const { next } = fault;
      return void socket.write(connected, () => void (next === "end" ? socket.end() : next === "reset" && socket.destroy()));
    }
    const onward = connect(Number(request.url?.split(":").at(-1)), "127.0.0.1", () => {
      socket.write(connected);
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    onward.on("close", () => socket.destroy());
    socket.on("close", () => onward.destroy());
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    setFault: (next) => void (fault = next),
    asked,
    connections: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
