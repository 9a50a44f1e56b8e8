/** Claims as libraries give them -> claims as conditions read them: what a server makes of the same token (semantics 5.4). */
import type { JsonObject, Value } from "../cel/value.ts";
import { printSeconds, readSeconds } from "./claim-times.ts";
import { note, wordFor } from "./problems.ts";
import { takeObject, type Taking } from "./snapshot.ts";

/**
 * Takes claims: times become RFC 3339, one audience a list, and what is null is not there. A condition that forbids would fail on them
 * as they are, and be passed over. What a server refuses in a token is refused: such a condition could not be asked either.
 */
export function takeClaims(value: unknown, at: string, taking: Taking): JsonObject | undefined {
  const claims = Object.entries(takeObject(value, at, taking) ?? {}).flatMap(([name, claim]): readonly (readonly [string, Value])[] => {
    switch (name) {
      case "exp":
      case "nbf":
      case "iat":
        return [[name, takeTime(claim, `${at}.${name}`, taking)]];
      case "aud":
        return [[name, takeAudience(claim, `${at}.${name}`, taking)]];
      case "iss":
      case "sub":
      case "jti":
        // A claim that is there and says nothing: whoever asks whether it is there must not be told no.
        if (claim === null) return [[name, ""]];
        if (typeof claim !== "string") note(taking, `${at}.${name}`, `must be a string: ${wordFor(claim)}`);
        break;
    }
    return claim === null ? [] : [[name, claim]];
  });
  return claims.length === 0 ? undefined : Object.fromEntries(claims);
}

function takeTime(claim: Value, at: string, taking: Taking): string {
  const seconds = readSeconds(claim);
  if (seconds !== undefined) return printSeconds(seconds);
  const text = typeof claim === "string" ? "a time such as 2025-06-01T12:00:00Z" : "a string";
  note(taking, at, `must be ${text}, or seconds since 1970`);
  return "";
}

function takeAudience(claim: Value, at: string, taking: Taking): Value {
  if (typeof claim === "string") return [claim];
  if (!Array.isArray(claim) || !claim.every((one) => typeof one === "string"))
    note(taking, at, `must be a string or a list of strings: ${wordFor(claim)}`);
  return claim;
}
