/** A question in its spellings: as JSON text, tight, spaced or in another order, and as the bytes of its message. */
import { base64url } from "jose";
import { createHmac } from "node:crypto";
import type { Value } from "../../runtime/cel/value.ts";
import type { CheckInput, Principal, Resource } from "../../runtime/decide/input.ts";
import type { Random } from "../agree/random.ts";
import { part, tag, varint } from "../server/protobuf.ts";

/** What is asked at once: about one principal, with one set of claims. */
export interface Question {
  readonly inputs: readonly CheckInput[];
  readonly includeMeta: boolean;
}

/** The secret that tokens are signed with, and its key set. */
export const secret = Buffer.alloc(32, 7);
export const keySet = JSON.stringify({ kty: "oct", k: base64url.encode(secret), alg: "HS256", kid: "a" });

type Json = { readonly [name: string]: unknown };

/** What a request says of one who asks or is asked about, in the order of the fields of its message. */
const said = ({ attr, policyVersion, scope, ...rest }: Principal | Resource): Json => ({
  ...rest,
  ...(attr !== undefined && { attr }),
  ...(policyVersion !== undefined && { policyVersion }),
  ...(scope !== undefined && { scope }),
});

/** The request as an object. */
export function requestOf({ inputs, includeMeta }: Question): Json {
  const [first] = inputs;
  const auxData = first?.auxData;
  return {
    ...(first?.requestId !== undefined && { requestId: first.requestId }),
    ...(includeMeta && { includeMeta }),
    ...(auxData !== undefined && { auxData: tokensOf(auxData) }),
    ...(first !== undefined && { principal: said(first.principal) }),
    resources: inputs.map(({ actions, resource }) => ({ actions, resource: said(resource) })),
  };
}

function tokensOf({ jwt, jwts }: NonNullable<CheckInput["auxData"]>): Json {
  if (jwt !== undefined) return { jwt: { token: tokenOf(jwt) } };
  const named = Object.entries(jwts ?? {}).map(([name, { claims }]) => [name, { token: tokenOf(claims), keySetId: "k" }] as const);
  return { jwts: Object.fromEntries(named) };
}

function tokenOf(claims: unknown): string {
  const text = [{ alg: "HS256", kid: "a" }, claims].map((one) => base64url.encode(JSON.stringify(one))).join(".");
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** JSON in which zero keeps its sign. */
export function textOf(value: unknown): string {
  if (Object.is(value, -0)) return "-0.0";
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}:${textOf(one)}`)
    .join()}}`;
}

/** Spellings that mean the same, none of which is as short as it could be. */
export function respelt(random: Random, request: Json): string {
  const text = textOf(request);
  return random.weigh<string>([
    [2, () => text],
    [1, () => `${text} `],
    [1, () => ` \n${text.replace('"resources":[{', '"resources":\t[ {')}`],
    [1, () => text.replace('"id":', '"\\u0069d":')],
    [1, () => textOf(Object.fromEntries(Object.entries(request).reverse()))],
    [1, () => text.replaceAll("policyVersion", "policy_version").replace("includeMeta", "include_meta")],
    [1, () => text.replaceAll(":10,", ":1e1,").replaceAll(":100,", ":1e2,").replaceAll(":0.5,", ":5e-1,")],
    [2, () => asLong(text, text.replaceAll("1e+21", "1e21").replaceAll("-0.0", "-0"))],
    [1, () => text.replaceAll(":2,", ":2.0,").replace('"actions"', ' "actions"')],
  ]);
}

/** A shorter spelling that is as long with its spaces: by its length alone it is the tight one. */
const asLong = (tight: string, shorter: string): string =>
  shorter.replace('"actions":', () => `${" ".repeat(tight.length - shorter.length)}"actions":`);

/** The same as a message; `odd` has fields in another order, which is read another way. */
export function messageOf(request: Json, odd: boolean): Buffer {
  const { requestId, includeMeta, principal, auxData } = request as { readonly [name: string]: never };
  const resources = request["resources"] as readonly Json[];
  const before = [
    ...(requestId === undefined ? [] : [part(1, requestId)]),
    ...(includeMeta === true ? [Buffer.concat([tag(2, 0), varint(1)])] : []),
    ...(principal === undefined ? [] : [part(3, sideMessage(principal, [1, 2, 3, 4, 5]))]),
  ];
  const after = [
    ...resources.map(({ actions, resource }) =>
      part(
        4,
        Buffer.concat([...(actions as string[]).map((one) => part(1, one)), part(2, sideMessage(resource as Json, [3, 2, 1, 4, 5]))]),
      ),
    ),
    ...(auxData === undefined ? [] : [part(5, tokensMessage(auxData))]),
  ];
  return Buffer.concat(odd ? [...after, ...before] : [...before, ...after]);
}

/** The numbers of `id`, the version, `roles` or `kind`, the attributes and the scope. */
function sideMessage(
  { id, policyVersion, roles, kind, attr, scope }: Json,
  [ofId = 0, ofVersion = 0, ofName = 0, ofAttr = 0, ofScope = 0]: readonly number[],
): Buffer {
  const fields: (readonly [number, Buffer])[] = [
    ...texts(ofId, id),
    ...texts(ofVersion, policyVersion),
    ...texts(ofName, roles ?? kind),
    ...Object.entries(attr ?? {}).map(([name, value]) => [ofAttr, part(ofAttr, entry(name, valueMessage(value)))] as const),
    ...texts(ofScope, scope),
  ];
  return Buffer.concat(fields.sort(([left], [right]) => left - right).map(([, bytes]) => bytes));
}

const texts = (field: number, value: unknown): (readonly [number, Buffer])[] =>
  (value === undefined || value === "" ? [] : [value].flat()).map((one) => [field, part(field, one as string)] as const);

const entry = (name: string, value: Uint8Array): Buffer => Buffer.concat([part(1, name), part(2, value)]);

function tokensMessage({ jwt, jwts }: { readonly [name: string]: Json }): Buffer {
  const one = (token: Json): Buffer =>
    Buffer.concat([...texts(1, token["token"]), ...texts(2, token["keySetId"])].map(([, bytes]) => bytes));
  if (jwt !== undefined) return part(1, one(jwt));
  return Buffer.concat(Object.entries(jwts ?? {}).map(([name, token]) => part(2, entry(name, one(token as Json)))));
}

/** A google.protobuf.Value; zero keeps its sign. */
function valueMessage(value: unknown): Buffer {
  if (value === null) return Buffer.concat([tag(1, 0), varint(0)]);
  if (typeof value === "string") return part(3, value);
  if (typeof value === "boolean") return Buffer.concat([tag(4, 0), varint(value ? 1 : 0)]);
  if (Array.isArray(value)) return part(6, Buffer.concat(value.map((item) => part(1, valueMessage(item)))));
  if (typeof value === "object")
    return part(5, Buffer.concat(Object.entries(value).map(([name, one]) => part(1, entry(name, valueMessage(one))))));
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(value));
  return Buffer.concat([tag(2, 1), bytes]);
}

/** Claims as a server hands them on: what is null is not there, and zero has no sign. */
export function asClaims(claims: { readonly [name: string]: Value }): { readonly [name: string]: Value } {
  const written = JSON.parse(JSON.stringify(claims)) as { readonly [name: string]: Value };
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null));
}
