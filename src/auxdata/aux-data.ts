/** Verifies the tokens of a request: tokens in, their claims out, or the reason why the request is refused. */
import { defaultMaxValues } from "../../runtime/wire/count-values.ts";
import { cutWithDots } from "../../runtime/cut.ts";
import { isLoopback } from "../config/bundle-address.ts";
import type { Config } from "../config/settings.ts";
import type { FetchText } from "../outgoing/fetch-text.ts";
import type { Log } from "../observe/log.ts";
import { claimsText, readClaims, whyInvalid, type Claims } from "./claims.ts";
import { openKeySet, type CurrentKeys, type KeySet } from "./key-set.ts";
import { cacheKey, openClaimsCache, type ClaimsCacheState } from "./claims-cache.ts";
import { InvalidToken, candidates, isSigned, readToken, unverifiedClaims } from "./token.ts";

/** A token as received. */
export interface SentToken {
  readonly token: string;
  /** The id of the key set; "" when the request does not name one. */
  readonly keySetId: string;
}

/** The tokens of one request: one, or several by name. */
export interface SentTokens {
  readonly jwt?: SentToken;
  readonly jwts?: { readonly [name: string]: SentToken };
}

/** The outcome for the tokens of a request. */
export type VerificationResult =
  /** The request's auxData as conditions see it, in JSON. */
  | { readonly kind: "claims"; readonly text: string }
  /** The reason, which quotes nothing of any token. */
  | { readonly kind: "invalid"; readonly reason: string };

/** The verifier. */
export interface AuxDataVerifier {
  /** Verifies tokens; synchronously unless keys must be fetched first. `now` is in milliseconds. */
  readonly verify: (tokens: SentTokens, now: number) => VerificationResult | Promise<VerificationResult>;
  /** Returns the fill of the cache of verified tokens, and its hits and misses. */
  readonly cacheState: () => ClaimsCacheState;
  readonly close: () => void;
}

/** The settings that are read here. */
export type AuxDataConfig = Pick<
  Config,
  "auxData.jwt.disableVerification" | "auxData.jwt.acceptableTimeSkew" | "auxData.jwt.cacheSize" | "auxData.jwt.keySets"
>;

/** The log, the fetcher of keys, and the limits. */
export interface AuxDataOptions {
  readonly log: Log;
  readonly fetchText: FetchText;
  /** How many milliseconds a source of keys is not asked again after it was asked on behalf of a token. */
  readonly pauseMilliseconds?: number;
  /** The most JSON values that the tokens of a request may hold together. */
  readonly maxValues?: number;
}

/** A token, with its share of the limit on JSON values. */
interface LimitedToken extends SentToken {
  readonly maxValues: number;
}

/** The most tokens of one request: a signature takes longer to verify than most decisions. */
const maxTokens = 50;

