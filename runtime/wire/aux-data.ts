/** Reads the tokens of a request. They are not verified here, so nothing may be decided by their claims yet. */
import { fields, type Field, type Step } from "./field.ts";
import type { Json } from "./json.ts";
import { readObject, readText, root, spelling, reportUnknownField, reportViolation, type Reading, type LazyPath } from "./reading.ts";
import { requireText } from "./rules.ts";

/** A token as sent, and the id of the key set to verify it with. */
export interface Token {
  readonly token: string;
  /** "" if the caller left the choice to the server. */
  readonly keySetId: string;
}

/** Either one token, or several by name. */
export interface Tokens {
  readonly jwt?: Token;
  readonly jwts?: ReadonlyMap<string, Token>;
}

/** Reads `auxData`; `spelled` is the caller's spelling of the field. Undefined if it holds no token. */
export function readAuxData(
  reading: Reading,
  value: Json | undefined,
  spelled: string,
  field: Field = fields.request.auxData,
): Tokens | undefined {
  const auxData = readObject(reading, root, spelled, value);
  if (auxData === undefined) return undefined;
  const self: Step = { name: spelled, field };
  const here: LazyPath = () => [self];
  let jwt: Token | undefined;
  let jwts: ReadonlyMap<string, Token> = new Map();
  for (const name in auxData) {
    reading.keys++;
    switch (name) {
      case "jwt": {
        const token = readObject(reading, here, name, auxData[name]);
        if (token !== undefined) jwt = readToken(reading, () => [self, { name, field: fields.auxData.jwt }], token);
        break;
      }
      case "jwts":
        jwts = readNamedTokens(reading, self, readObject(reading, here, name, auxData[name]) ?? {});
        break;
      default:
        reportUnknownField(reading, here, name, "jwt, jwts");
    }
  }
  if (jwt !== undefined && jwts.size > 0) {
    reportViolation(reading, root, field, spelled, "exclusiveFieldsJwtOrJwts", "give either `jwt` or `jwts`, not both");
  }
  if (jwt !== undefined) return { jwt };
  return jwts.size > 0 ? { jwts } : undefined;
}

function readNamedTokens(reading: Reading, self: Step, named: { readonly [key: string]: Json }): ReadonlyMap<string, Token> {
  const tokens = new Map<string, Token>();
  for (const key of Object.keys(named)) {
    reading.keys++;
    const here: LazyPath = () => [self, { name: "jwts", field: fields.auxData.jwts, key }];
    if (key === "")
      reportViolation(reading, () => [self], fields.auxData.jwts, "jwts", "string.min_len", "the name of a token must not be empty", {
        key,
      });
    // A null entry is read as an empty token, which is then reported.
    const token = readObject(reading, () => [self, { name: "jwts", field: fields.auxData.jwts }], key, named[key]);
    tokens.set(key, readToken(reading, here, token ?? {}));
  }
  return tokens;
}

function readToken(reading: Reading, here: LazyPath, value: { readonly [key: string]: Json }): Token {
  let token = "";
  let keySetId = "";
  let keySetName = "";
  for (const name in value) {
    reading.keys++;
    switch (name) {
      case "token":
        token = readText(reading, here, name, value[name]);
        break;
      case "keySetId":
      case "key_set_id":
        keySetName = spelling(reading, here, keySetName, name);
        keySetId = readText(reading, here, name, value[name]);
        break;
      default:
        reportUnknownField(reading, here, name, "token, keySetId");
    }
  }
  requireText(reading, here, fields.jwt.token, "token", token, "a token");
  return { token, keySetId };
}
