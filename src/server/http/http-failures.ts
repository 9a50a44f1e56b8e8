/** Error responses for requests that reach no route, and for errors of the framework: all in the shape of D6. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError } from "fastify";
import { inBackticks } from "../../../runtime/wire/position.ts";
import { failure, type CodeName, type Reply } from "../calls/reply.ts";
import { tooLarge } from "../calls/too-large.ts";
import { maxHeaderBytes } from "./http-listener.ts";

/** An error response over HTTP. */
export interface HttpFailure {
  readonly status: number;
  readonly code: CodeName;
  readonly message: string;
}

/** Returns the error response for an error of the HTTP framework. */
export function failureOf(error: FastifyError, bodyLimit: number): HttpFailure {
  const { code: name, statusCode = 500 } = error;
  if (name === "FST_ERR_CTP_BODY_TOO_LARGE") return { status: 413, code: "RESOURCE_EXHAUSTED", message: tooLarge(bodyLimit) };
  const known = knownErrors[name];
  if (known !== undefined) return known;
  if (statusCode < 500) return { status: statusCode, code: "INVALID_ARGUMENT", message: "the request cannot be read" };
  return internalFailure;
}

/** The response when we have a bug. */
export const internalFailure: HttpFailure = { status: 500, code: "INTERNAL", message: "internal error; the log names it" };

/** The log message for such a bug. */
export const requestFailed = "a request failed";

/** The log message when the client is gone and cannot be answered. */
export const clientWentAway = "the client went away before its request was complete";

const knownErrors: { readonly [code: string]: HttpFailure } = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, code: "INVALID_ARGUMENT", message: "the content type must be application/json" },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    code: "INVALID_ARGUMENT",
    message: "the request body is not as long as its content-length says",
  },
  FST_ERR_BAD_URL: { status: 400, code: "INVALID_ARGUMENT", message: "the path is not a valid URL" },
};

/** Answers bytes that are not an HTTP request, or only a part of one, and closes the connection with `linger`. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, linger: (socket: Socket) => void): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const method = error.code === "HPE_INVALID_METHOD" ? methodIn(error) : undefined;
  const [status, message] = clientErrors[error.code ?? ""] ?? ["400 Bad Request", "the request is not HTTP"];
  if (method === undefined) answerLast(socket, status, failure("INVALID_ARGUMENT", message));
  else answerLast(socket, notImplemented, failure("UNIMPLEMENTED", `the method ${inBackticks(method)} is unknown`));
  linger(socket);
}

/** Answers a request to pass bytes on, as proxies do, and closes the connection with `linger`. */
export function answerConnect(socket: Socket, linger: (socket: Socket) => void): void {
  if (!socket.writable) return void socket.destroy();
  answerLast(socket, notImplemented, failure("UNIMPLEMENTED", "the method `CONNECT` is not supported: this server is no proxy"));
  linger(socket);
}

const notImplemented = "501 Not Implemented";

function answerLast(socket: Socket, statusLine: string, { text }: Pick<Reply, "text">): void {
  socket.write(
    `HTTP/1.1 ${statusLine}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** Returns the method of a request whose only fault is an unknown method. */
function methodIn(error: Error): string | undefined {
  // Node adds to a parse error the bytes that it was parsing, and the offset that it reached.
  const bytes = "rawPacket" in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString("latin1", 0, maxHeaderBytes) : "";
  const method = /^([!#$%&'*+.^`|~\w-]{1,100}) \S+ HTTP\/1\.[01]\r?\n/.exec(bytes)?.[1];
  // If the parser got beyond the method, the bytes begin with another, valid request.
  const isFirst = method !== undefined && "bytesParsed" in error && Number(error.bytesParsed) <= method.length;
  return isFirst ? method : undefined;
}

const clientErrors: { readonly [code: string]: readonly [status: string, message: string] } = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    `the request's address and headers have more than ${maxHeaderBytes} bytes together`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "the request's chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "408 Request Timeout",
    "the request took too long to arrive (settings server.advanced.http.readHeaderTimeout and server.advanced.http.readTimeout)",
  ],
};

/** Answers a request whose `expect` header cannot be met. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { text } = failure("INVALID_ARGUMENT", `the expectation \`${request.headers.expect ?? ""}\` cannot be met: only 100-continue can`);
  response.setHeader("connection", "close");
  response.writeHead(417, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text);
}
