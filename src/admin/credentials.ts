/** Checks administrator credentials (HTTP Basic) against the configured name and hash, without revealing which of the two was wrong. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../observe/log.ts";
import { isRefusal } from "../refusal.ts";
import type { Call } from "../server/calls/call.ts";
import { failure, type Reply } from "../server/calls/reply.ts";
import { openFailedLogins, type FailedLogins } from "./failed-logins.ts";

/** Returns the error reply for invalid credentials; undefined for those of the administrator. */
export type CheckCredentials = (call: Pick<Call, "peer" | "headers">) => Promise<Reply | undefined>;

/** The expected credentials, and how they are compared. */
export interface CredentialsOptions {
  readonly username: string;
  /** A bcrypt hash. */
  readonly passwordHash: string;
  /** Compares a password with the hash, in another thread, because it takes long. */
  readonly verify: (password: string, hash: string) => Promise<boolean>;
  readonly log: Log;
  readonly failedLogins?: FailedLogins;
  /** How many milliseconds correct credentials are remembered. */
  readonly rememberMilliseconds?: number;
}

/** Default passwords of other servers, whose hashes may be in a configuration that was moved. */
const published: ReadonlySet<string> = new Set(["cerbosAdmin", "authzAdmin"]);
const publishedWarning =
  "the administrator's password is a published default, which everybody knows: `authz admin hash-password` makes the hash of another (setting server.adminAPI.adminCredentials.passwordHash)";

/** How many passwords are compared in parallel; further logins are told to retry. */
const maxAtOnce = 8;

/** Opens the check. */
export function openCredentials(options: CredentialsOptions): CheckCredentials {
  const { username, passwordHash, verify, log, failedLogins = openFailedLogins(), rememberMilliseconds = 10 * 60_000 } = options;
  // A key of this process, so that what is remembered reveals nothing about the password.
  const key = randomBytes(32);
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const rightName = digest(username);
  let remembered: { readonly digest: Buffer; readonly until: number } | undefined;
  let comparing = 0;

  const isRemembered = (given: Buffer): boolean => {
    if (remembered === undefined) return false;
    if (performance.now() < remembered.until) return timingSafeEqual(given, remembered.digest);
    remembered = undefined;
    return false;
  };

  return async ({ headers, peer }) => {
    const given = readBasic(credentialsIn(headers));
    if ("refused" in given) return given.refused;

    const tried = failedLogins.begin(peer);
    if (tried.kind === "blocked")
      return {
        ...failure("RESOURCE_EXHAUSTED", `too many failed logins from this address: try again in ${tried.seconds} seconds`),
        retryAfter: tried.seconds,
      };
    const both = digest(`${given.name.length}:${given.name}:${given.password}`);
    if (isRemembered(both)) {
      failedLogins.succeeded(peer);
      return undefined;
    }
    if (comparing >= maxAtOnce) {
      failedLogins.abandoned(peer);
      return { ...failure("RESOURCE_EXHAUSTED", "too many logins at the same time: try again in a moment"), retryAfter: 1 };
    }
    comparing++;
    let isRight: boolean;
    try {
      // Both are always compared, so that the duration does not reveal which was wrong.
      const isPassword = await verify(given.password, passwordHash);
      isRight = timingSafeEqual(digest(given.name), rightName) && isPassword;
    } catch (error) {
      failedLogins.abandoned(peer);
      if (isRefusal(error)) return failure("UNAVAILABLE", error.message);
      throw error;
    } finally {
      comparing--;
    }
    if (isRight) {
      failedLogins.succeeded(peer);
      if (published.has(given.password)) log.warn(publishedWarning);
      remembered = { digest: both, until: performance.now() + rememberMilliseconds };
      return undefined;
    }
    log.warn({ "source.address": peer }, "a login to the administration API failed");
    await wait(failedLogins.failed(peer), undefined, { ref: false });
    return unauthenticated("the name or the password is wrong");
  };
}

/** Returns the values of the `authorization` header. */
export const credentialsIn = (headers: Call["headers"]): readonly string[] =>
  [...headers.entries()].filter(([name]) => name === "authorization").flatMap(([, values]) => [...values]);

const unauthenticated = (message: string): Reply => failure("UNAUTHENTICATED", message);
const refuse = (message: string): { readonly refused: Reply } => ({ refused: unauthenticated(message) });

/** A password may contain colons, a user name may not. */
function readBasic(headers: readonly string[]): { readonly name: string; readonly password: string } | { readonly refused: Reply } {
  const [header, ...others] = headers;
  if (header === undefined)
    return refuse("credentials are required: send the header Authorization with Basic and the base64 of name:password");
  if (others.length > 0) return refuse("there is more than one header Authorization");
  // Some clients omit the space, and the reference accepts that.
  const encoded = /^basic *(.*)$/is.exec(header)?.[1]?.trim();
  if (encoded === undefined) return refuse("only Basic credentials are accepted");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded === "") return refuse("the credentials are not base64");
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1) return refuse("the credentials are not the base64 of name:password");
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
