/** Refuses ambiguous HTTP requests, which a proxy before us could read differently than we do (request smuggling). */
import type { IncomingMessage } from "node:http";
import { Http2ServerRequest } from "node:http2";

/** Headers that may occur only once: proxies route by them, and disagree on which of two counts. */
const single: ReadonlySet<string> = new Set(["host", "content-type", "transfer-encoding"]);
const singleLengths: ReadonlySet<number> = new Set(Array.from(single, ({ length }) => length));

/** Returns a message for the client about what is ambiguous in a request; undefined when nothing is. */
export function ambiguityOf(request: IncomingMessage): string | undefined {
  const { httpVersion, httpVersionMajor, headers, rawHeaders } = request;
  if (isHttp2(request)) return undefined; // HTTP/2 framing refuses what would be ambiguous.
  if (httpVersionMajor > 1) return `the request is written as HTTP/1, and says that it is HTTP/${httpVersion}`;
  if (httpVersionMajor < 1) return "the request names no version of HTTP";
  if (httpVersion === "1.1" && headers.host === undefined) return "the request has no host header";
  // The characters that delimit parts of a URL must not occur in a host.
  if (headers.host !== undefined && /[\s/\\@?#,<>"]/.test(headers.host)) return "the host header names no host";
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "the only transfer encoding is chunked";
  let seen = "";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] ?? "";
    if (!singleLengths.has(written.length)) continue; // comparing the length first is cheap and skips most headers
    const name = written.toLowerCase();
    if (!single.has(name)) continue;
    if (seen.includes(`${name};`)) return `there is more than one header ${name}`;
    seen += `${name};`;
  }
  return undefined;
}

/** Returns whether a request came over HTTP/2, whatever version its request line names. */
export const isHttp2 = (request: object): boolean => request instanceof Http2ServerRequest;

/**
 * Returns whether a URL path is written in another way than our routes, with percent escapes or with a star for its first slash, which
 * the router skips: a proxy that protects `/admin` by its name would not recognise it. Also whether it has a fragment, which clients
 * must not send: some servers take it as part of the path, others drop it.
 */
export function isUnusualPath(url: string): boolean {
  if (url.includes("#") || url.startsWith("*")) return true;
  const escape = url.indexOf("%");
  if (escape === -1) return false;
  const query = url.indexOf("?");
  return query === -1 || escape < query;
}
