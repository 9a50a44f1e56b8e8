/** Compresses HTTP responses, with brotli or gzip, for clients that accept it and where it is worth it. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

/** Below so many bytes a page, a list or the metrics are not worth compressing. */
const leastPage = 1024;

/**
 * Below so many bytes the answer to a check is not worth compressing: it leaves in the ten segments that may be sent before
 * anything is acknowledged (RFC 6928), so that nobody has it sooner. To compress an ordinary answer costs twice what the whole
 * rest of the request does, and most clients say of themselves that they could read it.
 */
export const leastCompressed = 14_600;

/** How a reply can be compressed. */
export type Encoding = "br" | "gzip";

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Chooses what a client can read, from its `accept-encoding`; undefined when it can read nothing but the reply itself. */
export function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const weights = new Map(accepted.split(",").map(readCoding));
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get("*") ?? 0;
  const [brotli, zip] = [weightOf("br"), weightOf("gzip")];
  if (brotli === 0 && zip === 0) return undefined;
  return brotli >= zip ? "br" : "gzip";
}

/** Compresses a whole reply, off the thread that answers. */
export function compress(encoding: Encoding, bytes: Buffer): Promise<Buffer> {
  // The default quality of brotli is for files that are compressed once and served for years.
  return encoding === "gzip" ? gzipped(bytes, { level: 6 }) : brotlied(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/** Compresses whole replies that are worth it, for those who ask; what is sent in pieces is left as it is. */
export function addCompression(app: Pick<FastifyInstance, "addHook">): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const least = request.url.startsWith("/api/") ? leastCompressed : leastPage;
    if ((typeof payload !== "string" && !Buffer.isBuffer(payload)) || payload.length < least) return done();
    if (reply.hasHeader("content-encoding")) return done();
    const varies = reply.getHeader("vary");
    reply.header("vary", typeof varies === "string" ? `${varies}, Accept-Encoding` : "Accept-Encoding");
    const encoding = chooseEncoding(request.headers["accept-encoding"]?.toString());
    if (encoding === undefined) return done();
    compress(encoding, Buffer.from(payload)).then(
      (compressed) => {
        reply.header("content-encoding", encoding).removeHeader("content-length");
        done(null, compressed);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  });
}

function readCoding(text: string): readonly [name: string, weight: number] {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  const value = weight === undefined ? 1 : Number(weight.slice(2));
  return [name, value >= 0 && value <= 1 ? value : 0];
}
