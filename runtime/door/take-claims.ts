/** Claims as libraries give them -> claims as conditions read them: what a server makes of the same token (semantics 5.4). */
import type { JsonObject, Value } from "../cel/value.ts";
import { note } from "./problems.ts";
import { takeObject, type Taking } from "./snapshot.ts";

/**
 * Takes claims: times as numbers become texts, one audience a list, and what is null is not there. A condition that forbids would
 * fail on them as they are, and be passed over. What is written as conditions read it stays.
 */
export function takeClaims(value: unknown, at: string, taking: Taking): JsonObject | undefined {
  const claims = Object.entries(takeObject(value, at, taking) ?? {}).flatMap(([name, claim]): readonly (readonly [string, Value])[] => {
    if (instants.has(name) && typeof claim !== "string") return [[name, readInstant(claim, `${at}.${name}`, taking)]];
    // A claim that is there and says nothing: whoever asks whether it is there must not be told no.
    if (claim === null) return texts.has(name) ? [[name, ""]] : [];
    return [[name, name === "aud" && typeof claim === "string" ? [claim] : claim]];
  });
  return claims.length === 0 ? undefined : Object.fromEntries(claims);
}

const instants = new Set(["exp", "nbf", "iat"]);
const texts = new Set(["iss", "sub", "jti"]);

function readInstant(seconds: Value, at: string, taking: Taking): string {
  if (typeof seconds === "number" && seconds >= 0 && seconds <= latest)
    return new Date(Math.trunc(seconds) * 1000).toISOString().replace(".000", "");
  note(taking, at, "must be a text, or seconds since 1970");
  return "";
}

/** The end of the year 9999: what RFC 3339 can write. */
const latest = 253_402_300_799;
