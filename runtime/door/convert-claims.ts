/** Converts claims as JWT libraries return them to claims as a server presents them to conditions (semantics 5.4). */
import type { JsonObject, Value } from "../cel/value.ts";
import { printSeconds, readSeconds } from "./claim-times.ts";
import { addProblem, describeType } from "./problems.ts";
import { copyObject, type CopyState } from "./snapshot.ts";

/**
 * Converts claims: times become RFC 3339, a single audience becomes a list, null claims are removed. Unconverted, a
 * DENY rule that compares them would fail with an error and be skipped. Claims that a server would refuse are refused
 * here too, for the same reason.
 */
export function convertClaims(value: unknown, at: string, state: CopyState): JsonObject | undefined {
  const claims = Object.entries(copyObject(value, at, state) ?? {}).flatMap(([name, claim]): readonly (readonly [string, Value])[] => {
    switch (name) {
      case "exp":
      case "nbf":
      case "iat":
        return [[name, convertTime(claim, `${at}.${name}`, state)]];
      case "aud":
        return [[name, convertAudience(claim, `${at}.${name}`, state)]];
      case "iss":
      case "sub":
      case "jti":
        // A null registered claim becomes "", so that `has` still finds it.
        if (claim === null) return [[name, ""]];
        if (typeof claim !== "string") addProblem(state, `${at}.${name}`, `must be a string: ${describeType(claim)}`);
        break;
    }
    return claim === null ? [] : [[name, claim]];
  });
  return claims.length === 0 ? undefined : Object.fromEntries(claims);
}

function convertTime(claim: Value, at: string, state: CopyState): string {
  const seconds = readSeconds(claim);
  if (seconds !== undefined) return printSeconds(seconds);
  const text = typeof claim === "string" ? "a time such as 2025-06-01T12:00:00Z" : "a string";
  addProblem(state, at, `must be ${text}, or seconds since 1970`);
  return "";
}

function convertAudience(claim: Value, at: string, state: CopyState): Value {
  if (typeof claim === "string") return [claim];
  if (!Array.isArray(claim) || !claim.every((one) => typeof one === "string"))
    addProblem(state, at, `must be a string or a list of strings: ${describeType(claim)}`);
  return claim;
}
