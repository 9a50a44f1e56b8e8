/** The fast path of ordinary checks over HTTP/1, without a framework between Node and the service; anything unusual goes through Fastify. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import type { Config } from "../../config/settings.ts";
import type { Log } from "../../observe/log.ts";
import { openBatches } from "../batches.ts";
import { openBusyPoll } from "../busy-poll.ts";
import { chooseEncoding, compress, minCompressed } from "./compression.ts";
import { openCors, type CorsConfig } from "./cors.ts";
import type { Exchange } from "../connections/exchanges.ts";
import { Pieces } from "../connections/pieces.ts";
import { callOf, requestInBody } from "./http-call.ts";
import { clientWentAway, internalFailure, requestFailed } from "./http-failures.ts";
import { headersOf } from "./http-reply.ts";
import { ambiguityOf } from "./http-strict.ts";
import { failure, httpStatus, type Reply } from "../calls/reply.ts";
import type { Service } from "../service.ts";
import type { UnreadResponses } from "../unread-responses.ts";

/** The fast path. */
export interface FastPath {
  /**
   * Answers an ordinary check and returns true; for any other request it does nothing and returns false. If the body turns out to be
   * too large, the request is passed to `fallBack` with the bytes that were read put back.
   */
  readonly take: (request: IncomingMessage, response: ServerResponse, exchange: Exchange, fallBack: () => void) => boolean;
}

/** What the fast path depends on. */
export interface FastPathOptions {
  readonly service: Pick<Service, "call">;
  readonly unread: Pick<UnreadResponses, "admit">;
  readonly log: Log;
  /** Returns whether the server is shutting down, so that each response is the last of its connection. */
  readonly isDraining: () => boolean;
}

/** The settings that are read here. */
export type FastPathConfig = CorsConfig & Pick<Config, "server.advanced.grpc.maxRecvMsgSizeBytes">;

const method = "CheckResources";
const path = "/api/check/resources";

const usualTypes: ReadonlySet<string | undefined> = new Set([
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  "application/json;charset=UTF-8",
]);

