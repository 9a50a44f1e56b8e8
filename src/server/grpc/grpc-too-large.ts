/** Replaces grpc-js's error message for a message that is too large by ours, which names the setting. */
import type { OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import { tooLarge } from "../calls/too-large.ts";

/** The messages of grpc-js for a compressed length and for a decompressed length beyond the limit, percent-encoded. */
const itsWords = /^Received%20message%20(?:larger%20than|that%20decompresses%20to%20a%20size%20larger%20than)%20/;

/** Replaces the message on a stream that is about to be passed to grpc-js. */
export function replaceTooLargeMessage(stream: ServerHttp2Stream, maxBytes: number): void {
  const respond = stream.respond.bind(stream);
  stream.respond = (headers, options) =>
    respond(isRefusal(headers) ? { ...headers, "grpc-message": encodeURI(tooLarge(maxBytes)) } : headers, options);
}

const isRefusal = (headers: OutgoingHttpHeaders | undefined): boolean =>
  headers?.["grpc-status"] === status.RESOURCE_EXHAUSTED && itsWords.test(String(headers["grpc-message"]));
