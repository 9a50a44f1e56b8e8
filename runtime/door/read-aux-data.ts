/** Reads the claims of tokens that the program has verified. */
import type { JsonObject } from "../cel/value.ts";
import type { AuxData } from "../decide/input.ts";
import { fieldsOf, isFields } from "./fields.ts";
import { isHidden } from "./hidden.ts";
import { addProblem, describeType } from "./problems.ts";
import { checkText, type CopyState } from "./snapshot.ts";
import { convertClaims } from "./convert-claims.ts";

/** Reads the claims of one token, or of several by name. */
export function readAuxData(value: unknown, state: CopyState): AuxData | undefined {
  if (value === undefined || value === null) return undefined;
  const { jwt, jwts } = fieldsOf(value, "auxData", ["jwt", "jwts"], state);
  // A Map or a promise may contain claims that cannot be read; an object with getters is fine, because they were
  // read.
  if (jwt === undefined && jwts === undefined && isFields(value) && isHidden(value))
    addProblem(state, "auxData", `must be an object with jwt, jwts: ${describeType(value)}`);
  if (jwt !== undefined && jwts !== undefined)
    addProblem(state, "auxData", "has both `jwt` and `jwts`: claims are of one token, or of several by name");
  if (jwts === undefined) {
    const claims = convertClaims(jwt, "auxData.jwt", state);
    return claims === undefined ? {} : { jwt: claims };
  }
  const named = Object.entries(isFields(jwts) ? jwts : fieldsOf(jwts, "auxData.jwts", ["names of tokens"], state));
  if (named.length === 0 && isFields(jwts) && isHidden(jwts))
    addProblem(state, "auxData.jwts", `must be an object with names of tokens: ${describeType(jwts)}`);
  return { jwts: Object.fromEntries(named.map(([name, token]) => [name, readToken(name, token, state)])) };
}

function readToken(name: string, token: unknown, state: CopyState): { readonly claims: JsonObject } {
  const at = `auxData.jwts.${checkText(name, "auxData.jwts", name, state)}`;
  if (name === "") addProblem(state, at, "must not be empty");
  const { claims } = fieldsOf(token, at, ["claims"], state);
  if (isFields(token) && (claims === undefined || claims === null))
    addProblem(state, `${at}.claims`, `must be an object: ${describeType(claims)}`);
  return { claims: convertClaims(claims, `${at}.claims`, state) ?? {} };
}
