/** The HTTP handler of a call: request in, response with its status out. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallRequest, GetRequest } from "../calls/call.ts";
import { failure, type Reply } from "../calls/reply.ts";
import type { Route } from "../calls/routes.ts";
import type { Service } from "../service.ts";
import type { UnreadResponses } from "../unread-responses.ts";
import { callOf, requestInBody, withinDeadline } from "./http-call.ts";
import type { HttpFailure } from "./http-failures.ts";
import { requestTypeOf, queryText } from "./http-query.ts";
import { queryMistakeIn } from "./query-mistakes.ts";
import { parametersOf, sendFailure, sendReply } from "./http-reply.ts";

/** What answers calls. */
export interface Answering {
  readonly service: Pick<Service, "call">;
  readonly unread: UnreadResponses;
}

/** The response, now or later. */
export type Answer = FastifyReply | Promise<FastifyReply>;

/** Answers a call whose request has been read. */
export function answerCall(answering: Answering, route: Route, request: FastifyRequest, reply: FastifyReply): Answer {
  const other = route.requestIn === "query" ? undefined : otherContent(request);
  if (other !== undefined)
    return answerUnreadable(answering, route, request, reply, { status: 415, code: "INVALID_ARGUMENT", message: other });
  return answer(answering, route, request, reply, {
    getRequest: () => requestOf(route, request),
    send: (found) => sendReply(request, reply, found),
  });
}

/** Answers a call whose request cannot be read with the given failure, unless the caller lacks the credentials to see it. */
export function answerUnreadable(
  answering: Answering,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, code, message }: HttpFailure,
): Answer {
  const refused = failure(code, message);
  return answer(answering, route, request, reply, {
    getRequest: () => ({ refused }),
    send: (found) => sendReply(request, reply, found, found === refused ? status : undefined),
  });
}

interface Exchange {
  readonly getRequest: GetRequest;
  readonly send: (found: Reply) => FastifyReply;
}

function answer(
  { service, unread }: Answering,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { getRequest, send }: Exchange,
): Answer {
  const sendIfAny = (found: Reply): FastifyReply => (reply.raw.destroyed ? reply.hijack() : send(unread.admit(found)));
  const found = withinDeadline(request, () => service.call(route.call, getRequest, callOf(request.raw)));
  return found instanceof Promise ? found.then(sendIfAny) : sendIfAny(found);
}

/** A body that adds nothing to a query: empty or `{}`. Some clients send one with every POST. */
const emptyBody = /^\s*(?:\{\s*\})?\s*$/;

function requestOf(route: Route, request: FastifyRequest): CallRequest {
  const { body } = request;
  const message = route.requestIn === "body" ? undefined : requestTypeOf(route.call);
  const mistake = message && queryMistakeIn(message, request.url);
  if (mistake !== undefined) return { refused: failure("INVALID_ARGUMENT", mistake) };
  const text = message === undefined ? "{}" : queryText(message, parametersOf(request));
  const inQuery: CallRequest = { text, isGenerated: true };
  if (!(body instanceof Buffer) || body.length === 0) return inQuery;
  const asked = requestInBody(body);
  // Parameters in a body that nobody reads must not be ignored silently: a limit or filter there would have no effect.
  if (route.requestIn === "query") return "text" in asked && emptyBody.test(asked.text) ? inQuery : { refused: inBody };
  if (text === "{}" || "refused" in asked) return asked;
  const inBoth = failure("INVALID_ARGUMENT", "the request asks in its query and in its body: use one of them");
  return emptyBody.test(asked.text) ? inQuery : { refused: inBoth };
}

const inBody = failure("INVALID_ARGUMENT", "the request asks in its body, which this call does not read: ask in the query");

/** Refuses a body that is not JSON before it is read. */
export function refuseOtherContent(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const other = otherContent(request);
  if (other === undefined) done();
  else sendFailure(request, reply, 415, "INVALID_ARGUMENT", other);
}

/** Returns why the headers say that a body is not JSON; undefined when it is. A missing content type counts as JSON. */
function otherContent({ headers }: FastifyRequest): string | undefined {
  const { "content-type": type, "content-encoding": encoding } = headers;
  if (type !== undefined && !/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    return `the content type must be application/json, not \`${type}\``;
  return encoding === undefined || encoding === "identity" ? undefined : `the content encoding \`${encoding}\` is not supported`;
}
