/** The claims of a token as conditions see them, and their validity in time (semantics 5.4). */
import { printSeconds, readSeconds } from "../../runtime/door/claim-times.ts";
import { printJson } from "../server/calls/print-json.ts";
import { InvalidToken, type JsonRecord } from "./token.ts";

/** The claims of a verified token, with its times. */
export interface Claims {
  /** The auxData of a request with only this token, in JSON. Always the same string, so that its parsed form can be cached. */
  readonly auxDataText: string;
  /** Seconds since 1970. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  readonly issued: number | undefined;
}

const auxDataStart = '{"jwt":';

/** Returns the claims themselves as JSON. */
export const claimsText = ({ auxDataText }: Claims): string => auxDataText.slice(auxDataStart.length, -1);

/** Converts claims: `aud` becomes a list, times become RFC 3339 in UTC, and nulls are dropped, except for string claims. */
export function readClaims(written: JsonRecord): Claims {
  const times: { exp?: number; nbf?: number; iat?: number } = {};
  const claims = Object.entries(written).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    switch (name) {
      case "exp":
      case "nbf":
      case "iat": {
        // A null must not be dropped here: the token would never expire.
        const seconds = readSeconds(value);
        if (seconds === undefined) throw new InvalidToken(`the claim \`${name}\` is not an instant`);
        times[name] = seconds;
        return [[name, printSeconds(seconds)]];
      }
      case "aud":
        return [[name, audience(value)]];
      case "iss":
      case "sub":
      case "jti":
        // A null becomes "", so that the claim still exists for conditions that test for it.
        if (value === null) return [[name, ""]];
        if (typeof value !== "string") throw new InvalidToken(`the claim \`${name}\` is not a string`);
        break;
    }
    return value === null ? [] : [[name, value]];
  });
  const auxDataText = `${auxDataStart}${printJson(Object.fromEntries(claims))}}`;
  return { auxDataText, expires: times.exp, notBefore: times.nbf, issued: times.iat };
}

/** Returns why claims are not valid at an instant in milliseconds; undefined when they are. */
export function whyInvalid(claims: Claims, now: number, skewMilliseconds: number): string | undefined {
  const [earliestNow, latestNow] = [(now - skewMilliseconds) / 1000, (now + skewMilliseconds) / 1000];
  if (claims.expires !== undefined && earliestNow >= claims.expires) return "expired";
  if (claims.notBefore !== undefined && latestNow < claims.notBefore) return "not valid yet";
  if (claims.issued !== undefined && latestNow < claims.issued) return "issued in the future";
  return undefined;
}

function audience(value: unknown): readonly string[] {
  const list: unknown = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string"))
    throw new InvalidToken("the claim `aud` is not a list of strings");
  return list;
}
