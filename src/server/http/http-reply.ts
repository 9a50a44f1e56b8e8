/** Writes a reply as an HTTP response: status, content type, and JSON, indented if the caller asks for that. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { pretty } from "../../../runtime/wire/pretty.ts";
import { version } from "../../version.ts";
import { codes, failure, httpStatus, type CodeName, type Reply } from "../calls/reply.ts";

/** Sends the reply of a call. */
export function sendReply(request: FastifyRequest, reply: FastifyReply, answer: Reply, status = httpStatus(answer.code)): FastifyReply {
  const headers = headersOf(answer);
  for (let at = 0; at + 1 < headers.length; at += 2) reply.header(headers[at] ?? "", headers[at + 1]);
  return sendJson(request, reply, status, answer.text);
}

/** Returns the response headers of a reply, names and values alternating. */
export function headersOf({ code, retryAfter }: Reply): readonly string[] {
  if (code === 0) return usualHeaders;
  const headers = [...usualHeaders];
  if (retryAfter !== undefined) headers.push("retry-after", String(retryAfter));
  if (code === codes.UNAUTHENTICATED.code) headers.push("www-authenticate", 'Basic realm="authz admin"');
  return headers;
}

const usualHeaders: readonly string[] = ["grpc-metadata-authz-version", version];

/** Sends an error that does not come from a call. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, status: number, code: CodeName, message: string): FastifyReply {
  return sendJson(request, reply, status, failure(code, message).text);
}

/** Sends JSON. */
export function sendJson(request: FastifyRequest, reply: FastifyReply, status: number, text: string): FastifyReply {
  if (status >= 400) reply.header("x-content-type-options", "nosniff"); // An error message may quote the request.
  return reply
    .code(status)
    .header("content-type", "application/json")
    .send(wantsPretty(request) ? `${pretty(text)}\n` : text);
}

/** Returns whether the client asks for indented JSON. */
function wantsPretty(request: FastifyRequest): boolean {
  return request.headers.accept === "application/json+pretty" || (request.url.includes("?") && parametersOf(request).has("pretty"));
}

/** Returns the parameters of the query. */
export function parametersOf({ url }: FastifyRequest): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at + 1));
}

/** Returns the path as the router sees it: the address of a request may begin with a host, as proxies are asked. */
export const pathOf = ({ url }: FastifyRequest): string => (url.split("?", 1)[0] ?? "").replace(/^https?:\/\/[^/]*/i, "") || "/";
