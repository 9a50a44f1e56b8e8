/** The HTTP face of the service: routes, sizes, content types, and errors in one shape (D6). */
import { constants, createServer as createHttp2Server } from "node:http2";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import type { Address } from "../../config/address.ts";
import type { Config } from "../../config/settings.ts";
import { logOf, type Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { apiPage } from "../api/api-page.ts";
import { addCompression } from "./compression.ts";
import { addCors, openForeignPages } from "./cors.ts";
import { openExchanges } from "../connections/exchanges.ts";
import { openFront } from "./front.ts";
import type { GrpcFace } from "../grpc/grpc.ts";
import type { Health } from "../health.ts";
import { openHttp1Connections } from "../connections/http1-connections.ts";
import { listAuditLog } from "./http-audit.ts";
import { answerCall, answerUnreadable, refuseOtherContent, type Answer } from "./http-answer.ts";
import { answerClientError, answerExpectation, clientWentAway, failureOf, requestFailed } from "./http-failures.ts";
import { openHttpListener } from "./http-listener.ts";
import { parametersOf, sendFailure, sendJson } from "./http-reply.ts";
import { ambiguityOf, isDisguised, isHttp2 } from "./http-strict.ts";
import { listen, type Listener } from "../connections/listen.ts";
import { openOpenApi } from "../api/openapi.ts";
import { routes, type HttpMethod, type Route } from "../calls/routes.ts";
import type { Service } from "../service.ts";
import { stopListening, type Sharing } from "../connections/stop-listening.ts";
import type { Tls } from "../connections/tls.ts";
import type { Unread } from "../unread.ts";

/** The HTTP server, ready to listen. */
export interface HttpFace {
  /** Listens and returns the address in use. */
  readonly listen: (listener: Listener) => Promise<Address>;
  /** Takes no more connections. */
  readonly stopListening: (milliseconds: number, sharing: Sharing) => Promise<void>;
  /** Takes no more connections, answers what has been sent, and cuts off what is left when the time is up. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** What is served. */
export interface HttpOptions {
  readonly service: Service;
  readonly health: Health;
  readonly metrics: Pick<Metrics, "http" | "text" | "contentType">;
  /** Takes over what is HTTP/2. */
  readonly grpc: Pick<GrpcFace, "openDoor">;
  readonly unread: Unread;
  readonly tls?: Tls;
  readonly log: Log;
}

/** The settings it goes by. */
export type HttpConfig = Pick<Config, Extract<keyof Config, `server.${string}` | "telemetry.enabled">>;

/** Opens the routes; the server does not listen yet. */
export async function openHttp(config: HttpConfig, options: HttpOptions): Promise<HttpFace> {
  const { service, health, metrics, grpc, unread, tls, log: parent } = options;
  const log = logOf(parent, "authz.http");
  const bodyLimit = config["server.advanced.grpc.maxRecvMsgSizeBytes"];
  const connections = openHttp1Connections();
  const exchanges = openExchanges(
    { readTimeout: config["server.advanced.http.readTimeout"], writeTimeout: config["server.advanced.http.writeTimeout"] },
    metrics.http,
  );
  let draining = false;
  const front = openFront(config, { service, unread, log, isDraining: () => draining });

  const app = fastify({
    bodyLimit,
    schemaController: { compilersFactory: noSchemas },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
    clientErrorHandler: (error, socket) =>
      connections.afterAnswers(socket, () => {
        if (connections.isAnsweredEarly(socket)) socket.destroySoon();
        else answerClientError(error, socket, connections.linger);
      }),
    serverFactory: (handler) => {
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
        answerExpectation(request, response);
      });
    },
  });
  const fail = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): unknown => {
    if (request.raw.destroyed && !request.raw.complete) return log.debug(clientWentAway);
    const { status, code, message } = failureOf(error, bodyLimit);
    if (status === 500) log.error({ err: error }, requestFailed);
    // Administrators are asked who they are first (D7).
    const asked = status === 500 ? undefined : administrationOf(request);
    if (asked !== undefined) return answerUnreadable({ service, unread }, asked, request, reply, { status, code, message });
    return sendFailure(request, reply, status, code, message);
  };
  app.setErrorHandler(fail);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
    const exchange = exchanges.of(request.raw);
    if (exchange !== undefined) exchange.requestBytes = body.length;
    done(null, body);
  });

  /** Every path with its methods; HEAD answers where GET does, every other method is 405. */
  const served: { readonly path: string; readonly method: HttpMethod; readonly matches: RegExp }[] = [];
  const add = (
    method: HttpMethod,
    path: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => Answer,
    onRequest?: typeof refuseOtherContent,
  ): void => {
    served.push({ path, method, matches: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/:\w+/g, "[^/]+")}$`) });
    app.route({ method, url: path, handler: answer, ...(onRequest !== undefined && { onRequest }) });
  };

  app.addHook("onRequest", (request, reply, done) => {
    const ambiguity = ambiguityOf(request.raw);
    if (ambiguity !== undefined) return void sendFailure(request, reply.header("connection", "close"), 400, "INVALID_ARGUMENT", ambiguity);
    if (isDisguised(request.url)) return void sendNoRoute(request, reply);
    return done();
  });
  addCors(app, config);
  const isFromForeignPage = openForeignPages(config);
  app.addHook("onRequest", (request, reply, done) => {
    // The route that was found: before the path there may be a host.
    if (!isAdminPath(request.routeOptions.url ?? request.url.split("?", 1)[0] ?? "")) return done();
    if (!config["server.adminAPI.enabled"]) {
      const why = "the administration API is disabled (setting server.adminAPI.enabled)";
      return void sendFailure(request, reply, 404, "UNIMPLEMENTED", why);
    }
    if (!isFromForeignPage(request.headers)) return done();
    const why = "pages of other origins may not administer, unless server.cors.allowedOrigins names theirs";
    return void sendFailure(request, reply, 403, "PERMISSION_DENIED", why);
  });
  addCompression(app);

  for (const route of routes) {
    if (!config["server.adminAPI.enabled"] && isAdminPath(route.path)) continue;
    add(
      route.method,
      route.path,
      (request, reply) => answerCall({ service, unread }, route, request, reply),
      // Administrators are asked who they are first (D7).
      route.question === "query" || isAdminPath(route.path) ? undefined : refuseOtherContent,
    );
  }
  if (config["server.adminAPI.enabled"])
    add("GET", "/admin/auditlog/list/:kind", (request, reply) => listAuditLog(service, request, reply, exchanges.of(request.raw)));
  add("GET", "/_authz/health", (request, reply) => {
    const name = parametersOf(request).get("service") ?? "";
    const status = health.status(name);
    if (status === undefined) return sendFailure(request, reply, 404, "NOT_FOUND", `unknown service \`${name}\``);
    if (status !== "SERVING") return sendFailure(request, reply, 503, "UNAVAILABLE", status);
    return sendJson(request, reply, 200, JSON.stringify({ status }));
  });
  if (config["server.metricsEnabled"] && config["telemetry.enabled"])
    add("GET", "/_authz/metrics", async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  const openApi = openOpenApi({ admin: config["server.adminAPI.enabled"] });
  add("GET", "/schema/swagger.json", (request, reply) => openApi.answer(request, reply));
  if (config["server.apiExplorerEnabled"]) add("GET", "/", (_request, reply) => reply.headers(apiPage.headers).send(apiPage.html));

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const here = served.filter(({ matches }) => matches.test(path)).map(({ method }) => method);
    const allowed = methods.filter((method) => here.includes(method === "HEAD" ? "GET" : method));
    if (allowed.length === 0) return sendNoRoute(request, reply);
    reply.header("allow", allowed.join(", "));
    const listed = allowed.join(", ").replace(/, (?=\w+$)/, " or ");
    return sendFailure(request, reply, 405, "UNIMPLEMENTED", `${request.method} is not allowed here: use ${listed}`);
  });

  // The last of these hooks: what it measures is what is sent.
  app.addHook("onSend", (request, reply, payload, done) => {
    if (isHttp2(request.raw)) reply.removeHeader("connection"); // HTTP/2 has no such thing
    else {
      if (draining) reply.header("connection", "close");
      if (!request.raw.complete) connections.answersEarly(request.raw.socket);
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
      // First nobody new, then "the last answer": a client that is told to come again finds nobody, but loses nothing.
      await stopListening(app.server, milliseconds);
      draining = true;
      await connections.close(milliseconds);
      exchanges.close();
      app.server.close();
    },
  };
}

/** In the order in which they are named. */
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

function sendNoRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split("?", 1)[0] ?? "";
  return sendFailure(request, reply, 404, "NOT_FOUND", `no such route: \`${request.method} ${path}\``);
}

/** The call of an administrator that a request was on its way to. */
const administrationOf = ({ method, routeOptions }: FastifyRequest): Route | undefined =>
  routes.find((route) => route.method === method && route.path === routeOptions.url && isAdminPath(route.path));

const isAdminPath = (path: string): boolean => path === "/admin" || path.startsWith("/admin/");

/** No route has a schema for fastify: without this it would load a compiler of schemas at every start. */
const withoutSchemas = (): never => {
  throw new Error("no route has a schema");
};
const noSchemas = { buildValidator: withoutSchemas, buildSerializer: withoutSchemas };
