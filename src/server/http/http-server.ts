/** The server below the routes: dispatches each request, of either protocol, to the fast path or to Fastify, and each connection to the server of its protocol. */
import { constants, createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Exchanges } from "../connections/exchanges.ts";
import type { Http1Connections } from "../connections/http1-connections.ts";
import type { Tls } from "../connections/tls.ts";
import type { GrpcFace } from "../grpc/grpc.ts";
import type { Unread } from "../unread.ts";
import type { Front } from "./front.ts";
import { answerExpectation } from "./http-failures.ts";
import { openHttpListener } from "./http-listener.ts";
import { isHttp2 } from "./http-strict.ts";

/** Who is told of connections and requests. */
export interface ServerOptions {
  readonly connections: Http1Connections;
  readonly exchanges: Exchanges;
  readonly front: Front;
  readonly grpc: Pick<GrpcFace, "openDoor">;
  readonly unread: Unread;
  readonly tls: Tls | undefined;
}

/** Opens the server; what `front` does not take goes to `handler`, the framework. */
export function openServer(
  config: Parameters<typeof openHttpListener>[0],
  handler: RequestListener,
  { connections, exchanges, front, grpc, unread, tls }: ServerOptions,
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
    const handOver = (): void => handler(request, response);
    if (!front.take(request, response, exchange, handOver)) handOver();
  };
  const http2 = openHttp2(serve);
  const letIn = grpc.openDoor((stream, headers, flags, rawHeaders) => {
    headers["content-type"] ??= "application/json"; // without one, a body of unknown length would be taken for none
    http2.emit("stream", stream, headers, flags, rawHeaders);
  });
  const takers = {
    added: (socket: Socket) => {
      connections.add(socket);
      unread.add(socket);
    },
    http2: (socket: Socket) => {
      connections.release(socket);
      // HTTP/1 may end one side alone; here, when the client has ended its side, nobody would ever end the other.
      socket.allowHalfOpen = false;
      letIn(socket);
    },
  };
  return openHttpListener(config, serve, tls, takers).on("checkExpectation", (request, response) => {
    const { socket } = request;
    connections.begin(request, response);
    response.on("close", () => connections.end(socket));
    connections.answersEarly(socket); // who did not wait to be told whether to go on is still sending
    answerExpectation(request, response);
  });
}

/** What makes requests of the streams of HTTP/2 that are not gRPC. */
function openHttp2(serve: RequestListener): Http2Server {
  const http2 = createHttp2Server();
  http2.on("request", (request, response) => {
    // Answered before the request was whole: as long as its rest is not read, the connection does not see its client go.
    request.stream.on("finish", () => {
      if (request.complete) return;
      request.resume();
      setTimeout(() => request.stream.close(constants.NGHTTP2_CANCEL), 2000).unref();
    });
    // Fastify serves either kind of request; it declares the other one alone.
    serve(request as unknown as IncomingMessage, response as unknown as ServerResponse & { req: IncomingMessage });
  });
  return http2;
}
