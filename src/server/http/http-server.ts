/** The server below the routes: dispatches each request, of either protocol, to the fast path or to Fastify, and each connection to the server of its protocol. */
import { constants, createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Exchanges } from "../connections/exchanges.ts";
import type { Http1Connections } from "../connections/http1-connections.ts";
import type { Tls } from "../connections/tls.ts";
import type { GrpcTransport } from "../grpc/grpc.ts";
import type { UnreadResponses } from "../unread-responses.ts";
import type { FastPath } from "./fast-path.ts";
import { answerConnect, answerExpectation } from "./http-failures.ts";
import { openHttpListener } from "./http-listener.ts";
import { isHttp2 } from "./http-strict.ts";

/** What the server passes connections and requests to. */
export interface ServerOptions {
  readonly connections: Http1Connections;
  readonly exchanges: Exchanges;
  readonly fastPath: FastPath;
  readonly grpc: Pick<GrpcTransport, "openAcceptor">;
  readonly unread: UnreadResponses;
  readonly tls: Tls | undefined;
}

/** Creates the server; requests that `fastPath` does not take are passed to `handler`, the framework. */
export function openServer(
  config: Parameters<typeof openHttpListener>[0],
  handler: RequestListener,
  { connections, exchanges, fastPath, grpc, unread, tls }: ServerOptions,
): Server {
  const serve: RequestListener = (request, response) => {
    const { socket } = request;
    const isHttp1 = !isHttp2(request);
    if (isHttp1) connections.begin(request, response);
    const exchange = exchanges.begin(request, response);
    response.on("close", () => {
      if (isHttp1) connections.end(socket);
      exchanges.end(exchange);
    });
    const fallBack = (): void => handler(request, response);
    if (!fastPath.take(request, response, exchange, fallBack)) fallBack();
  };
  const http2 = openHttp2(serve);
  const accept = grpc.openAcceptor((stream, headers, flags, rawHeaders) => {
    headers["content-type"] ??= "application/json"; // Without a content type, Fastify would take a body of unknown length for none.
    http2.emit("stream", stream, headers, flags, rawHeaders);
  });
  const handlers = {
    added: (socket: Socket) => {
      connections.add(socket);
      unread.add(socket);
    },
    http2: (socket: Socket) => {
      connections.release(socket);
      // HTTP/1 may close one direction alone; over HTTP/2 nobody would close the other direction once the client has closed its own.
      socket.allowHalfOpen = false;
      accept(socket);
    },
  };
  const server = openHttpListener(config, serve, tls, handlers);
  // Without a listener, Node closes the connection without an answer.
  server.on("connect", ({ socket }) => {
    socket.on("error", () => undefined); // Node has removed its own listener; the connection closes.
    connections.afterResponses(socket, () => {
      if (connections.hasRespondedEarly(socket)) socket.destroySoon();
      else answerConnect(socket, connections.linger);
    });
  });
  return server.on("checkExpectation", (request, response) => {
    const { socket } = request;
    connections.begin(request, response);
    response.on("close", () => connections.end(socket));
    connections.respondsEarly(socket); // A client that did not wait for `100 Continue` is still sending its body.
    answerExpectation(request, response);
  });
}

/** Turns HTTP/2 streams that are not gRPC into requests. */
function openHttp2(serve: RequestListener): Http2Server {
  const http2 = createHttp2Server();
  http2.on("request", (request, response) => {
    // The response was sent before the whole request had arrived. Unless the rest is read, the connection does not notice when its
    // client closes it.
    request.stream.on("finish", () => {
      if (request.complete) return;
      request.resume();
      setTimeout(() => request.stream.close(constants.NGHTTP2_CANCEL), 2000).unref();
    });
    // Fastify serves requests of both protocols, but its types declare only HTTP/1.
    serve(request as unknown as IncomingMessage, response as unknown as ServerResponse & { req: IncomingMessage });
  });
  return http2;
}
