/** Hands grpc-js each message as a whole, and one at a time: by itself it keeps every chunk, however small, and takes all messages of a chunk at once. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { Pieces } from "../connections/pieces.ts";
import { decompressing, encodingOf, type Decompress } from "./compressed-messages.ts";
import { converses } from "../connections/stream-limits.ts";
import { prefixLength } from "./message-assembler.ts";

type Hear = (bytes: Buffer) => void;

/** The limit of a message, and what decompresses one. */
export interface MessageOptions {
  readonly maxBytes: number;
  readonly decompress: Decompress;
}

/** Changes what grpc-js will hear on a stream that is about to be passed to it: whole messages, decompressed. */
export function handOverWholeMessages(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { maxBytes, decompress }: MessageOptions,
): void {
  const on: (event: string, listener: Hear) => ServerHttp2Stream = stream.on.bind(stream);
  const encoding = encodingOf(headers["grpc-encoding"]);
  if (encoding === undefined) {
    const wrapped = (event: string, listener: Hear): ServerHttp2Stream =>
      on(event, event === "data" ? wholeMessages(stream, maxBytes, listener) : listener);
    stream.on = wrapped as ServerHttp2Stream["on"]; // its overloads are one function
    return;
  }
  const isWanted = (): boolean => !stream.destroyed && !stream.closed && !stream.headersSent;
  /** The two listeners of grpc-js, which are called by ours. Node adds others for the end. */
  const its: { hear?: Hear; end?: () => void } = {};
  const ours = decompressing(stream, (message) => decompress(encoding, message, isWanted), converses(headers[":path"]), {
    hear: (message) => its.hear?.(message),
    end: () => its.end?.(),
  });
  const wrapped = (event: string, listener: Hear & (() => void)): ServerHttp2Stream => {
    if (event === "data" && its.hear === undefined) {
      its.hear = listener;
      return on(event, wholeMessages(stream, maxBytes, ours.hear));
    }
    if (event !== "end" || its.hear === undefined || its.end !== undefined) return on(event, listener);
    its.end = listener;
    return on(event, ours.end);
  };
  stream.on = wrapped as ServerHttp2Stream["on"]; // its overloads are one function
}

/** Returns a listener for chunks that calls `hear` with whole messages, each with its prefix. `maxBytes` limits one without it. */
export function wholeMessages(stream: Pick<ServerHttp2Stream, "isPaused" | "unshift">, maxBytes: number, hear: Hear): Hear {
  let pieces = new Pieces();
  /** The length of the message that is arriving, with its prefix; undefined until the prefix has arrived. */
  let awaited: number | undefined;
  let isOver = false;
  return (chunk) => {
    if (isOver) return;
    if (pieces.length === 0 && chunk.length >= prefixLength && lengthIn(chunk) === chunk.length && chunk.length <= prefixLength + maxBytes)
      return hear(chunk); // the usual case, without a copy
    let rest = chunk;
    const take = (length: number): void => {
      pieces.add(rest.subarray(0, length));
      rest = rest.subarray(length);
    };
    if (awaited === undefined) {
      take(prefixLength - pieces.length);
      if (pieces.length < prefixLength) return;
      awaited = lengthIn(pieces.all());
      if (awaited > prefixLength + maxBytes) {
        isOver = true;
        return hear(pieces.all()); // It is refused for what the prefix says.
      }
    }
    take(awaited - pieces.length);
    if (pieces.length < awaited) return;
    const message = pieces.all();
    pieces = new Pieces();
    awaited = undefined;
    hear(message);
    if (rest.length === 0) return;
    // grpc-js pauses the stream with every message until it wants another one; if it does not, the call is over.
    if (stream.isPaused()) stream.unshift(rest);
    else isOver = true;
  };
}

const lengthIn = (start: Buffer): number => prefixLength + start.readUInt32BE(1);
