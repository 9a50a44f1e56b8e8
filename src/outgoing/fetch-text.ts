/** Fetches a text over HTTP, with limits on time and size, and never from another host than the given one. */
import type { IncomingMessage } from "node:http";
import { unescape } from "node:querystring";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { codeOf } from "../refusal.ts";
import { version } from "../version.ts";
import { ask } from "./ask.ts";

/** A text, and how long it is fresh. */
export interface Fetched {
  readonly text: string;
  /** The `max-age` of `cache-control`; undefined when there is none. */
  readonly freshMilliseconds: number | undefined;
}

/** Fetches a text; rejects with an error that says why it failed. */
export type FetchText = (url: URL, bounds: Bounds) => Promise<Fetched>;

/** The limits on the total time and the size. */
export interface Bounds {
  readonly milliseconds: number;
  readonly bytes: number;
  /** Additional request headers, such as trace context. */
  readonly headers?: { readonly [name: string]: string };
}

const maxRedirects = 3;
const about = { accept: "application/json, */*;q=0.5", "accept-encoding": "gzip", "user-agent": `authz/${version}` } as const;

/** Fetches over HTTP or HTTPS. */
export const fetchText: FetchText = async (url, bounds) => {
  const signal = AbortSignal.timeout(bounds.milliseconds);
  let response: IncomingMessage | undefined;
  try {
    response = await follow(url, signal, bounds.headers);
    const freshMilliseconds = maxAge(response.headers["cache-control"]);
    return { text: await readText(response, bounds.bytes), freshMilliseconds };
  } catch (error) {
    response?.destroy();
    if (signal.aborted) throw new Error(`${url.host} did not answer within ${bounds.milliseconds / 1000} s`, { cause: error });
    const code = codeOf(error);
    if (code === undefined) throw error;
    const why = code.startsWith("Z_") ? "sends what cannot be decompressed" : "cannot be reached";
    throw new Error(`${url.host} ${why} (${code})`, { cause: error });
  }
};

async function follow(first: URL, signal: AbortSignal, sent: Bounds["headers"]): Promise<IncomingMessage> {
  let url = first;
  const credentials = credentialsOf(first);
  for (let redirects = 0; ; redirects++) {
    const headers = { ...about, ...sent, ...credentials };
    const response = await ask({ url: withoutCredentials(url), headers, signal });
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode <= 299) return response;
    response.destroy();
    const { location } = response.headers;
    if (statusCode < 300 || statusCode > 399 || location === undefined) throw new Error(`${url.host} answers with status ${statusCode}`);
    if (redirects === maxRedirects) throw new Error(`${url.host} redirects more than ${maxRedirects} times`);
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
    // The operator chose the host, and that it is asked over TLS.
    if (next === undefined || next.host !== first.host || next.protocol !== first.protocol)
      throw new Error(`${url.host} redirects to another place, which is not followed`);
    url = next;
  }
}

/** Returns the credentials of a URL as a header. */
function credentialsOf({ username, password }: URL): { readonly authorization?: string } {
  if (username === "" && password === "") return {};
  const [name, secret] = [username, password].map(unescape);
  return { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}` };
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = bare.password = "";
  return bare;
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of decompressed(response) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8").decode(Buffer.concat(chunks));
}

/** Files that are stored compressed are sent so, whatever was asked for. */
function decompressed(response: IncomingMessage): Readable {
  const encoding = (response.headers["content-encoding"] ?? "identity").toLowerCase();
  if (encoding === "identity") return response;
  const open = decompressors.get(encoding);
  if (open === undefined) throw new Error(`the answer is encoded (${encoding.slice(0, 20)}), which was not asked for`);
  return pipeline(response, open(), () => undefined); // The reader hears of failures.
}

const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

function maxAge(header: string | undefined): number | undefined {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec(header ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
