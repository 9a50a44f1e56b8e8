/** Compresses HTTP responses, with brotli or gzip, for clients that accept it and where it is worth it. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

/** The least size in bytes from which pages, lists and metrics are compressed. */
const minPage = 1024;

/**
 * The least size in bytes from which the response to a check is compressed. A smaller one fits in the ten segments of the initial
 * congestion window (RFC 6928), so that compressing it does not make it arrive sooner. Compressing an ordinary response costs twice as
 * much as all other work of the request, and most clients accept compression by default.
 */
export const minCompressed = 14_600;

/** The content encodings that we can produce. */
export type Encoding = "br" | "gzip";

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Chooses an encoding by the `accept-encoding` header; undefined when the response must be sent as it is. */
export function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const weights = new Map(accepted.split(",").map(readCoding));
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get("*") ?? 0;
  const [brotli, zip] = [weightOf("br"), weightOf("gzip")];
  if (brotli === 0 && zip === 0) return undefined;
  return brotli >= zip ? "br" : "gzip";
}

/** Compresses a whole response, off the main thread. */
export function compress(encoding: Encoding, bytes: Buffer): Promise<Buffer> {
  // Brotli's default quality (11) is meant for files that are compressed once and served many times.
  return encoding === "gzip" ? gzipped(bytes, { level: 6 }) : brotlied(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/** Compresses whole responses of sufficient size if the client accepts it; streamed responses are left as they are. */
export function addCompression(app: Pick<FastifyInstance, "addHook">): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const least = request.url.startsWith("/api/") ? minCompressed : minPage;
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
