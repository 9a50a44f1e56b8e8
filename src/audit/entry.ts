/** Serialises audit entries: calls in, JSON of an AccessLogEntry or a DecisionLogEntry out. */
import { memoized as rememberingNames } from "../../runtime/decide/memoize.ts";
import type { BegunCall, CallEnd } from "../observe/events.ts";
import { unaryMethods, type UnaryMethod } from "../server/calls/call.ts";
import { codes, type Reply } from "../server/calls/reply.ts";
import type { ReadMetadata } from "./metadata.ts";

/** The two kinds of entries. */
export type RecordedKind = "access" | "decision";

/** What all entries of a server have in common, and the limit on their size. */
export interface EntryOptions {
  /** The JSON of a PolicySource. */
  readonly policySource: string;
  /** How peers are authenticated; "" when they are not. */
  readonly authInfo: string;
  readonly metadata: ReadMetadata;
  /** In bytes; a larger entry leaves out the fields of unbounded size (D16). */
  readonly maxBytes: number;
}

/** The JSON of an entry after its opening brace, on one line, in two pieces: concatenating them would copy both. */
export interface EntryText {
  readonly head: string;
  readonly rest: string;
}

/** Returns the JSON of an entry as one string. */
export const textOf = ({ head, rest }: EntryText): string => `{${head}${rest}`;

/** The JSON of an entry, and whether fields were left out for its size. */
export interface WrittenEntry extends EntryText {
  readonly oversized: boolean;
}

/** Serialises the entries of calls. */
export interface EntryWriter {
  readonly access: (begun: BegunCall, end: CallEnd) => WrittenEntry;
  /** Returns undefined when the call made no decision, or none that is recorded. */
  readonly decision: (begun: BegunCall, end: CallEnd, now: number) => WrittenEntry | undefined;
}

/** The size of the cache of peers, about as many as there are open connections. */
const maxCachedPeers = 1024;

/** The most bytes of an entry besides the part that the sandbox writes, for headers of usual size. */
export const maxOverheadBytes = (policySource: string): number => 512 + Buffer.byteLength(policySource);

/** Opens a writer of entries. */
export function openEntryWriter({ policySource, authInfo, metadata, maxBytes }: EntryOptions): EntryWriter {
  const authField = authInfo === "" ? "" : `,"authInfo":${quote(authInfo)}`;
  const instant = instants();
  const userAgentField = memoized((agent: string) => `,"userAgent":${quote(agent)}`);
  const address = rememberingNames(maxCachedPeers, quote);
  const methodField = memoized((method: UnaryMethod) => `"method":"/${unaryMethods[method]}/${method}"`);

  const peerOf = ({ call }: BegunCall, whole: boolean): string => {
    const agent = whole ? call.headers.get("user-agent") : undefined;
    const forwarded = whole ? forwardedFor(call) : undefined;
    const forwardedField = forwarded === undefined ? "" : `,"forwardedFor":${quote(forwarded)}`;
    return `"peer":{"address":${address(call.peer)}${authField}${agent === undefined ? "" : userAgentField(agent)}${forwardedField}}`;
  };
  /** The part that both entries of a call share: peer, metadata, policy source. */
  const sharedFields = (begun: BegunCall, whole: boolean): string =>
    `${peerOf(begun, whole)}${whole ? metadata(begun.call.headers) : ""},"policySource":${policySource}`;
  const cachedSharedFields = memoized((begun: BegunCall) => sharedFields(begun, true));
  const headOf = (begun: BegunCall, at: number, said: string): string => `"callId":"${begun.callId}","timestamp":"${instant(at)}",${said},`;
  const withoutAttributes = (begun: BegunCall, at: number, rest: string, marked: boolean): WrittenEntry => ({
    head: headOf(begun, at, `${sharedFields(begun, false)}${marked ? "" : ',"oversized":true'}`),
    rest,
    oversized: true,
  });

  return {
    access: (begun, { reply }) => {
      const method = `${methodField(begun.method)}${reply.code === 0 ? "" : `,"statusCode":${reply.code}`}`;
      const context = contextOf(begun, reply);
      const entry = { head: `${headOf(begun, begun.at, cachedSharedFields(begun))}${method}${context}}`, rest: "", oversized: false };
      return fits(entry, maxBytes) ? entry : withoutAttributes(begun, begun.at, `${method}}`, false);
    },
    decision: (begun, { reply }, now) => {
      const decisions = reply.decisions ?? failedDecision(begun, reply);
      if (decisions === undefined) return undefined;
      const rest = decisions.slice(1);
      const oversized = decisions.startsWith('{"oversized":true');
      const entry = { head: headOf(begun, now, cachedSharedFields(begun)), rest, oversized };
      return fits(entry, maxBytes) ? entry : withoutAttributes(begun, now, rest, oversized);
    },
  };
}

/** Returns the decision entry of a check that failed by our fault before its inputs were known. */
function failedDecision({ method }: BegunCall, reply: Reply): string | undefined {
  const { code, unreadable } = reply;
  if (code !== codes.INTERNAL.code || unreadable || unaryMethods[method] !== "authz.svc.v1.AuthzService" || method === "ServerInfo")
    return undefined;
  const { message }: { readonly message?: string } = JSON.parse(reply.text);
  return `{"checkResources":{"error":${quote(message ?? "")}}}`;
}

/** Returns the caller's annotations. The request is parsed only if it has some, and only if it was valid. */
function contextOf({ body }: BegunCall, { hasAnnotations }: Reply): string {
  if (hasAnnotations !== true) return "";
  const request: Readonly<Record<string, { readonly annotations?: object | null } | null | undefined>> = JSON.parse(body);
  const annotations = (request["requestContext"] ?? request["request_context"])?.annotations;
  return annotations === undefined || annotations === null || Object.keys(annotations).length === 0
    ? ""
    : `,"requestContext":{"annotations":${JSON.stringify(annotations)}}`;
}

/** Returns all values of the header, in order. With one of them only, a client could hide the address that a trusted proxy added. */
function forwardedFor({ headers }: BegunCall["call"]): string | undefined {
  const first = headers.get("x-forwarded-for");
  if (first === undefined) return undefined;
  for (const [name, values] of headers.entries()) if (name === "x-forwarded-for") return values.join(", ");
  return first;
}

const quote = (text: string): string => JSON.stringify(text);

const fits = ({ head, rest }: EntryText, maxBytes: number): boolean =>
  (head.length + rest.length) * 3 <= maxBytes || Buffer.byteLength(head) + Buffer.byteLength(rest) <= maxBytes;

/**
 * Prints instants as RFC 3339. Many calls share a millisecond, and more share a second, whose formatting is expensive and therefore
 * cached.
 */
function instants(): (milliseconds: number) => string {
  const secondOf = memoized((second: number) => new Date(second * 1000).toISOString().slice(0, -"000Z".length));
  return memoized((milliseconds: number) => {
    const second = Math.floor(milliseconds / 1000);
    return `${secondOf(second)}${String(1000 + milliseconds - second * 1000).slice(1)}Z`;
  });
}

/** Caches the last result of a function. */
function memoized<T>(work: (from: T) => string): (from: T) => string {
  let last: T | undefined;
  let text = "";
  return (from) => {
    if (from !== last) {
      text = work(from);
      last = from;
    }
    return text;
  };
}
