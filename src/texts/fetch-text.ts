/** Fetches a text over HTTP, with limits on time and size, and never from another host than the given one. */
import { unescape } from "node:querystring";

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

/** Fetches over HTTP or HTTPS. */
export const fetchText: FetchText = async (url, bounds) => {
  const signal = AbortSignal.timeout(bounds.milliseconds);
  try {
    const response = await follow(url, signal, bounds.headers);
    const freshMilliseconds = maxAge(response.headers.get("cache-control"));
    return { text: await readText(response, bounds.bytes), freshMilliseconds };
  } catch (error) {
    if (signal.aborted) throw new Error(`${url.host} did not answer within ${bounds.milliseconds / 1000} s`, { cause: error });
    if (error instanceof TypeError) throw new Error(`${url.host} cannot be reached (${causeOf(error)})`, { cause: error });
    throw error;
  }
};

async function follow(first: URL, signal: AbortSignal, sent: Bounds["headers"]): Promise<Response> {
  let url = first;
  const credentials = credentialsOf(first);
  for (let redirects = 0; ; redirects++) {
    const headers = { accept: "application/json, */*;q=0.5", ...sent, ...credentials };
    const response = await fetch(withoutCredentials(url).href, { redirect: "manual", signal, headers });
    if (response.ok) return response;
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null)
      throw new Error(`${url.host} answers with status ${response.status}`);
    if (redirects === maxRedirects) throw new Error(`${url.host} redirects more than ${maxRedirects} times`);
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
    // The operator chose the host, and that it is asked over TLS.
    if (next === undefined || next.host !== first.host || next.protocol !== first.protocol)
      throw new Error(`${url.host} redirects to another place, which is not followed`);
    url = next;
  }
}

/** Returns the credentials of a URL as a header: `fetch` refuses URLs with credentials, and quotes them in its error. */
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

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8").decode(Buffer.concat(chunks));
}

function maxAge(header: string | null): number | undefined {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec(header ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function causeOf(error: TypeError): string {
  const { cause } = error;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}
