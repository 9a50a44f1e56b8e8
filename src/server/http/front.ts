/** The fast path of ordinary checks over HTTP/1, without a framework between Node and the service; anything unusual goes through Fastify. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import type { Config } from "../../config/settings.ts";
import type { Log } from "../../observe/log.ts";
import { openRounds } from "../round.ts";
import { openVigil } from "../vigil.ts";
import { chooseEncoding, compress, leastCompressed } from "./compression.ts";
import { openCors, type CorsConfig } from "./cors.ts";
import type { Exchange } from "../connections/exchanges.ts";
import { callOf, questionIn } from "./http-call.ts";
import { clientWentAway, internalFailure, requestFailed } from "./http-failures.ts";
import { headersOf } from "./http-reply.ts";
import { ambiguityOf } from "./http-strict.ts";
import { failure, httpStatus, type Reply } from "../calls/reply.ts";
import type { Service } from "../service.ts";
import type { Unread } from "../unread.ts";

/** The short way. */
export interface Front {
  /**
   * Answers the request, if it is an ordinary check; says false, and has done nothing, if it is not. One whose body turns out to
   * be too long is handed over, as if nothing of it had been read.
   */
  readonly take: (request: IncomingMessage, response: ServerResponse, exchange: Exchange, handOver: () => void) => boolean;
}

/** What it stands on. */
export interface FrontOptions {
  readonly service: Pick<Service, "call">;
  readonly unread: Pick<Unread, "admit">;
  readonly log: Log;
  /** Are answers the last of their connections? */
  readonly isDraining: () => boolean;
}

/** The settings it goes by. */
export type FrontConfig = CorsConfig & Pick<Config, "server.advanced.grpc.maxRecvMsgSizeBytes">;

const method = "CheckResources";
const path = "/api/check/resources";

const usualTypes: ReadonlySet<string | undefined> = new Set([
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  "application/json;charset=UTF-8",
]);

/** Opens it. */
export function openFront(config: FrontConfig, { service, unread, log, isDraining }: FrontOptions): Front {
  const mostBytes = config["server.advanced.grpc.maxRecvMsgSizeBytes"];
  const cors = openCors(config);

  // First what has arrived is read, then all of it is decided, then all of that is answered.
  const decideLater = openRounds(setImmediate, { ended: openVigil(), gathersFrom: 16 });
  const writeLater = openRounds((end) => process.nextTick(end));

  const isOrdinary = (request: IncomingMessage): boolean => {
    if (request.url !== path || request.method !== "POST") return false;
    const { headers, httpVersion } = request;
    // As nginx asks whom it stands before, if it is told nothing else.
    const isOld = httpVersion === "1.0";
    if (!isOld && httpVersion !== "1.1") return false;
    const { "content-length": written, "transfer-encoding": coding } = headers;
    // Who cannot say beforehand how long a body is, as proxies and streaming clients, sends it in chunks.
    const isSent = coding === undefined ? Number(written) > 0 && Number(written) <= mostBytes : coding === "chunked" && !isOld;
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
      // What is as long in bytes as in characters is ASCII, which has a shorter way to the socket.
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
    const isLong = text.length >= leastCompressed;
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
    take: (request, response, exchange, handOver) => {
      if (!isOrdinary(request)) return false;
      const answer = (reply: Reply): void => {
        const admitted = unread.admit(reply);
        send(request, response, exchange, { status: httpStatus(admitted.code), text: admitted.text, own: headersOf(admitted) });
      };
      const decide = (body: Buffer): void => {
        try {
          // No chunk at all asks nothing, which is refused with what is missing in it.
          const reply = service.call(method, () => (body.length === 0 ? { text: "{}" } : questionIn(body)), callOf(request));
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
      readWhole(request, mostBytes, { whole, tooLong: handOver });
      request.on("error", () => log.debug(clientWentAway));
      return true;
    },
  };
}

/** Sends head and body as one text. With `end` alone an empty one follows it in the same write, and two have a longer way to the socket. */
function endWith(response: ServerResponse, body: string, encoding: "latin1" | "utf8"): void {
  const { socket } = response;
  // Another answer of the connection comes first, or it takes nothing any more and "finished" must not be told of what was
  // dropped: Node ends the process then. Or nothing that is written there is away at once.
  if (socket === null || !socket.writable || socket instanceof TLSSocket) return void response.end(body, encoding);
  socket.cork();
  response.write(body, encoding);
  socket.uncork();
  response.end();
}

/** Reads a body; one that is too long is in the request again. */
function readWhole(
  request: IncomingMessage,
  mostBytes: number,
  { whole, tooLong }: { readonly whole: (body: Buffer) => void; readonly tooLong: () => void },
): void {
  const parts: Buffer[] = [];
  let length = 0;
  // A body mostly comes in one piece.
  const body = (): Buffer => (parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length));
  const hear = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
    if (length <= mostBytes) return;
    request.pause().off("data", hear).off("end", end);
    request.unshift(body());
    tooLong();
  };
  const end = (): void => whole(body());
  request.on("data", hear).on("end", end);
}
