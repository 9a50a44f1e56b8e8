/** Decompresses the messages of requests, one after the other: a few bytes may become a thousand times as many, and grpc-js would do so for all calls at once, also for those that do not end. */
import type { ServerHttp2Stream } from "node:http2";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { codeOf } from "../../refusal.ts";
import { openSerialQueue } from "../../serial-queue.ts";
import { prefixLength } from "./message-assembler.ts";

/** Decompresses a message, given with its prefix; the result has one too. If it cannot, the result is what grpc-js refuses for the same reason. */
export type Decompress = (encoding: Encoding, message: Buffer, isWanted: () => boolean) => Promise<Buffer>;

/** The listeners that grpc-js adds to a stream: `hear` gets whole messages. */
export interface Listeners {
  readonly hear: (message: Buffer) => void;
  readonly end: () => void;
}

const decompressors = { gzip: promisify(gunzip), deflate: promisify(inflate) } as const;

/** The encodings that are decompressed. */
export type Encoding = keyof typeof decompressors;

/** Returns the encoding of a call's messages; undefined when nothing is to be decompressed, or grpc-js refuses it. */
export const encodingOf = (written: string | readonly string[] | undefined): Encoding | undefined =>
  written === "gzip" || written === "deflate" ? written : undefined;

const empty = Buffer.alloc(prefixLength);
const tooLarge = Buffer.of(0, 0xff, 0xff, 0xff, 0xff);
const damaged = Buffer.of(1, 0, 0, 0, 0);

/** Opens the decompression of all calls of a server; a message may have `maxBytes` without its prefix. */
export function openDecompression(maxBytes: number): Decompress {
  const { inTurn } = openSerialQueue();
  return (encoding, message, isWanted) =>
    inTurn(async () => {
      if (!isWanted()) return empty;
      try {
        const bytes = await decompressors[encoding](message.subarray(prefixLength), { maxOutputLength: maxBytes });
        const framed = Buffer.allocUnsafe(prefixLength + bytes.length);
        framed[0] = 0;
        framed.writeUInt32BE(bytes.length, 1);
        bytes.copy(framed, prefixLength);
        return framed;
      } catch (error) {
        return codeOf(error) === "ERR_BUFFER_TOO_LARGE" ? tooLarge : damaged;
      }
    });
}

/**
 * Returns the listeners for a stream with compressed messages. If the call has one message, it is decompressed once the client has ended
 * its side; `converses`: the call may have several, and each is decompressed when it has arrived.
 */
export function decompressing(
  stream: ServerHttp2Stream,
  unpack: (message: Buffer) => Promise<Buffer>,
  converses: boolean,
  { hear, end }: Listeners,
): Listeners {
  /** The only message of the call, until it has ended. */
  let waiting: Buffer | undefined;
  let hasMore = false;
  return {
    hear: (message) => {
      if (hasMore) return hear(empty);
      if (waiting !== undefined) {
        // It is refused for having more than one message, whatever they hold.
        waiting = undefined;
        hasMore = true;
        hear(empty);
        stream.unshift(empty);
        return;
      }
      const isWhole = message.length === prefixLength + message.readUInt32BE(1);
      if (message[0] !== 1 || !isWhole) return hear(message);
      stream.pause();
      if (converses) return void unpack(message).then(hear);
      waiting = message;
      setImmediate(() => stream.resume());
    },
    end: () => {
      if (waiting === undefined) return end();
      void unpack(waiting).then((message) => {
        hear(message);
        end();
      });
      waiting = undefined;
    },
  };
}
