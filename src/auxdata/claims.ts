/** The claims of a token as conditions see them, and whether they hold now (semantics 5.4). */
import { printSeconds, readSeconds } from "../../runtime/door/claim-times.ts";
import { BadToken, type JsonRecord } from "./token.ts";

/** The claims of a verified token, and when they expire. */
export interface Claims {
  /** JSON: the auxData of a request with this token alone. Always the same text, which those who know it need not read again. */
  readonly alone: string;
  /** Seconds since 1970. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  readonly issued: number | undefined;
}

const aloneStart = '{"jwt":';

/** Returns the JSON of the claims themselves: what conditions see. */
export const claimsText = ({ alone }: Claims): string => alone.slice(aloneStart.length, -1);

/** Reads claims: `aud` becomes a list, instants become RFC 3339 in UTC, nulls are dropped but for those of texts. */
export function readClaims(written: JsonRecord): Claims {
  const times: { exp?: number; nbf?: number; iat?: number } = {};
  const claims = Object.entries(written).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    switch (name) {
      case "exp":
      case "nbf":
      case "iat": {
        // A null here is no claim that may be dropped: it would be a token that never expires.
        const seconds = readSeconds(value);
        if (seconds === undefined) throw new BadToken(`the claim \`${name}\` is not an instant`);
        times[name] = seconds;
        return [[name, printSeconds(seconds)]];
      }
      case "aud":
        return [[name, audience(value)]];
      case "iss":
      case "sub":
      case "jti":
        // A null here is a claim that is there and says nothing: whoever asks whether it is there must not be told no.
        if (value === null) return [[name, ""]];
        if (typeof value !== "string") throw new BadToken(`the claim \`${name}\` is not a string`);
        break;
    }
    return value === null ? [] : [[name, value]];
  });
  const alone = `${aloneStart}${JSON.stringify(Object.fromEntries(claims))}}`;
  return { alone, expires: times.exp, notBefore: times.nbf, issued: times.iat };
}

/** Says why claims do not hold at an instant, in milliseconds; undefined when they do. */
export function whyNot(claims: Claims, now: number, skewMilliseconds: number): string | undefined {
  const [earliestNow, latestNow] = [(now - skewMilliseconds) / 1000, (now + skewMilliseconds) / 1000];
  if (claims.expires !== undefined && earliestNow >= claims.expires) return "expired";
  if (claims.notBefore !== undefined && latestNow < claims.notBefore) return "not valid yet";
  if (claims.issued !== undefined && latestNow < claims.issued) return "issued in the future";
  return undefined;
}

function audience(value: unknown): readonly string[] {
  const list: unknown = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string"))
    throw new BadToken("the claim `aud` is not a list of strings");
  return list;
}
