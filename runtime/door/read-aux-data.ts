/** Reads the claims of tokens that the program has verified. */
import type { JsonObject } from "../cel/value.ts";
import type { AuxData } from "../decide/input.ts";
import { fieldsOf, isFields } from "./fields.ts";
import { isHidden } from "./hidden.ts";
import { note, wordFor } from "./problems.ts";
import { takeText, type Taking } from "./snapshot.ts";
import { takeClaims } from "./take-claims.ts";

/** Reads the claims of one token, or of several by name. */
export function readAuxData(value: unknown, taking: Taking): AuxData | undefined {
  if (value === undefined || value === null) return undefined;
  const { jwt, jwts } = fieldsOf(value, "auxData", ["jwt", "jwts"], taking);
  // A Map or a promise may contain claims that cannot be read; an object with getters is fine, because they were
  // read.
  if (jwt === undefined && jwts === undefined && isFields(value) && isHidden(value))
    note(taking, "auxData", `must be an object with jwt, jwts: ${wordFor(value)}`);
  if (jwt !== undefined && jwts !== undefined)
    note(taking, "auxData", "has both `jwt` and `jwts`: claims are of one token, or of several by name");
  if (jwts === undefined) {
    const claims = takeClaims(jwt, "auxData.jwt", taking);
    return claims === undefined ? {} : { jwt: claims };
  }
  const named = Object.entries(isFields(jwts) ? jwts : fieldsOf(jwts, "auxData.jwts", ["names of tokens"], taking));
  if (named.length === 0 && isFields(jwts) && isHidden(jwts))
    note(taking, "auxData.jwts", `must be an object with names of tokens: ${wordFor(jwts)}`);
  return { jwts: Object.fromEntries(named.map(([name, token]) => [name, readToken(name, token, taking)])) };
}

function readToken(name: string, token: unknown, taking: Taking): { readonly claims: JsonObject } {
  const at = `auxData.jwts.${takeText(name, "auxData.jwts", name, taking)}`;
  if (name === "") note(taking, at, "must not be empty");
  const { claims } = fieldsOf(token, at, ["claims"], taking);
  if (isFields(token) && (claims === undefined || claims === null)) note(taking, `${at}.claims`, `must be an object: ${wordFor(claims)}`);
  return { claims: takeClaims(claims, `${at}.claims`, taking) ?? {} };
}
