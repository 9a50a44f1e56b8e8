/** The listener of the HTTP port: accepts HTTP/1 and HTTP/2, plain or over TLS, and hands each connection to the server of its protocol. */
import { createServer, type Server, type ServerOptions, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Config } from "../../config/settings.ts";
import { invariant } from "../../../runtime/cel/error.ts";
import { handOver } from "../connections/first-bytes.ts";
import { keepAlive } from "../connections/keep-alive.ts";
import { meet } from "../connections/peer.ts";
import { keepWhilePaused } from "../connections/paused.ts";
import { follow, serverOptions, type Tls } from "../connections/tls.ts";

/** The settings it goes by. */
export type HttpListenerConfig = Pick<
  Config,
  "server.advanced.http.readTimeout" | "server.advanced.http.readHeaderTimeout" | "server.advanced.http.idleTimeout"
>;

/** Who is told of connections. */
export interface ConnectionTakers {
  /** Sees every connection as it comes. */
  readonly added: (socket: Socket) => void;
  /** Serves a connection of HTTP/2. */
  readonly http2: (socket: Socket) => void;
}

/** Bytes that the address of a request and its headers may have together: as many as over HTTP/2, and enough for some two hundred of the longest ids. */
export const mostHeaderBytes = 2 ** 16;

/** Opens it; it does not listen yet. */
export function openHttpListener(
  config: HttpListenerConfig,
  handler: RequestListener,
  tls: Tls | undefined,
  takers: ConnectionTakers,
): Server {
  const limits = limitsOf(config);
  if (tls === undefined) {
    const server = createServer(limits, handler);
    const http1 = takeOver(server, "connection");
    server.on("connection", (socket: Socket) => {
      meet(socket, server);
      takers.added(socket);
      handOver(socket, config["server.advanced.http.readHeaderTimeout"], { http1, http2: takers.http2 });
    });
    return server;
  }
  const handshakeTimeout = config["server.advanced.http.readHeaderTimeout"];
  const server = createTlsServer(
    {
      ...limits,
      ...serverOptions(tls.current()),
      // Clients of gRPC offer h2 alone; who speaks both gets HTTP/1, which costs less here.
      ALPNProtocols: ["http/1.1", "h2"],
      ...(handshakeTimeout > 0 && { handshakeTimeout }),
    },
    handler,
  );
  const http1 = takeOver(server, "secureConnection");
  server.on("secureConnection", (socket) => {
    meet(socket, server);
    takers.added(socket);
    if (socket.alpnProtocol === "h2") takers.http2(socket);
    else {
      http1(socket);
      keepWhilePaused(socket);
    }
  });
  follow(tls, server);
  return server;
}

/** Takes Node's own listener for connections away, and returns how to call it. */
function takeOver(server: Server, event: "connection" | "secureConnection"): (socket: Socket) => void {
  const [serve, ...others] = server.listeners(event);
  invariant(serve !== undefined && others.length === 0, "an HTTP server serves the connections that it takes, and nobody else does");
  server.removeAllListeners(event);
  return (socket) => void Reflect.apply(serve, server, [socket]);
}

function limitsOf(config: HttpListenerConfig): ServerOptions {
  const [requestTimeout, headers] = [config["server.advanced.http.readTimeout"], config["server.advanced.http.readHeaderTimeout"]];
  const headersTimeout = requestTimeout > 0 && headers > 0 ? Math.min(headers, requestTimeout) : headers;
  const shortest = Math.min(...[requestTimeout, headersTimeout, 4000].filter((limit) => limit > 0));
  return {
    ...keepAlive,
    noDelay: true,
    requestTimeout,
    headersTimeout,
    connectionsCheckingInterval: Math.max(Math.floor(shortest / 4), 20),
    keepAliveTimeout: config["server.advanced.http.idleTimeout"],
    maxHeaderSize: mostHeaderBytes,
    requireHostHeader: false, // we say so in our own words
  };
}
