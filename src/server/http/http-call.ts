/** Turns an HTTP request into a call of the service: its peer, headers, body and deadline. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Call, CallRequest } from "../calls/call.ts";
import { peerHeader } from "../grpc/grpc-headers.ts";
import { peerOf } from "../connections/peer.ts";
import { failure, type Reply } from "../calls/reply.ts";

/** Describes the call of an HTTP request. Headers are read on demand. */
export function callOf(raw: IncomingMessage): Call {
  const peer = raw.httpVersionMajor === 2 ? raw.headers[peerHeader] : undefined;
  return {
    transport: "http",
    peer: typeof peer === "string" ? peer : peerOf(raw.socket),
    headers: {
      get: (name) => firstOf(raw.headers[name]),
      entries: () => everyHeader(raw),
    },
  };
}

/** Returns the request in a body, or a refusal when the body is not UTF-8. */
export function requestInBody(body: Buffer): CallRequest {
  if (!isUtf8(body)) return { refused: failure("INVALID_ARGUMENT", "the request body is not UTF-8 text") };
  // A byte order mark is refused by name: it is invisible, so a message that quotes the offending characters would show nothing.
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return { refused: marked };
  return { text: body.toString("utf8") };
}

const marked = failure("INVALID_ARGUMENT", "the request body begins with a byte order mark (EF BB BF): send it as UTF-8 without one");

/** Returns every header with all its values. Node's `headers` keeps only the first of some names; here, two must not look like one. */
function everyHeader({ rawHeaders, httpVersionMajor }: IncomingMessage): Iterable<readonly [name: string, values: readonly string[]]> {
  const found = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (name.startsWith(":") || (name === peerHeader && httpVersionMajor === 2)) continue;
    const value = rawHeaders[at + 1] ?? "";
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return found;
}

const firstOf = (value: string | readonly string[] | undefined): string | undefined => (typeof value === "object" ? value[0] : value);

const units: ReadonlyMap<string, number> = new Map([
  ["H", 3_600_000],
  ["M", 60_000],
  ["S", 1000],
  ["m", 1],
  ["u", 1e-3],
  ["n", 1e-6],
]);

const late: Reply = failure("DEADLINE_EXCEEDED", "the answer was not there within the time that the header grpc-timeout allows");

/** Answers before the deadline in the header `grpc-timeout`, or with DEADLINE_EXCEEDED. */
export function withinDeadline(request: FastifyRequest, answer: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
  const header = request.headers["grpc-timeout"];
  if (header === undefined) return answer();
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  if (digits === undefined)
    return failure("INVALID_ARGUMENT", "the header grpc-timeout must be up to eight digits and one of the units H, M, S, m, u and n");
  const milliseconds = Number(digits) * (units.get(unit) ?? 0);
  const began = performance.now();
  const inTime = (reply: Reply): Reply => (performance.now() - began > milliseconds ? late : reply);
  const reply = answer();
  if (!(reply instanceof Promise)) return inTime(reply);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late), Math.min(milliseconds, longestTimer));
    void reply.then((there) => {
      clearTimeout(timer);
      resolve(inTime(there));
    });
  });
}

/** The longest delay of a timer, in milliseconds. Node treats a longer one as 1 ms. */
const longestTimer = 2 ** 31 - 1;
