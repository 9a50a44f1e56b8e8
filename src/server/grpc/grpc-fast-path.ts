/** The fast path of checks over gRPC: usual ones are answered on the HTTP/2 stream itself, because what grpc-js makes for a call costs more than the check. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { DescMethod } from "@bufbuild/protobuf";
import { Metadata, type StatusObject } from "@grpc/grpc-js";
import { AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { messageOf } from "../../refusal.ts";
import { version } from "../../version.ts";
import { openBatches } from "../batches.ts";
import type { Call, CallHeaders, CheckMethod } from "../calls/call.ts";
import { MessageAssembler, isWholeMessage, prefixLength } from "./message-assembler.ts";
import { callHeadersOf } from "./grpc-headers.ts";
import { replyBytes, requestText, statusOf } from "./grpc-codec.ts";
import { timeoutOf } from "./grpc-timeout.ts";
import { mainService } from "../health.ts";
import { failure, type Reply } from "../calls/reply.ts";
import type { Service } from "../service.ts";
import type { UnreadResponses } from "../unread-responses.ts";

/**
 * Takes over a stream and returns true, or returns false without having touched it. If the stream turns out to be unusual later,
 * `fallBack` is called after all bytes that were read have been put back.
 */
export type TakeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: string, fallBack: () => void) => boolean;

/** What answers checks, and the limits of their messages. */
export interface GrpcFastPathOptions {
  readonly service: Pick<Service, "call">;
  readonly unread: UnreadResponses;
  readonly maxValues: number;
  readonly maxBytes: number;
}

/** One of the check calls. Its descriptor is behind a function, because usual checks do not need it and reading it would slow the start. */
interface Check {
  readonly name: CheckMethod;
  readonly method: () => DescMethod;
}

const checks: readonly Check[] = [
  { name: "CheckResources", method: () => AuthzService.method.checkResources },
  { name: "CheckResourceSet", method: () => AuthzService.method.checkResourceSet },
  { name: "CheckResourceBatch", method: () => AuthzService.method.checkResourceBatch },
];

/** The headers that grpc-js sends before a response message, and our version. */
const responseHeaders = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-accept-encoding": "identity,deflate,gzip",
  "grpc-encoding": "identity",
  "authz-version": version,
} as const;
const withTrailers = { waitForTrailers: true } as const;
const okTrailers = { "grpc-status": 0, "grpc-message": "OK" } as const;

/** Opens the fast path. */
export function openGrpcFastPath({ service, unread, maxValues, maxBytes }: GrpcFastPathOptions): TakeStream {
  const byPath = new Map(checks.map((check) => [`/${mainService}/${check.name}`, check]));

  const decideLater = openBatches(setImmediate);

  const answer = (stream: ServerHttp2Stream, { name, method }: Check, message: Buffer, call: Call): void => {
    const send = (reply: Reply): void => {
      // The caller went away, or its deadline passed, while we waited for another machine.
      if (stream.destroyed || stream.closed || stream.headersSent) return;
      const admitted = unread.admit(reply);
      if (admitted.code !== 0) return sendStatus(stream, statusOf(admitted));
      let framed: Buffer;
      try {
        framed = frameOf(admitted, method);
      } catch (error) {
        return sendStatus(stream, statusOf(failure("INTERNAL", `the reply cannot be encoded: ${messageOf(error)}`)));
      }
      sendMessage(stream, framed);
    };
    const reply = service.call(
      name,
      () => requestText(method().input, message.subarray(prefixLength), maxValues),
      call,
      name === "CheckResources" ? message.toString("latin1", prefixLength) : undefined,
    );
    if (reply instanceof Promise) void reply.then(send);
    else send(reply);
  };

  return (stream, headers, peer, fallBack) => {
    const asked = byPath.get(headers[":path"] ?? "");
    const timeout = timeoutOf(headers);
    if (asked === undefined || timeout === undefined || !areUsual(headers)) return false;
    let deadline: NodeJS.Timeout | undefined;
    let message: Buffer | undefined;
    let pieces: MessageAssembler | undefined;
    const hear = (piece: Buffer): void => {
      // The deadline has been answered: what still arrives belongs to a call that is over, and must not be answered again.
      if (stream.headersSent) return;
      if (message === undefined) {
        if (pieces === undefined && isWholeMessage(piece, maxBytes)) {
          message = piece;
          return;
        }
        pieces ??= new MessageAssembler(maxBytes);
        if (pieces.add(piece)) {
          message = pieces.whole;
          return;
        }
      }
      clearTimeout(deadline);
      stream.pause();
      stream.off("data", hear).off("end", end);
      // `unshift` prepends, so the last chunk is put back first.
      if (message !== undefined) stream.unshift(piece);
      stream.unshift(message ?? pieces?.all() ?? piece);
      fallBack();
    };
    const end = (): void => {
      if (stream.destroyed || stream.closed || stream.aborted || stream.headersSent) return;
      if (message === undefined) return sendStatus(stream, noMessage);
      const whole = message;
      decideLater(() => answer(stream, asked, whole, new FastPathCall(headers, peer)));
    };
    stream.on("data", hear).on("end", end);
    if (timeout < Infinity) {
      deadline = setTimeout(() => {
        if (!stream.headersSent && !stream.closed && !stream.destroyed) stream.respond(deadlinePassed, { endStream: true });
      }, timeout);
      stream.once("close", () => clearTimeout(deadline));
    }
    return true;
  };
}

