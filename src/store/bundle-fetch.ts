/** Fetches a bundle over HTTP, conditionally, with limits on time and size, and never from another origin. */
import type { IncomingMessage } from "node:http";
import { ask } from "../outgoing/ask.ts";
import { refuseStatus, UnreachableError } from "../outgoing/unreachable-error.ts";
import { codeOf, messageOf, refusal } from "../refusal.ts";
import { version } from "../version.ts";
import { tlsFailure } from "./tls-failure.ts";

/** The URL, and how it is fetched. */
export interface Place {
  readonly url: URL;
  /** The value of the `authorization` header; undefined: none is sent. */
  readonly authorization: string | undefined;
  /** The trusted certificate authorities (PEM); undefined: those that Node trusts. */
  readonly authorities: string | undefined;
  readonly milliseconds: number;
  readonly maxBytes: number;
}

/** The result of a request. */
export type Fetched =
  | { readonly kind: "unchanged" }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly etag: string | undefined };

const maxRedirects = 3;

/** Fetches the bundle. `etag` is that of the known version; rejects with an error whose message names the host and the reason. */
export async function fetchBundle(place: Place, etag: string | undefined): Promise<Fetched> {
  const { url, milliseconds } = place;
  const signal = AbortSignal.timeout(milliseconds);
  let response: IncomingMessage | undefined;
  try {
    response = await follow(place, etag, signal);
    if (response.statusCode === 304) {
      response.resume();
      return { kind: "unchanged" };
    }
    return { kind: "bytes", bytes: await readBody(response, place.maxBytes), etag: response.headers.etag };
  } catch (error) {
    response?.destroy();
    if (signal.aborted) throw new UnreachableError(`${url.host} did not answer within ${milliseconds / 1000} s`);
    if (codeOf(error) === undefined) throw error;
    const untrusted = tlsFailure(error, { caCert: "storage.bundle.caCert", url: "storage.bundle.url" });
    if (untrusted !== undefined) throw refusal(`${url.host} cannot be reached: ${untrusted}`);
    throw new UnreachableError(`${url.host} cannot be reached: ${causeOf(error)}`);
  }
}

async function follow(place: Place, etag: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  const { host, origin } = place.url;
  let { url } = place;
  for (let redirects = 0; ; redirects++) {
    const response = await ask({ url, headers: headersOf(place, etag), authorities: place.authorities, signal });
    const { statusCode = 0, headers } = response;
    if (statusCode === 200 || (statusCode === 304 && etag !== undefined)) return response;
    response.destroy();
    const { location } = headers;
    if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined)
      throw refuseStatus(statusCode, `${host} answers with ${said(statusCode)}`);
    if (redirects === maxRedirects) throw refusal(`${host} redirects more than ${maxRedirects} times`);
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
    // The operator chose to which server credentials are sent, and that it is asked over TLS.
    if (next?.origin !== origin)
      throw refusal(`${host} redirects to another origin, which is not followed: name that one in storage.bundle.url`);
    url = next;
  }
}

function said(status: number): string {
  if (status === 401 || status === 403) return `${status}: check storage.bundle.username and storage.bundle.password`;
  if (status === 404) return "404: there is no such file";
  return status === 304 ? "304 (not modified) without having been asked" : `status ${status}`;
}

const headersOf = ({ authorization }: Place, etag: string | undefined): { readonly [name: string]: string } => ({
  accept: "text/javascript, application/octet-stream;q=0.9, */*;q=0.5",
  "accept-encoding": "identity",
  "user-agent": `authz/${version}`,
  ...(authorization !== undefined && { authorization }),
  ...(etag !== undefined && { "if-none-match": etag }),
});

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw refusal(`the answer is encoded (${encoding.slice(0, 20)}), which was not asked for`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw refusal(`the answer is larger than a bundle may be (${maxBytes} bytes)`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw codeOf(error) === "ECONNRESET" ? new UnreachableError("the answer was cut off") : error;
  }
  return Buffer.concat(chunks);
}

function causeOf(error: unknown): string {
  const code = codeOf(error) ?? "";
  const message = messageOf(error);
  return message.includes(code) ? message : `${message} (${code})`.trimStart();
}
