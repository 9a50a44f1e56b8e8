/** The HTTP face of the service: routes, sizes, content types, and errors in one shape (D6). */
import { isUtf8 } from "node:buffer";
import type { Server } from "node:http";
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { pretty } from "../../runtime/wire/pretty.ts";
import { logOf, type Log } from "../observe/log.ts";
import { version } from "../version.ts";
import type { Health } from "./health.ts";
import { frontPage } from "./front-page.ts";
import { failure, httpStatus, type CodeName, type Reply } from "./reply.ts";
import type { Call, Service } from "./service.ts";

/** The HTTP server, ready to listen. */
export interface HttpFace {
  readonly server: Server;
  /** From now on every answer is the last of its connection, and new calls are refused. */
  readonly drain: () => void;
  /** Resolves when no connection is left, or when the time is up and the rest are cut off. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** What is served. */
export interface HttpOptions {
  readonly service: Service;
  readonly health: Health;
  readonly log: Log;
}

/** Bytes of a request, over either transport. */
export const bodyLimit = 4 * 1024 * 1024;

/** What answers where. HEAD answers where GET does; every other method is 405. */
const routes: readonly { readonly path: string; readonly method: "GET" | "POST" }[] = [
  { path: "/api/check/resources", method: "POST" },
  { path: "/api/server_info", method: "GET" },
  { path: "/_authz/health", method: "GET" },
  { path: "/", method: "GET" },
];

/** Opens the routes; the server does not listen yet. */
export async function openHttp({ service, health, log: parent }: HttpOptions): Promise<HttpFace> {
  const log = logOf(parent, "authz.http");
  let draining = false;

  const app: FastifyInstance = fastify({
    bodyLimit,
    // A client that dawdles does not hold a connection for ever.
    requestTimeout: 30_000,
    keepAliveTimeout: 120_000,
    http: { headersTimeout: 15_000 },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendFailure(request, reply, 400, "INVALID_ARGUMENT", sentenceOf(error)),
    clientErrorHandler: (error, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
      const [status, message] = clientErrors[error.code] ?? ["400 Bad Request", "the request is not HTTP"];
      const { text } = failure("INVALID_ARGUMENT", message);
      socket.end(
        `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
    },
  });

  app.addHook("onRequest", async (request, reply) => {
    if (!draining) return;
    return sendFailure(request, reply, 503, "UNAVAILABLE", "the server is shutting down");
  });
  app.addHook("onSend", async (_request, reply) => {
    if (draining) reply.header("connection", "close");
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0];
    const allowed = routes.filter((route) => route.path === path).map(({ method }) => (method === "GET" ? "GET, HEAD" : method));
    if (allowed.length === 0) return sendFailure(request, reply, 404, "NOT_FOUND", `no such route: \`${request.method} ${path ?? ""}\``);
    reply.header("allow", allowed.join(", "));
    return sendFailure(request, reply, 405, "UNIMPLEMENTED", `${request.method} is not allowed here: use ${allowed.join(" or ")}`);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (request.raw.destroyed && !request.raw.complete) return log.debug("the client went away before its request was complete");
    const [status, code] =
      knownErrors[error.code] ??
      (error.statusCode !== undefined && error.statusCode < 500
        ? ([error.statusCode, "INVALID_ARGUMENT"] as const)
        : ([500, "INTERNAL"] as const));
    if (status === 500) log.error({ err: error }, "a request failed");
    return sendFailure(request, reply, status, code, status === 500 ? "internal error" : sentenceOf(error));
  });

  app.post("/api/check/resources", { onRequest: refuseOtherContent }, (request, reply) => {
    const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
    if (!isUtf8(body)) return sendFailure(request, reply, 400, "INVALID_ARGUMENT", "the request body is not UTF-8 text");
    return sendReply(request, reply, service.checkResources(body.length === 0 ? "{}" : body.toString("utf8"), callOf(request)));
  });
  app.get("/api/server_info", (request, reply) => sendReply(request, reply, service.serverInfo(callOf(request))));
  app.get("/_authz/health", (request, reply) => {
    const name = new URLSearchParams(request.url.split("?")[1] ?? "").get("service") ?? "";
    const status = health.status(name);
    if (status === undefined) return sendFailure(request, reply, 404, "NOT_FOUND", `unknown service \`${name}\``);
    if (status !== "SERVING") return sendFailure(request, reply, 503, "UNAVAILABLE", status);
    return send(request, reply, 200, JSON.stringify({ status }));
  });
  app.get("/", (_request, reply) => reply.header("x-content-type-options", "nosniff").type("text/html; charset=utf-8").send(frontPage));
  await app.ready();

  return {
    server: app.server,
    drain: () => void (draining = true),
    close: (milliseconds) => closeWithin(app.server, milliseconds),
  };
}

const clientErrors: { readonly [code: string]: readonly [status: string, message: string] } = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "the request's headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "the request took too long to arrive"],
};

const knownErrors: { readonly [code: string]: readonly [status: number, code: CodeName] } = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, "RESOURCE_EXHAUSTED"],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, "INVALID_ARGUMENT"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, "INVALID_ARGUMENT"],
};

const sentences: { readonly [code: string]: string } = {
  FST_ERR_CTP_BODY_TOO_LARGE: `the request body is larger than ${bodyLimit} bytes`,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "the content type must be application/json",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "the request body is not as long as its content-length says",
  FST_ERR_BAD_URL: "the path is not a valid URL",
};

const sentenceOf = (error: FastifyError): string => sentences[error.code] ?? "the request cannot be read";

/** Anything but JSON is refused before its body is read; no content type at all counts as JSON. */
async function refuseOtherContent(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const type = request.headers["content-type"];
  if (type !== undefined && !/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type)) {
    return sendFailure(request, reply, 415, "INVALID_ARGUMENT", `the content type must be application/json, not \`${type}\``);
  }
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    return sendFailure(request, reply, 415, "INVALID_ARGUMENT", `the content encoding \`${encoding}\` is not supported`);
  }
  return undefined;
}

function callOf(request: FastifyRequest): Call {
  const { remoteAddress, remotePort } = request.socket;
  return { transport: "http", peer: remoteAddress === undefined ? "unix" : `${remoteAddress.replace(/^::ffff:/, "")}:${remotePort ?? 0}` };
}

function sendReply(request: FastifyRequest, reply: FastifyReply, answer: Reply | Promise<Reply>): FastifyReply | Promise<FastifyReply> {
  if (answer instanceof Promise) return answer.then((there) => sendReply(request, reply, there));
  reply.header("grpc-metadata-authz-version", version);
  return send(request, reply, httpStatus(answer.code), answer.text);
}

function sendFailure(request: FastifyRequest, reply: FastifyReply, status: number, code: CodeName, message: string): FastifyReply {
  return send(request, reply, status, failure(code, message).text);
}

function send(request: FastifyRequest, reply: FastifyReply, status: number, text: string): FastifyReply {
  const query = request.url.split("?")[1];
  const forPeople =
    (query !== undefined && new URLSearchParams(query).has("pretty")) || request.headers.accept === "application/json+pretty";
  return reply
    .code(status)
    .header("content-type", "application/json")
    .send(forPeople ? `${pretty(text)}\n` : text);
}

/** Node keeps idle connections open after `close`; they are closed again and again until none is left. */
async function closeWithin(server: Server, milliseconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), milliseconds);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