/** Opens the fast path. */
export function openFastPath(config: FastPathConfig, { service, unread, log, isDraining }: FastPathOptions): FastPath {
  const maxBytes = config["server.advanced.grpc.maxRecvMsgSizeBytes"];
  const cors = openCors(config);

  // Work is batched: first all that has arrived is read, then all of it is decided, then all responses are written.
  const decideLater = openBatches(setImmediate, { ended: openBusyPoll(), extendsFrom: 16 });
  const writeLater = openBatches((end) => process.nextTick(end));

  const isOrdinary = (request: IncomingMessage): boolean => {
    if (request.url !== path || request.method !== "POST") return false;
    const { headers, httpVersion } = request;
    // nginx sends HTTP/1.0 to its upstreams by default.
    const isOld = httpVersion === "1.0";
    if (!isOld && httpVersion !== "1.1") return false;
    const { "content-length": written, "transfer-encoding": coding } = headers;
    // Proxies and streaming clients that do not know the length of the body send it in chunks.
    const isSent = coding === undefined ? Number(written) > 0 && Number(written) <= maxBytes : coding === "chunked" && !isOld;
    return (
      isSent &&
      usualTypes.has(headers["content-type"]) &&
      headers.accept !== "application/json+pretty" &&
      headers["content-encoding"] === undefined &&
      headers.expect === undefined &&
      headers["grpc-timeout"] === undefined &&
      ambiguityOf(request) === undefined
    );
  };

  const write = (
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    { status, headers, body }: { readonly status: number; readonly headers: string[]; readonly body: string | Buffer },
  ): void => {
    if (response.destroyed) return;
    try {
      if (isDraining()) headers.push("connection", "close");
      const length = Buffer.byteLength(body);
      headers.push("content-length", String(length));
      exchange.sendingSince = performance.now();
      exchange.responseBytes = length;
      response.writeHead(status, headers);
      // If the body has as many bytes as characters, it is ASCII: latin1 is written to the socket faster.
      if (typeof body === "string") endWith(response, body, length === body.length ? "latin1" : "utf8");
      else response.end(body);
    } catch (error) {
      fail(request, response, exchange, error);
    }
  };

  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    { status, text, own }: { readonly status: number; readonly text: string; readonly own: readonly string[] },
  ): void => {
    if (response.destroyed) return;
    const isLong = text.length >= minCompressed;
    const { vary, "access-control-allow-origin": allowed } = cors?.answer(request.headers) ?? {};
    const headers = vary === undefined ? [] : ["vary", isLong ? `${vary}, Accept-Encoding` : vary];
    if (allowed !== undefined) headers.push("access-control-allow-origin", allowed);
    headers.push(...own);
    if (status >= 400) headers.push("x-content-type-options", "nosniff");
    headers.push("content-type", "application/json; charset=utf-8");
    if (isLong && vary === undefined) headers.push("vary", "Accept-Encoding");
    const encoding = isLong ? chooseEncoding(request.headers["accept-encoding"]?.toString()) : undefined;
    if (encoding === undefined) return writeLater(() => write(request, response, exchange, { status, headers, body: text }));
    compress(encoding, Buffer.from(text)).then(
      (body) => {
        headers.push("content-encoding", encoding);
        write(request, response, exchange, { status, headers, body });
      },
      (error: unknown) => fail(request, response, exchange, error),
    );
  };

  const fail = (request: IncomingMessage, response: ServerResponse, exchange: Exchange, error: unknown): void => {
    log.error({ err: error }, requestFailed);
    if (response.headersSent) return void response.destroy();
    const { status, code, message } = internalFailure;
    send(request, response, exchange, { status, text: failure(code, message).text, own: [] });
  };

  return {
    take: (request, response, exchange, fallBack) => {
      if (!isOrdinary(request)) return false;
      const answer = (reply: Reply): void => {
        const admitted = unread.admit(reply);
        send(request, response, exchange, { status: httpStatus(admitted.code), text: admitted.text, own: headersOf(admitted) });
      };
      const decide = (body: Buffer): void => {
        try {
          // An empty body is decided as `{}`: the refusal then names what is missing.
          const reply = service.call(method, () => (body.length === 0 ? { text: "{}" } : requestInBody(body)), callOf(request));
          if (reply instanceof Promise) reply.then(answer).catch((error: unknown) => fail(request, response, exchange, error));
          else answer(reply);
        } catch (error) {
          fail(request, response, exchange, error);
        }
      };
      const whole = (body: Buffer): void => {
        exchange.requestBytes = body.length;
        decideLater(() => decide(body));
      };
      readWhole(request, maxBytes, { whole, tooLong: fallBack });
      request.on("error", () => log.debug(clientWentAway));
      return true;
    },
  };
}

/**
 * Sends headers and body in one write. `end(body)` alone would add an empty chunk to the write, and writes of two chunks take a slower
 * path to the socket.
 */
function endWith(response: ServerResponse, body: string, encoding: "latin1" | "utf8"): void {
  const { socket } = response;
  // The fast write is not possible when an earlier response of the connection is still being sent (no socket yet); when the socket is
  // no longer writable (Node would end the process on a "finish" event for dropped data); or over TLS, where a write does not reach the
  // network at once.
  if (socket === null || !socket.writable || socket instanceof TLSSocket) return void response.end(body, encoding);
  socket.cork();
  response.write(body, encoding);
  socket.uncork();
  response.end();
}

/** Reads a body of at most `maxBytes`. When it is larger, what was read is put back into the request. */
function readWhole(
  request: IncomingMessage,
  maxBytes: number,
  { whole, tooLong }: { readonly whole: (body: Buffer) => void; readonly tooLong: () => void },
): void {
  const pieces = new Pieces();
  const hear = (piece: Buffer): void => {
    pieces.add(piece);
    if (pieces.length <= maxBytes) return;
    request.pause().off("data", hear).off("end", end);
    request.unshift(pieces.all());
    tooLong();
  };
  const end = (): void => whole(pieces.all());
  request.on("data", hear).on("end", end);
}
