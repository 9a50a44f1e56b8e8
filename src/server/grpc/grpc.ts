/** The gRPC server: its own listener, and an entry for HTTP/2 connections that the HTTP listener accepted. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { logVerbosity, Server, setLogVerbosity } from "@grpc/grpc-js";
import type { Address } from "../../config/address.ts";
import type { Config } from "../../config/settings.ts";
import type { Log } from "../../observe/log.ts";
import { addChannelz } from "./channelz.ts";
import { openDecompression } from "./compressed-messages.ts";
import { addCalls } from "./grpc-calls.ts";
import { openAcceptor, type AcceptConnection, type NewStream } from "./grpc-acceptor.ts";
import { openGrpcFastPath } from "./grpc-fast-path.ts";
import { replaceTooLargeMessage } from "./grpc-too-large.ts";
import { replaceUnknownCallMessage } from "./grpc-unknown-call.ts";
import { addHealth, type HealthWatches } from "./health-protocol.ts";
import { logNotHttp2 } from "./not-http2.ts";
import { handOverWholeMessages } from "./whole-messages.ts";
import type { Health } from "../health.ts";
import { openHttp2Sessions } from "../connections/http2-sessions.ts";
import { keepAlive } from "../connections/keep-alive.ts";
import { recordPeer } from "../connections/peer.ts";
import { listen, type Listener } from "../connections/listen.ts";
import { addReflection, type Reflections } from "./reflection.ts";
import type { Service } from "../service.ts";
import { stopListening, type SharedAddress } from "../connections/stop-listening.ts";
import { openStreamLimits } from "../connections/stream-limits.ts";
import { updateOnChange, serverOptions, type Tls } from "../connections/tls.ts";
import type { UnreadResponses } from "../unread-responses.ts";

/** The gRPC server, ready to listen. */
export interface GrpcTransport {
  /** Listens and returns the address in use. */
  readonly listen: (listener: Listener) => Promise<Address>;
  /** Returns a function that accepts HTTP/2 connections of another listener; their streams that are not gRPC go to `others`. */
  readonly openAcceptor: (others: (...stream: NewStream) => void) => AcceptConnection;
  /** Stops accepting connections. */
  readonly stopListening: (milliseconds: number, sharing: SharedAddress) => Promise<void>;
  /** Stops accepting connections, answers the calls that have been sent, and closes what is left after `milliseconds`. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** What the server serves. */
export interface GrpcOptions {
  readonly service: Service;
  readonly health: Health;
  readonly unread: UnreadResponses;
  readonly tls?: Tls;
  readonly log: Log;
}

/** The settings that are read here. */
export type GrpcConfig = Pick<Config, Extract<keyof Config, `server.${string}`>>;

/** Creates the server; it does not listen yet. */
export function openGrpc(config: GrpcConfig, { service, health, unread, tls, log }: GrpcOptions): GrpcTransport {
  setLogVerbosity(logVerbosity.NONE); // grpc-js would log to standard error by itself; what matters reaches us as errors.
  const admin = config["server.adminAPI.enabled"];
  const maxStreams = config["server.advanced.grpc.maxConcurrentStreams"];
  const setupTimeout = config["server.advanced.grpc.connectionTimeout"];
  const maxBytes = config["server.advanced.grpc.maxRecvMsgSizeBytes"];
  const server = new Server({
    "grpc.max_receive_message_length": maxBytes,
    // Channelz counters cost something for every call, and only administrators can query them.
    "grpc.enable_channelz": admin ? 1 : 0,
    ...(maxStreams > 0 && { "grpc.max_concurrent_streams": maxStreams }),
  });
  const maxValues = config["server.requestLimits.maxValuesPerRequest"];
  let watches: HealthWatches | undefined;
  let reflections: Reflections | undefined;
  let [isComplete, isClosing] = [false, false];
  // Services are added when first used: loading the descriptors of all messages takes long, and neither usual checks nor health probes
  // need them.
  const addServices = (path: string): void => {
    watches ??= addHealth(server, health);
    if (isClosing) watches.end();
    if (isComplete || path.startsWith("/grpc.health.v1.Health/")) return;
    isComplete = true;
    addCalls(server, service, { admin, unread, maxValues });
    if (!admin) return;
    reflections = addReflection(server);
    addChannelz(server);
  };

  const sessions = openHttp2Sessions({ maxAge: config["server.advanced.grpc.maxConnectionAge"], setupTimeout });
  const limits = openStreamLimits({
    readTimeout: config["server.advanced.http.readTimeout"],
    writeTimeout: config["server.advanced.http.writeTimeout"],
  });
  unread.addList(limits.streams); // Streams are registered in one list only, because each registration costs every call something.
  // With the administration API on, every call goes through grpc-js, so that channelz counts it.
  const take = admin ? undefined : openGrpcFastPath({ service, unread, maxValues, maxBytes });
  const decompress = openDecompression(maxBytes);
  const beforeServing = (headers: IncomingHttpHeaders, stream: ServerHttp2Stream): void => {
    const { ":path": path = "" } = headers;
    addServices(path);
    handOverWholeMessages(stream, headers, { maxBytes, decompress });
    replaceTooLargeMessage(stream, maxBytes);
    replaceUnknownCallMessage(stream, path);
  };
  const watchers = { sessions, limits, unread, sessionFailed: logNotHttp2(log), take, beforeServing };
  const listener = openListener(openAcceptor(server, watchers), setupTimeout, tls);
  return {
    listen: (where) => listen(listener, where),
    openAcceptor: (others) => openAcceptor(server, watchers, others),
    stopListening: (milliseconds, sharing) => stopListening(listener, milliseconds, sharing),
    close: async (milliseconds) => {
      isClosing = true;
      watches?.end();
      await stopListening(listener, milliseconds);
      reflections?.end();
      await sessions.close(milliseconds);
      limits.close();
      server.forceShutdown();
    },
  };
}

function openListener(accept: AcceptConnection, setupTimeout: number, tls: Tls | undefined): NetServer {
  const take = (socket: Socket): void => {
    recordPeer(socket, listener);
    accept(socket);
  };
  const listener = tls === undefined ? createServer({ ...keepAlive, noDelay: true }, take) : openTlsListener(take, setupTimeout, tls);
  return listener;
}

function openTlsListener(take: AcceptConnection, setupTimeout: number, tls: Tls): NetServer {
  const options = { ...keepAlive, noDelay: true, ALPNProtocols: ["h2"], ...(setupTimeout > 0 && { handshakeTimeout: setupTimeout }) };
  const listener = createTlsServer({ ...options, ...serverOptions(tls.current()) }, (socket) => {
    if (socket.alpnProtocol === "h2") take(socket);
    else socket.destroy();
  });
  listener.on("tlsClientError", (_error, socket) => socket.destroy());
  updateOnChange(tls, listener);
  return listener;
}
