/** Refuses ambiguous HTTP requests, which a proxy before us could read differently than we do (request smuggling). */
import type { IncomingMessage } from "node:http";
import { Http2ServerRequest } from "node:http2";

/** What counts once: proxies choose by these, and do not agree on which of two counts. */
const single: ReadonlySet<string> = new Set(["host", "content-type", "transfer-encoding"]);
const singleLengths: ReadonlySet<number> = new Set(Array.from(single, ({ length }) => length));

/** Returns what is ambiguous about a request, in words for its sender; undefined when nothing is. */
export function ambiguityOf(request: IncomingMessage): string | undefined {
  const { httpVersion, httpVersionMajor, headers, rawHeaders } = request;
  if (isHttp2(request)) return undefined; // what can be ambiguous there is refused by its framing
  if (httpVersionMajor > 1) return `the request is written as HTTP/1, and says that it is HTTP/${httpVersion}`;
  if (httpVersionMajor < 1) return "the request names no version of HTTP";
  if (httpVersion === "1.1" && headers.host === undefined) return "the request has no host header";
  // A port, brackets, letters, dots: what divides the parts of a URL has no place in a host.
  if (headers.host !== undefined && /[\s/\\@?#,<>"]/.test(headers.host)) return "the host header names no host";
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "the only transfer encoding is chunked";
  let seen = "";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] ?? "";
    if (!singleLengths.has(written.length)) continue; // most are told by a glance
    const name = written.toLowerCase();
    if (!single.has(name)) continue;
    if (seen.includes(`${name};`)) return `there is more than one header ${name}`;
    seen += `${name};`;
  }
  return undefined;
}

/** Says whether a request came over HTTP/2, whatever version its own text names. */
export const isHttp2 = (request: object): boolean => request instanceof Http2ServerRequest;

/**
 * Says whether a path is spelled in another way than we spell ours: whoever guards `/admin` by its name would not know it. And
 * whether it has a fragment, which clients keep for themselves: some take it for a part of the path, others leave it out.
 */
export function isDisguised(url: string): boolean {
  if (url.includes("#")) return true;
  const escape = url.indexOf("%");
  if (escape === -1) return false;
  const query = url.indexOf("?");
  return query === -1 || escape < query;
}
