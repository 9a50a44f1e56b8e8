/** Git over HTTP: bounded requests, verified TLS, and credentials only for the configured server. */
import type { IncomingMessage } from "node:http";
import { ask as send } from "../../outgoing/ask.ts";
import { refuseStatus, UnreachableError } from "../../outgoing/unreachable-error.ts";
import { codeOf, refusal } from "../../refusal.ts";
import { readAuthorities } from "../authorities.ts";
import { tlsFailure } from "../tls-failure.ts";
import { readLines, type Lines } from "./lines.ts";
import { readPack } from "./pack.ts";
import { branchesIn, commitOf, heads, largestPack, type Remote } from "./remote.ts";
import { askForBranches, askForPack, readBranches, readGreeting, readPackAnswer, type Greeting } from "./upload-pack.ts";

/** The repository, and the credentials. */
export interface HttpRemoteOptions {
  /** Without credentials. */
  readonly url: string;
  readonly branch: string;
  readonly username: string;
  readonly password: string;
  /** The file of trusted certificate authorities; "": those that Node trusts. */
  readonly caCert: string;
}

const largestListing = 64 * 1024 * 1024;
const maxRedirects = 3;
const service = "git-upload-pack";
const typesOfBody = { "content-type": `application/x-${service}-request`, accept: `application/x-${service}-result` } as const;
const settings = { caCert: "storage.git.https.caCert", url: "storage.git.url" } as const;

/** Creates a remote; no request is made yet. */
export function httpRemote(options: HttpRemoteOptions): Remote {
  const { branch, username, password } = options;
  const authorization =
    username === "" && password === "" ? {} : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };

  return {
    open: async (signal) => {
      const authorities = options.caCert === "" ? undefined : readAuthorities(options.caCert, settings.caCert);
      const about = { ...authorization, "git-protocol": "version=2", "accept-encoding": "identity", "user-agent": "git/authz" };
      const ask = async (url: string, body?: string): Promise<IncomingMessage> => {
        const headers = body === undefined ? about : { ...about, ...typesOfBody };
        try {
          return await send({ url: new URL(url), headers, authorities, signal, ...(body !== undefined && { body }) });
        } catch (error) {
          throw codeOf(error) === undefined ? error : unreachable(error);
        }
      };
      const found = await discover(options.url, ask, authorization.authorization !== undefined);
      const greeting = await readGreeting(linesOf(found.response, `application/x-${service}-advertisement`, largestListing));
      const post = async (body: string, most: number): Promise<Lines> => {
        const response = await ask(`${found.url}/${service}`, body);
        if (response.statusCode !== 200) throw refuseResponse(response, authorization.authorization !== undefined);
        return linesOf(response, `application/x-${service}-result`, most);
      };
      const refs = await refsOf(
        greeting,
        branch,
        async (prefix) => await readBranches(await post(askForBranches(greeting, prefix), largestListing)),
      );
      const commit = commitOf(branch, refs.get(heads + branch), branchesIn(refs.keys()));
      return {
        commit,
        isNear: false,
        objects: async (have) =>
          await readPack(
            await readPackAnswer(await post(askForPack(greeting, commit, have?.commit), largestPack + largestListing), largestPack),
            have?.read,
          ),
        close: async () => undefined,
      };
    },
  };
}

/** Requests only the branch, if the server supports that; all branches when it is missing, or with a protocol that lists everything. */
async function refsOf(
  greeting: Greeting,
  branch: string,
  list: (prefix: string) => Promise<ReadonlyMap<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  if (greeting.version === 0) return greeting.refs;
  const some = await list(heads + branch);
  return some.has(heads + branch) ? some : await list(heads);
}

/** Requests the greeting, and follows redirects within the configured server, as after a rename of the repository. */
async function discover(
  first: string,
  ask: (url: string) => Promise<IncomingMessage>,
  signsIn: boolean,
): Promise<{ readonly url: string; readonly response: IncomingMessage }> {
  const question = `/info/refs?service=${service}`;
  let url = first + question;
  for (let redirects = 0; ; redirects++) {
    const response = await ask(url);
    if (response.statusCode === 200) return { url: url.slice(0, -question.length), response };
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined) throw refuseResponse(response, signsIn);
    response.destroy();
    if (redirects === maxRedirects) throw refusal(`the server redirects more than ${maxRedirects} times`);
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next?.origin !== new URL(first).origin || !next.href.endsWith(question) || next.username !== "" || next.password !== "")
      throw refusal(
        "the server redirects to another place, which is not followed: write the address it moved to (setting storage.git.url)",
      );
    url = next.href;
  }
}

function refuseResponse(response: IncomingMessage, signsIn: boolean): Error {
  response.destroy();
  const status = response.statusCode ?? 0;
  const why =
    status === 401 || status === 403
      ? signsIn
        ? ": the credentials are not accepted (settings storage.git.https.username and password)"
        : ": it asks for credentials (settings storage.git.https.username and password)"
      : status === 404
        ? ": there is no such repository, or not for these credentials"
        : "";
  return refuseStatus(status, `the server answers with status ${status}${why}`);
}

/** Returns the refusal, without the URL, which is printed before it. */
function unreachable(error: unknown): Error {
  const untrusted = tlsFailure(error, settings);
  return untrusted === undefined ? new UnreachableError(`it cannot be reached (${codeOf(error) ?? "unknown error"})`) : refusal(untrusted);
}

function linesOf(response: IncomingMessage, type: string, most: number): Lines {
  const { "content-type": told = "", "content-encoding": encoding = "identity" } = response.headers;
  if (told.split(";")[0]?.trim() !== type || encoding !== "identity") {
    response.destroy();
    throw refusal("something answers at this address, but it is not a git repository served over HTTP");
  }
  return readLines(bounded(response, most));
}

async function* bounded(response: IncomingMessage, most: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    // Without an encoding, Node's streams yield buffers.
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > most) throw refusal(`the server sends more than ${most} bytes`);
      yield piece;
    }
  } catch (error) {
    const code = codeOf(error);
    throw code === undefined ? error : new UnreachableError(`the connection broke off before the answer was complete (${code})`);
  }
}
