/** The HTTP server, put together from its parts: limits, content types, routes, and errors in one shape (D6). */
import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import type { Address } from "../../config/address.ts";
import type { Config } from "../../config/settings.ts";
import { logOf, type Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { addCompression } from "./compression.ts";
import { addCors } from "./cors.ts";
import { openExchanges } from "../connections/exchanges.ts";
import { openFastPath } from "./fast-path.ts";
import type { GrpcTransport } from "../grpc/grpc.ts";
import type { Health } from "../health.ts";
import { openHttp1Connections } from "../connections/http1-connections.ts";
import { addAdminGate, administrationOf } from "./http-admin.ts";
import { answerUnreadable } from "./http-answer.ts";
import { readBody } from "./http-body.ts";
import { answerClientError, clientWentAway, failureOf, requestFailed } from "./http-failures.ts";
import { sendFailure } from "./http-reply.ts";
import { addRoutes, sendNoRoute } from "./http-routes.ts";
import { openServer } from "./http-server.ts";
import { ambiguityOf, isUnusualPath, isHttp2 } from "./http-strict.ts";
import { listen, type Listener } from "../connections/listen.ts";
import type { Service } from "../service.ts";
import { stopListening, type SharedAddress } from "../connections/stop-listening.ts";
import type { Tls } from "../connections/tls.ts";
import type { UnreadResponses } from "../unread-responses.ts";

/** The HTTP server, ready to listen. */
export interface HttpTransport {
  /** Listens and returns the address in use. */
  readonly listen: (listener: Listener) => Promise<Address>;
  /** Stops accepting connections. */
  readonly stopListening: (milliseconds: number, sharing: SharedAddress) => Promise<void>;
  /** Stops accepting connections, answers the requests that have been sent, and closes what is left after `milliseconds`. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** What the server serves. */
export interface HttpOptions {
  readonly service: Service;
  readonly health: Health;
  readonly metrics: Pick<Metrics, "http" | "text" | "contentType">;
  /** Serves connections that speak HTTP/2. */
  readonly grpc: Pick<GrpcTransport, "openAcceptor">;
  readonly unread: UnreadResponses;
  readonly tls?: Tls;
  readonly log: Log;
}

/** The settings that are read here. */
export type HttpConfig = Pick<Config, Extract<keyof Config, `server.${string}` | "telemetry.enabled">>;

/** Creates the routes; the server does not listen yet. */
export async function openHttp(config: HttpConfig, options: HttpOptions): Promise<HttpTransport> {
  const { service, health, metrics, grpc, unread, tls, log: parent } = options;
  const log = logOf(parent, "authz.http");
  const bodyLimit = config["server.advanced.grpc.maxRecvMsgSizeBytes"];
  const connections = openHttp1Connections();
  const exchanges = openExchanges(
    { readTimeout: config["server.advanced.http.readTimeout"], writeTimeout: config["server.advanced.http.writeTimeout"] },
    metrics.http,
  );
  let draining = false;
  const fastPath = openFastPath(config, { service, unread, log, isDraining: () => draining });

  const app = fastify({
    bodyLimit,
    schemaController: { compilersFactory: noSchemas },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
    clientErrorHandler: (error, socket) =>
      connections.afterResponses(socket, () => {
        if (connections.hasRespondedEarly(socket)) socket.destroySoon();
        else answerClientError(error, socket, connections.linger);
      }),
    serverFactory: (handler) => openServer(config, handler, { connections, exchanges, fastPath, grpc, unread, tls }),
  });
  const fail = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): unknown => {
    if (request.raw.destroyed && !request.raw.complete) return log.debug(clientWentAway);
    const { status, code, message } = failureOf(error, bodyLimit);
    if (status === 500) log.error({ err: error }, requestFailed);
    // For administration, credentials are checked first (D7).
    const asked = status === 500 ? undefined : administrationOf(request);
    if (asked !== undefined) return answerUnreadable({ service, unread }, asked, request, reply, { status, code, message });
    return sendFailure(request, reply, status, code, message);
  };
  app.setErrorHandler(fail);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", ({ raw }, _payload, done) =>
    readBody(raw, bodyLimit, (error, body) => {
      const exchange = exchanges.of(raw);
      if (exchange !== undefined && body !== undefined) exchange.requestBytes = body.length;
      done(error, body);
    }),
  );

  app.addHook("onRequest", (request, reply, done) => {
    const ambiguity = ambiguityOf(request.raw);
    if (ambiguity !== undefined) return void sendFailure(request, reply.header("connection", "close"), 400, "INVALID_ARGUMENT", ambiguity);
    if (isUnusualPath(request.url)) return void sendNoRoute(request, reply);
    return done();
  });
  addCors(app, config);
  addAdminGate(app, config);
  addCompression(app);

  addRoutes(app, config, { service, health, metrics, unread, exchanges });

  // This hook must be the last `onSend` hook: it measures what is actually sent.
  app.addHook("onSend", (request, reply, payload, done) => {
    if (isHttp2(request.raw)) reply.removeHeader("connection"); // HTTP/2 has no such thing
    else {
      if (draining) reply.header("connection", "close");
      if (!request.raw.complete) connections.respondsEarly(request.raw.socket);
    }
    const exchange = exchanges.of(request.raw);
    if (exchange !== undefined) {
      exchange.sendingSince = performance.now();
      if (typeof payload === "string" || Buffer.isBuffer(payload)) exchange.responseBytes = Buffer.byteLength(payload);
    }
    done(null, payload);
  });
  await app.ready();

  return {
    listen: (listener) => listen(app.server, listener),
    stopListening: (milliseconds, sharing) => stopListening(app.server, milliseconds, sharing),
    close: async (milliseconds) => {
      // Stop accepting first, and only then send `connection: close`: a client that reconnects then goes elsewhere, and no request is
      // lost.
      await stopListening(app.server, milliseconds);
      draining = true;
      await connections.close(milliseconds);
      exchanges.close();
      app.server.close();
    },
  };
}

/** No route has a schema. Without this, Fastify would load its schema compiler at every start. */
const withoutSchemas = (): never => {
  throw new Error("no route has a schema");
};
const noSchemas = { buildValidator: withoutSchemas, buildSerializer: withoutSchemas };
