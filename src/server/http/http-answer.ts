/** A call over HTTP, from what the request says to the status of its answer. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Question } from "../calls/call.ts";
import { failure, type Reply } from "../calls/reply.ts";
import type { Route } from "../calls/routes.ts";
import type { Service } from "../service.ts";
import type { Unread } from "../unread.ts";
import { callOf, questionIn, withinDeadline } from "./http-call.ts";
import type { HttpFailure } from "./http-failures.ts";
import { questionOf, queryText, withoutPlace } from "./http-query.ts";
import { parametersOf, sendFailure, sendReply } from "./http-reply.ts";

/** Who answers. */
export interface Answering {
  readonly service: Pick<Service, "call">;
  readonly unread: Unread;
}

/** What is answered, now or later. */
export type Answer = FastifyReply | Promise<FastifyReply>;

/** Answers a call whose request has been read. */
export function answerCall(answering: Answering, route: Route, request: FastifyRequest, reply: FastifyReply): Answer {
  const other = route.question === "query" ? undefined : otherContent(request);
  if (other !== undefined)
    return answerUnreadable(answering, route, request, reply, { status: 415, code: "INVALID_ARGUMENT", message: other });
  const ofQuery = route.question === "query" || bodyOf(request) === undefined;
  return answer(answering, route, request, reply, {
    ask: () => askedBy(route, request),
    send: (found) => sendReply(request, reply, ofQuery ? withoutPlace(found) : found),
  });
}

/** Answers a call whose request cannot be read, with that failure unless the caller has no right to hear even that. */
export function answerUnreadable(
  answering: Answering,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, code, message }: HttpFailure,
): Answer {
  const refused = failure(code, message);
  return answer(answering, route, request, reply, {
    ask: () => ({ refused }),
    send: (found) => sendReply(request, reply, found, found === refused ? status : undefined),
  });
}

interface Asking {
  readonly ask: () => Question;
  readonly send: (found: Reply) => FastifyReply;
}

function answer({ service, unread }: Answering, route: Route, request: FastifyRequest, reply: FastifyReply, { ask, send }: Asking): Answer {
  const sendIfAny = (found: Reply): FastifyReply => (reply.raw.destroyed ? reply.hijack() : send(unread.admit(found)));
  const found = withinDeadline(request, () => service.call(route.call, ask, callOf(request.raw)));
  return found instanceof Promise ? found.then(sendIfAny) : sendIfAny(found);
}

const bodyOf = ({ body }: FastifyRequest): Buffer | undefined => (body instanceof Buffer && body.length > 0 ? body : undefined);

/** A body that says nothing beside a query, as some clients send it with every POST. */
const asksNothing = /^\s*(?:\{\s*\})?\s*$/;

function askedBy(route: Route, request: FastifyRequest): Question {
  const question = route.question === "body" ? "{}" : queryText(questionOf(route.call), parametersOf(request));
  const body = bodyOf(request);
  if (route.question === "query" || body === undefined) return { text: question };
  const invalid = (why: string): Question => ({ refused: failure("INVALID_ARGUMENT", why) });
  const asked = questionIn(body);
  if (question === "{}" || "refused" in asked) return asked;
  return asksNothing.test(asked.text) ? { text: question } : invalid("the request asks in its query and in its body: use one of them");
}

/** Anything but JSON is refused before its body is read. */
export function refuseOtherContent(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const other = otherContent(request);
  if (other === undefined) done();
  else sendFailure(request, reply, 415, "INVALID_ARGUMENT", other);
}

/** Says why a body is not JSON by its headers; no content type at all counts as JSON. */
function otherContent({ headers }: FastifyRequest): string | undefined {
  const { "content-type": type, "content-encoding": encoding } = headers;
  if (type !== undefined && !/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    return `the content type must be application/json, not \`${type}\``;
  return encoding === undefined || encoding === "identity" ? undefined : `the content encoding \`${encoding}\` is not supported`;
}
