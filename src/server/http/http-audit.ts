/** Streams audit entries over HTTP, as one JSON object a line. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ListAuditLogEntriesRequestSchema } from "../../../proto/gen/authz/request/v1/request_pb.js";
import { messageOf } from "../../refusal.ts";
import type { Exchange } from "../connections/exchanges.ts";
import { callOf } from "./http-call.ts";
import { queryText } from "./http-query.ts";
import { queryMistakeIn } from "./query-mistakes.ts";
import type { CallRequest } from "../calls/call.ts";
import { parametersOf, sendReply } from "./http-reply.ts";
import { failure, type Reply } from "../calls/reply.ts";
import type { Service } from "../service.ts";

/** Answers `GET /admin/auditlog/list/{kind}`. */
export async function listAuditLog(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange | undefined,
): Promise<FastifyReply> {
  const kind = request.url.split("?", 1)[0]?.split("/").at(-1) ?? "";
  const text = queryText(ListAuditLogEntriesRequestSchema, [...parametersOf(request), ["kind", decodeURIComponent(kind)]]);
  const mistake = queryMistakeIn(ListAuditLogEntriesRequestSchema, request.url);
  const asked: CallRequest = mistake === undefined ? { text } : { refused: { ...failure("INVALID_ARGUMENT", mistake), unreadable: true } };
  const listed = await service.listAuditLogEntries(() => asked, callOf(request.raw));
  if (!(Symbol.asyncIterator in listed)) return refuse(request, reply, listed);
  const entries = listed[Symbol.asyncIterator]();
  let first;
  try {
    first = await entries.next(); // Until the first entry is sent, a failure can still set the status.
  } catch (error) {
    return refuse(request, reply, brokenOff(error));
  }
  reply.header("content-type", "application/x-ndjson");
  if (first.done === true) return reply.send("");
  const sent = Readable.from(lines(first.value, entries, exchange));
  // A client that went away before the first line: the generator was not begun, and its `finally` is not reached.
  sent.once("close", () => void entries.return?.().catch(() => undefined));
  return reply.send(sent);
}

/** Characters of JSON strings at which some readers of lines, such as Python's `splitlines`, end a line. */
const lineSeparators = /[\u0085\u2028\u2029]/g;

async function* lines(first: string, rest: AsyncIterator<string>, exchange: Exchange | undefined): AsyncGenerator<string> {
  const line = (text: string): string => {
    const written = `${text.replaceAll(lineSeparators, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
    if (exchange !== undefined) {
      exchange.responseBytes += Buffer.byteLength(written);
      exchange.sendingSince = performance.now();
    }
    return written;
  };
  try {
    yield line(`{"result":${first}}`);
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield line(`{"result":${next.value}}`);
  } catch (error) {
    yield line(`{"error":${brokenOff(error).text}}`);
  } finally {
    await rest.return?.(); // The client may have gone away before the end.
  }
}

const brokenOff = (error: unknown): Reply => failure("INTERNAL", `the list ended early: ${messageOf(error)}`);

/** Errors of a list are wrapped like its entries, in one object per line; those of an unreadable request are not (wire 2.7). */
function refuse(request: FastifyRequest, reply: FastifyReply, refused: Reply): FastifyReply {
  return sendReply(request, reply, refused.unreadable === true ? refused : { ...refused, text: `{"error":${refused.text}}\n` });
}
