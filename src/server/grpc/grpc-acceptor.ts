/** Hands connections that another listener accepted to a gRPC server, and sees every stream before it does. */
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { ServerCredentials, type Server } from "@grpc/grpc-js";
import { invariant } from "../../../runtime/cel/error.ts";
import type { TakeStream } from "./grpc-fast-path.ts";
import { peerHeader } from "./grpc-headers.ts";
import { removeDistantDeadline } from "./grpc-timeout.ts";
import type { SessionFailed } from "./not-http2.ts";
import type { Http2Sessions } from "../connections/http2-sessions.ts";
import { peerOf } from "../connections/peer.ts";
import { cleartextStream } from "../connections/cleartext-stream.ts";
import type { StreamLimits } from "../connections/stream-limits.ts";
import type { UnreadResponses } from "../unread-responses.ts";

/** The arguments of Node's `stream` event. */
export type NewStream = readonly [stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]];

/** Accepts a connection that speaks HTTP/2, plain or after its TLS handshake. */
export type AcceptConnection = (socket: Socket) => void;

/** What is informed of sessions and streams. */
export interface AcceptorOptions {
  readonly sessions: Http2Sessions;
  readonly limits: StreamLimits;
  readonly unread: UnreadResponses;
  readonly sessionFailed: SessionFailed;
  /** The fast path: answers a stream without the gRPC server, if it can. */
  readonly take?: TakeStream | undefined;
  /** Called before a stream is passed to the gRPC server. */
  readonly beforeServing: (headers: IncomingHttpHeaders, stream: ServerHttp2Stream) => void;
}

/**
 * Returns a function that feeds connections to the gRPC server. Streams that are not gRPC go to `others`, or are refused by the gRPC
 * server when `others` is absent.
 */
export function openAcceptor(
  server: Server,
  { sessions, limits, unread, sessionFailed, take, beforeServing }: AcceptorOptions,
  others?: (...stream: NewStream) => void,
): AcceptConnection {
  const known = new Set(http2Servers(server));
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const inner = http2Servers(server).find((made) => !known.has(made));
  const serve = inner?.listeners("stream")[0];
  invariant(inner !== undefined && serve !== undefined, "a connection injector stands on an HTTP/2 server with a listener for streams");

  let entering: Socket | undefined;
  const peers = new WeakMap<object, string>();
  inner.on("session", (session: ServerHttp2Session) => {
    const socket = entering;
    invariant(socket !== undefined, "a session is made while its connection is accepted");
    peers.set(session, peerOf(socket));
    sessions.add(session, socket);
  });
  inner.on("sessionError", sessionFailed);
  inner.removeAllListeners("stream");
  inner.on("stream", (...[stream, headers, flags, rawHeaders]: NewStream) => {
    stream.on("error", ignore);
    // The stream was reset in the packet that opened it: there is nobody to answer, and an attempt would throw.
    if (stream.destroyed || stream.closed) return;
    const peer = stream.session === undefined ? "unknown" : (peers.get(stream.session) ?? "unknown");
    headers[peerHeader] = peer;
    if (others !== undefined && !headers["content-type"]?.includes("application/grpc")) {
      unread.add(stream);
      return others(stream, headers, flags, rawHeaders);
    }
    limits.add(stream, headers[":path"]);
    const fallBack = (): void => {
      removeDistantDeadline(headers);
      beforeServing(headers, stream);
      Reflect.apply(serve, inner, [stream, headers, flags, rawHeaders]);
    };
    if (take?.(stream, headers, peer, fallBack) !== true) fallBack();
  });
  return (socket) => {
    socket.on("error", () => socket.destroy());
    entering = socket;
    injector.injectConnection(socket instanceof TLSSocket ? cleartextStream(socket) : socket);
    entering = undefined;
  };
}

// A stream that fails is closed as well, so that nothing is left to do.
const ignore = (): void => undefined;

/**
 * grpc-js does not expose the HTTP/2 servers that it creates. Its version is pinned; if they cannot be found, `openAcceptor` fails at the
 * start.
 */
function http2Servers(server: Server): readonly EventEmitter[] {
  const made: unknown = Reflect.get(server, "http2Servers");
  return made instanceof Map ? [...made.keys()].filter((key) => key instanceof EventEmitter) : [];
}
