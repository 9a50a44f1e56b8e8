/** Signs the tokens that golden cases speak of, with a key that everybody may know. */
import { createHmac } from "node:crypto";
import type { Case } from "./cases.ts";

const key = Buffer.from("golden cases are signed with this key, which is no secret");
const id = "golden";

/** The configuration by which a server believes these tokens. */
export const keySet = {
  id,
  local: {
    data: Buffer.from(JSON.stringify({ keys: [{ kty: "oct", kid: id, alg: "HS256", k: key.toString("base64url") }] })).toString("base64"),
  },
};

/** Returns the request's `auxData`: tokens that say what the case says, else what it knows of them. */
export function sentAuxData({ tokens, auxData }: Case): object | undefined {
  if (tokens !== undefined) return "jwt" in tokens ? { jwt: sent(tokens.jwt) } : { jwts: each(tokens.jwts, sent) };
  if (auxData?.jwt !== undefined) return { jwt: sent(auxData.jwt) };
  return auxData?.jwts === undefined ? undefined : { jwts: each(auxData.jwts, ({ claims }) => sent(claims)) };
}

const each = <T>(named: { readonly [name: string]: T }, change: (value: T) => object): object =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name, change(value)]));

function sent(claims: object): object {
  const signed = [{ alg: "HS256", kid: id, typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return { token: `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}` };
}
