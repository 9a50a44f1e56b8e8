/** The listener of the HTTP port: accepts HTTP/1 and HTTP/2, plain or over TLS, and hands each connection to the server of its protocol. */
import { createServer, type Server, type ServerOptions, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Config } from "../../config/settings.ts";
import { invariant } from "../../../runtime/cel/error.ts";
import { detectProtocol } from "../connections/detect-protocol.ts";
import { keepAlive } from "../connections/keep-alive.ts";
import { recordPeer } from "../connections/peer.ts";
import { bufferWhilePaused } from "../connections/buffer-while-paused.ts";
import { updateOnChange, serverOptions, type Tls } from "../connections/tls.ts";

/** The settings that are read here. */
export type HttpListenerConfig = Pick<
  Config,
  "server.advanced.http.readTimeout" | "server.advanced.http.readHeaderTimeout" | "server.advanced.http.idleTimeout"
>;

/** Receives connections. */
export interface ConnectionHandlers {
  /** Called with every new connection. */
  readonly added: (socket: Socket) => void;
  /** Serves a connection that speaks HTTP/2. */
  readonly http2: (socket: Socket) => void;
}

/**
 * The most bytes of a request's URL and headers together: the same limit as over HTTP/2, and enough for some two hundred of the longest
 * ids.
 */
export const maxHeaderBytes = 2 ** 16;

/** The most headers, without limit within those bytes: Node would drop what stands behind a number of them, without a word. */
const maxHeaders = 0;

/** Creates the server; it does not listen yet. */
export function openHttpListener(
  config: HttpListenerConfig,
  handler: RequestListener,
  tls: Tls | undefined,
  handlers: ConnectionHandlers,
): Server {
  const limits = limitsOf(config);
  if (tls === undefined) {
    const server = createServer(limits, handler);
    server.maxHeadersCount = maxHeaders;
    const http1 = takeOver(server, "connection");
    server.on("connection", (socket: Socket) => {
      recordPeer(socket, server);
      handlers.added(socket);
      detectProtocol(socket, config["server.advanced.http.readHeaderTimeout"], { http1, http2: handlers.http2 });
    });
    return server;
  }
  const handshakeTimeout = config["server.advanced.http.readHeaderTimeout"];
  const server = createTlsServer(
    {
      ...limits,
      ...serverOptions(tls.current()),
      // gRPC clients offer only h2. A client that offers both gets HTTP/1.1, which costs less here.
      ALPNProtocols: ["http/1.1", "h2"],
      ...(handshakeTimeout > 0 && { handshakeTimeout }),
    },
    handler,
  );
  server.maxHeadersCount = maxHeaders;
  const http1 = takeOver(server, "secureConnection");
  server.on("secureConnection", (socket) => {
    recordPeer(socket, server);
    handlers.added(socket);
    if (socket.alpnProtocol === "h2") handlers.http2(socket);
    else {
      http1(socket);
      bufferWhilePaused(socket);
    }
  });
  updateOnChange(tls, server);
  return server;
}

/** Removes Node's own connection handler from a server and returns a function that calls it. */
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
    maxHeaderSize: maxHeaderBytes,
    requireHostHeader: false, // Checked in `http-strict.ts`, with our own message.
  };
}
