/** Answers over HTTP/2 as a strict reader reads them: stream by stream, each at most once. */
import { flags, readFrames, types } from "./frame.ts";
import { openBlocks, type Field } from "./hpack.ts";

/** What came on one stream. */
export interface StreamAnswer {
  /** The headers of the answer, and its trailers. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  readonly trailers: ReadonlyMap<string, string> | undefined;
  readonly body: Buffer;
  /** How it ended, if it did. */
  readonly end: "whole" | "reset" | undefined;
}

/** What came on a connection. */
export interface Http2Answers {
  readonly streams: ReadonlyMap<number, StreamAnswer>;
  /** With which words the server says that it goes, if it does. */
  readonly farewell: string | undefined;
}

/** Reads all that came; throws where it is against the rules. What is not there yet is left out. */
export function readHttp2(bytes: Buffer): Http2Answers {
  const readBlock = openBlocks();
  const streams = new Map<number, StreamAnswer>();
  let farewell: string | undefined;
  let open: { readonly stream: number; readonly endsStream: boolean; readonly parts: Buffer[] } | undefined;
  const nothing: StreamAnswer = { headers: undefined, trailers: undefined, body: Buffer.alloc(0), end: undefined };

  const headed = (stream: number, fields: readonly Field[], endsStream: boolean): void => {
    const so = streams.get(stream) ?? nothing;
    const read = fieldsOf(fields);
    const status = read.get(":status");
    if (so.end === "whole") throw new Error(`stream ${stream} has headers after its end`);
    if (status?.startsWith("1") === true) return void streams.set(stream, so);
    if ((so.headers === undefined) !== (status !== undefined)) throw new Error(`stream ${stream} has two answers, or one without a status`);
    if (so.headers !== undefined && !endsStream) throw new Error(`stream ${stream} has trailers that do not end it`);
    const end = endsStream ? "whole" : so.end;
    streams.set(stream, so.headers === undefined ? { ...so, headers: read, end } : { ...so, trailers: read, end });
  };

  for (const { type, flags: flag, stream, payload } of readFrames(bytes).frames) {
    if (open !== undefined && (type !== types.continuation || stream !== open.stream)) throw new Error("a header block is interrupted");
    const padding = (flag & flags.padded) !== 0 ? (payload[0] ?? 0) + 1 : 0;
    const content = padding > 0 ? payload.subarray(1, payload.length - padding + 1) : payload;
    switch (type) {
      case types.headers:
      case types.continuation: {
        if (type === types.headers) open = { stream, endsStream: (flag & flags.endStream) !== 0, parts: [] };
        if (open === undefined) throw new Error("a header block is continued that was not begun");
        open.parts.push(content);
        if ((flag & flags.endHeaders) === 0) break;
        headed(stream, readBlock(Buffer.concat(open.parts)), open.endsStream);
        open = undefined;
        break;
      }
      case types.data: {
        const so = streams.get(stream);
        if (so?.headers === undefined) throw new Error(`stream ${stream} has data before headers`);
        if (so.end === "whole") throw new Error(`stream ${stream} has data after its end`);
        const end = (flag & flags.endStream) !== 0 ? "whole" : so.end;
        streams.set(stream, { ...so, body: Buffer.concat([so.body, content]), end });
        break;
      }
      case types.reset: {
        const so = streams.get(stream) ?? nothing;
        // After a whole answer it says that the rest of the question is not read.
        streams.set(stream, { ...so, end: so.end ?? "reset" });
        break;
      }
      case types.goaway:
        farewell = `error ${payload.readUInt32BE(4)}, last stream ${payload.readUInt32BE(0)} ${payload.toString("latin1", 8)}`;
        break;
      case types.push:
        throw new Error("nobody asked for a push");
      default:
    }
  }
  return { streams, farewell };
}

function fieldsOf(fields: readonly Field[]): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const [name, value] of fields) {
    if (name !== name.toLowerCase() || name === "") throw new Error(`\`${name}\` is no name of a header`);
    if (read.has(name) && /^(:|content-|grpc-)/.test(name)) throw new Error(`the header ${name} comes twice`);
    read.set(name, value);
  }
  return read;
}
