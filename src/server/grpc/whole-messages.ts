/** Hands grpc-js each message as a whole, and one at a time: by itself it keeps every chunk, however small, and decompresses all messages of a chunk at once. */
import type { ServerHttp2Stream } from "node:http2";
import { Pieces } from "../connections/pieces.ts";
import { prefixLength } from "./message-assembler.ts";

type Hear = (bytes: Buffer) => void;

/** Changes what is heard of the data of a stream that is about to be passed to grpc-js. */
export function handOverWholeMessages(stream: ServerHttp2Stream, maxBytes: number): void {
  const on: (event: string, listener: Hear) => ServerHttp2Stream = stream.on.bind(stream);
  const wrapped = (event: string, listener: Hear) => on(event, event === "data" ? wholeMessages(stream, maxBytes, listener) : listener);
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