/** Opens the configured key sets. */
export function openAuxData(config: AuxDataConfig, options: AuxDataOptions): AuxDataVerifier {
  const { log, maxValues = defaultMaxValues } = options;
  const isVerificationDisabled = config["auxData.jwt.disableVerification"];
  const settings = config["auxData.jwt.keySets"];
  const skew = config["auxData.jwt.acceptableTimeSkew"];
  for (const warning of insecureSettings(config)) log.warn(warning);
  const keySets = new Map(settings.map((setting) => [setting.id, openKeySet(setting, options)]));
  const cache = openClaimsCache(config["auxData.jwt.cacheSize"]);

  const keySetOf = (id: string): KeySet => {
    const [only] = keySets.values();
    const chosen = id === "" && keySets.size === 1 ? only : keySets.get(id);
    if (chosen !== undefined) return chosen;
    if (keySets.size === 0) throw new InvalidToken("no key sets are configured");
    throw new InvalidToken(id === "" ? "several key sets are configured: name one (`keySetId`)" : `unknown key set \`${brief(id)}\``);
  };
  const checkTimes = (claims: Claims, now: number): Claims => {
    const reason = whyInvalid(claims, now, skew);
    if (reason !== undefined) throw new InvalidToken(reason);
    return claims;
  };
  /** Verifies with the present keys; undefined when newer keys might succeed. */
  const verifyBy = (sent: LimitedToken, keySet: KeySet, keys: CurrentKeys, now: number): Claims | undefined => {
    const key = cacheKey(sent.token, keySet.id, keys.version);
    const known = cache.get(key);
    if (known !== undefined) {
      // Its share may be smaller than when it was verified, for example if it came alone then.
      if (sent.token.length > sent.maxValues) readToken(sent.token, sent.maxValues);
      if (whyInvalid(known, now, skew) === "expired") cache.delete(key);
      return checkTimes(known, now);
    }
    const token = readToken(sent.token, sent.maxValues);
    const fitting = candidates(token, keys.keys, keySet.choice);
    if (!isSigned(token, fitting, keySet.choice)) {
      if (fitting.length === 0 || keySet.choice.optionalKid) return undefined;
      throw new InvalidToken("bad signature");
    }
    const claims = checkTimes(readClaims(token.claims), now);
    cache.set(key, claims);
    return claims;
  };
  const verifyToken = (sent: LimitedToken, now: number): Claims | Promise<Claims> => {
    if (isVerificationDisabled) return checkTimes(readClaims(unverifiedClaims(readToken(sent.token, sent.maxValues))), now);
    const keySet = keySetOf(sent.keySetId);
    return mapResult(keySet.keys(), (keys) => {
      if (keys === undefined) throw new InvalidToken(`the keys of the key set \`${keySet.id}\` are not available`);
      const claims = verifyBy(sent, keySet, keys, now);
      if (claims !== undefined) return claims;
      return mapResult(keySet.newer(keys), (newer) => {
        const again = newer === undefined || newer.version === keys.version ? undefined : verifyBy(sent, keySet, newer, now);
        if (again !== undefined) return again;
        throw new InvalidToken(
          keySet.choice.optionalKid ? "bad signature" : `the key set \`${keySet.id}\` has no key of the id that the token names`,
        );
      });
    });
  };

  return {
    verify: ({ jwt, jwts }, now) => {
      if (jwt !== undefined) {
        return resultOf(() => mapResult(verifyToken({ ...jwt, maxValues }, now), ({ auxDataText }) => auxDataText), "");
      }
      const sentTokens = Object.entries(jwts ?? {});
      if (sentTokens.length > maxTokens) return { kind: "invalid", reason: `more than ${maxTokens} tokens` };
      const share = Math.floor(maxValues / Math.max(1, sentTokens.length));
      const named = sentTokens.map(([name, sent]) =>
        resultOf(
          () =>
            mapResult(
              verifyToken({ ...sent, maxValues: share }, now),
              (claims) => `${JSON.stringify(name)}:{"claims":${claimsText(claims)}}`,
            ),
          `token \`${brief(name)}\`: `,
        ),
      );
      const there = named.filter(isSettled);
      return there.length === named.length ? combineResults(there) : Promise.all(named.map(async (one) => one)).then(combineResults);
    },
    cacheState: cache.state,
    close: () => {
      for (const keySet of keySets.values()) keySet.close();
    },
  };
}

/** Continues with a value, synchronously if it is not a promise. */
function mapResult<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

const isSettled = (value: VerificationResult | Promise<VerificationResult>): value is VerificationResult => !(value instanceof Promise);

/** Converts a thrown `InvalidToken` to a reason; other errors are bugs of ours, and are thrown. */
function resultOf(run: () => string | Promise<string>, prefix: string): VerificationResult | Promise<VerificationResult> {
  const invalid = (error: unknown): VerificationResult => {
    if (error instanceof InvalidToken) return { kind: "invalid", reason: prefix + error.message };
    throw error;
  };
  try {
    const text = run();
    return text instanceof Promise
      ? text.then((there) => ({ kind: "claims" as const, text: there })).catch(invalid)
      : { kind: "claims", text };
  } catch (error) {
    return invalid(error);
  }
}

/** Combines the results of several tokens: all claims, or the first reason. */
function combineResults(named: readonly VerificationResult[]): VerificationResult {
  const bad = named.find((one) => one.kind === "invalid");
  return bad ?? { kind: "claims", text: `{"jwts":{${named.map((one) => (one.kind === "claims" ? one.text : "")).join(",")}}}` };
}

const brief = (text: string): string => cutWithDots(text, 61);

function insecureSettings(config: AuxDataConfig): readonly string[] {
  const about = (id: string, setting: string, means: string): string => `insecure: the key set \`${id}\` has ${setting}: ${means}`;
  return [
    ...(config["auxData.jwt.disableVerification"]
      ? ["insecure: auxData.jwt.disableVerification is on: whoever calls can claim anything"]
      : []),
    ...config["auxData.jwt.keySets"].flatMap(({ id, source, optionalAlg, optionalKid }) => [
      ...(source.kind === "remote" && isUnencrypted(new URL(source.url))
        ? [`insecure: the key set \`${id}\` is fetched over http: whoever is on the way can put in keys of their own`]
        : []),
      ...(optionalAlg ? [about(id, "optionalAlg", "the token chooses the algorithm where a key names none")] : []),
      ...(optionalKid ? [about(id, "optionalKid", "a token may be signed with any of its keys")] : []),
    ]),
  ];
}

const isUnencrypted = ({ protocol, hostname }: URL): boolean => protocol === "http:" && !isLoopback(hostname);