/** The response of grpc-js when the deadline has passed and nothing has been sent. */
const deadlinePassed = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-status": 4,
  "grpc-message": encodeURI("Deadline exceeded"),
} as const;

/** Returns whether the headers are those of a gRPC call without compression. */
const areUsual = (headers: IncomingHttpHeaders): boolean =>
  headers[":method"] === "POST" &&
  (headers["content-type"] === "application/grpc" || headers["content-type"] === "application/grpc+proto") &&
  (headers["grpc-encoding"] === undefined || headers["grpc-encoding"] === "identity");

const noMessage = statusOf(failure("UNIMPLEMENTED", "the call ended before its message came"));

/** Returns the message of a reply with its length prefix. */
function frameOf(reply: Reply, method: Check["method"]): Buffer {
  const bytes = reply.message ?? replyBytes(method().output, reply.text);
  const framed = Buffer.allocUnsafe(bytes.length + prefixLength);
  framed[0] = 0;
  framed.writeUInt32BE(bytes.length, 1);
  if (typeof bytes === "string") framed.write(bytes, prefixLength, "latin1");
  else bytes.copy(framed, prefixLength);
  return framed;
}

function sendMessage(stream: ServerHttp2Stream, framed: Buffer): void {
  stream.respond(responseHeaders, withTrailers);
  stream.on("wantTrailers", sendOk);
  stream.end(framed);
}

// One function for all streams: Node passes the stream as `this`.
function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers(okTrailers);
}

function sendStatus(stream: ServerHttp2Stream, { code, details, metadata }: StatusObject): void {
  stream.respond(responseHeaders, withTrailers);
  stream.once("wantTrailers", () =>
    stream.sendTrailers({ "grpc-status": code, "grpc-message": encodeURI(details), ...metadata.toHttp2Headers() }),
  );
  stream.end();
}

/** The headers that grpc-js does not pass to handlers as metadata. */
const ownHeaders = ["grpc-timeout", "grpc-encoding", "grpc-accept-encoding", "accept-encoding", "te", "content-type"] as const;

// A class, because a getter in an object literal would be created anew for each call.
class FastPathCall implements Call {
  readonly transport = "grpc";
  readonly peer: string;
  readonly #received: IncomingHttpHeaders;
  #headers: CallHeaders | undefined;

  constructor(received: IncomingHttpHeaders, peer: string) {
    this.#received = received;
    this.peer = peer;
  }

  /** The metadata as grpc-js would pass it to a handler; computed on demand, because most calls do not read it. */
  get headers(): CallHeaders {
    if (this.#headers === undefined) {
      const metadata = Metadata.fromHttp2Headers(this.#received);
      for (const name of ownHeaders) metadata.remove(name);
      this.#headers = callHeadersOf(metadata);
    }
    return this.#headers;
  }
}
