/** Sends one HTTP request to another server, directly or through a proxy; the body of the answer is still to be read. */
import { request as requestPlain, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as requestSecure } from "node:https";
import { proxyOf, type HttpProxy } from "./proxies.ts";
import { credentialsFor, openTunnel, refusalOf, trustIn, unreachableProxy, type Trust } from "./tunnel.ts";

/** A request. */
export interface Question {
  /** http or https, without credentials. */
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  /** With a body, the method is POST. */
  readonly body?: string;
  /** The trusted certificate authorities (PEM); undefined: those that Node trusts. */
  readonly authorities?: string | undefined;
  readonly signal: AbortSignal;
}

/** Rejects with the system's or OpenSSL's error, or with a refusal that names the proxy. */
export async function ask(question: Question): Promise<IncomingMessage> {
  const { url, headers, body, authorities, signal } = question;
  const trust: Trust = { rejectUnauthorized: true, minVersion: "TLSv1.2", ...(authorities !== undefined && { ca: authorities }) };
  // No connection is reused: requests are far apart, and a new certificate must be noticed.
  const options = {
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }) },
    signal,
    agent: false,
  } as const satisfies RequestOptions;
  const proxy = proxyOf(url);
  if (proxy === undefined)
    return await answerOf(() => (isSecure(url) ? requestSecure(url, { ...options, ...trust }) : requestPlain(url, options)), body);
  if (!isSecure(url)) return await askProxy(proxy, url, options, trust, body);
  const socket = await openTunnel(proxy, url, trust, signal);
  // Without an agent, the request takes the connection that it is given.
  return await answerOf(() => requestSecure(url, { ...options, agent: undefined, createConnection: () => socket }), body);
}

const isSecure = ({ protocol }: URL): boolean => protocol === "https:";

/** Asks the proxy itself for the whole URL (RFC 9112, section 3.2.2), as is done without TLS. */
async function askProxy(proxy: HttpProxy, url: URL, options: RequestOptions, trust: Trust, body?: string): Promise<IncomingMessage> {
  const whole = { ...options, path: url.href.split("#", 1)[0], headers: { host: url.host, ...options.headers, ...credentialsFor(proxy) } };
  let response: IncomingMessage;
  try {
    response = await answerOf(
      () => (isSecure(proxy.url) ? requestSecure(proxy.url, { ...whole, ...trustIn(proxy, trust) }) : requestPlain(proxy.url, whole)),
      body,
    );
  } catch (error) {
    throw unreachableProxy(proxy, error);
  }
  const refused = refusalOf(proxy, response.statusCode ?? 0);
  if (refused === undefined) return response;
  response.destroy();
  throw refused;
}

/** Returns the answer; rejects also when the request cannot be made. */
const answerOf = (open: () => ClientRequest, body?: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = open();
    request.once("response", resolve);
    // An unsolicited upgrade emits neither a response nor an error, and would be waited for endlessly.
    request.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    request.once("error", reject);
    request.end(body);
  });
