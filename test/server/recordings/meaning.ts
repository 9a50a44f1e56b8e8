/** What an answer means, whatever its words: two answers that mean the same are equal as JSON. */
import type { Exchange } from "./exchanges.ts";
import { headerOf } from "./exchanges.ts";

/** JSON that may be looked into. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An answer without its words. */
export interface Meaning {
  /** An HTTP status, or a gRPC code. */
  readonly status: number;
  /** The gRPC code of an error over HTTP. */
  readonly code?: Json;
  /** Each broken constraint as `path rule`. */
  readonly violations?: readonly string[];
  /** What would break, by the id of the policy that was to go. */
  readonly broken?: Json;
  /** What a call was answered with. */
  readonly body?: Json;
  readonly type?: string;
  /** What a browser is told about other origins. */
  readonly cors?: { readonly [header: string]: readonly string[] };
}

/** What a meaning is made from. */
export interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: string | null;
}

/** Returns a recorded answer to be looked at like one of ours. */
export const recordedAnswer = ({ response }: Exchange): Answer => ({
  status: Number.parseInt(String(response.status), 10),
  header: (name) => headerOf(response.headers, name),
  body: response.body,
});

const corsHeaders = [
  "access-control-allow-origin",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-max-age",
] as const;

/** Says what an answer over HTTP means. */
export function httpMeaning({ request }: Exchange, { status, header, body }: Answer): Meaning {
  const cors = "Origin" in request.headers || request.method === "OPTIONS" ? { cors: corsOf(header) } : {};
  const json = parsed(body);
  if (status >= 400) {
    const { code, details } = isObject(json) ? (isObject(json["error"] ?? null) ? Object(json["error"]) : json) : {};
    const violations = violationsOf(details ?? null);
    const broken = brokenOf(details ?? null);
    return {
      status,
      ...(code !== undefined && { code }),
      ...(violations.length > 0 && { violations }),
      ...(broken !== undefined && { broken }),
      ...cors,
    };
  }
  const type = header("content-type")?.split(";", 1)[0];
  const streamed = request.path.startsWith("/admin/auditlog/");
  return {
    status,
    ...(type !== undefined && !streamed && { type }),
    // What was written to disk by when is nobody's promise.
    ...(streamed && !/[?&](since|between)\b/.test(request.path) && { body: kindsOf(linesOf(body)) }),
    ...(json !== undefined && !streamed && { body: bodyMeaning(request.path, json) }),
    ...cors,
  };
}

/** Says what an answer over gRPC means; its message comes as proto3 JSON. */
export function grpcMeaning({ request }: Exchange, code: number, json: Json | undefined): Meaning {
  if (json === undefined) return { status: code };
  return { status: code, body: Array.isArray(json) ? kindsOf(json) : bodyMeaning(request.path, json) };
}

function bodyMeaning(path: string, json: Json): Json {
  if (path.startsWith("/schema/swagger.json") && isObject(json)) return { swagger: json["swagger"] ?? null };
  if (/server_info|ServerInfo/.test(path) && isObject(json)) return typeof json["version"];
  return simplify(json, "");
}

/** Times of claims and changes, hashes, call ids and the words of validation errors are not what is meant. */
function simplify(json: Json, key: string): Json {
  if (key === "authzCallId") return typeof json === "string" && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(json) ? "a call id" : json;
  if (key === "error") return "why";
  if (["exp", "iat", "nbf", "update_ts"].includes(key) && typeof json === "string") return "a time";
  if (key === "hash" && typeof json === "string" && /^[0-9]{1,20}$/.test(json)) return "a hash";
  if (key === "definition" && typeof json === "string") return Buffer.from(json, "base64").toString("utf8");
  if (Array.isArray(json)) {
    const items = json.map((item: Json) => (key === "validationErrors" ? validationMeaning(item) : simplify(item, "")));
    const sorted = ["effectiveDerivedRoles", "validationErrors", "descendants", "dependents"].includes(key);
    return sorted ? items.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)) : items;
  }
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, simplify(value, name)]));
}

function validationMeaning(item: Json): Json {
  if (!isObject(item)) return item;
  const { message } = item;
  const missing = /missing properties: (.*)/.exec(typeof message === "string" ? message : "")?.[1]?.split(",").length ?? 1;
  return { path: item["path"] ?? "", source: item["source"] ?? "", ...(missing > 1 && { missing }) };
}

/** Of audit entries: of which kind they are; how many there are and what stands in them differs with the calls that were made. */
function kindsOf(entries: readonly Json[]): Json {
  const kinds = entries.flatMap((entry) => {
    const { result = entry } = isObject(entry) ? entry : {};
    return isObject(result) ? Object.keys(result) : [];
  });
  return [...new Set(kinds)].toSorted();
}

function linesOf(body: string | null): readonly Json[] {
  const whole = parsed(body);
  if (whole !== undefined) return [whole];
  return (body ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parsed(line) ?? null);
}

function corsOf(header: Answer["header"]): { readonly [header: string]: readonly string[] } {
  const listed = (value: string): readonly string[] => value.split(",").map((part) => part.trim().toLowerCase());
  const vary = { vary: listed(header("vary") ?? "").filter((name) => name !== "accept-encoding") };
  const told = corsHeaders.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [[name, listed(value)] as const];
  });
  return { ...vary, ...Object.fromEntries(told) };
}

function violationsOf(details: Json): readonly string[] {
  const [first] = Array.isArray(details) ? details : [];
  const violations = isObject(first ?? null) ? Object(first)["violations"] : undefined;
  if (!Array.isArray(violations)) return [];
  return violations
    .map((violation) => {
      const elements: readonly { fieldName: string; index?: string; stringKey?: string }[] = violation.field?.elements ?? [];
      const path = elements.map(({ fieldName, index, stringKey }) => {
        if (index !== undefined) return `${fieldName}[${index}]`;
        return stringKey === undefined ? fieldName : `${fieldName}[${JSON.stringify(stringKey)}]`;
      });
      return `${path.join(".")} ${violation.ruleId}`;
    })
    .toSorted();
}

function brokenOf(details: Json): Json | undefined {
  const [first] = Array.isArray(details) ? details : [];
  const errors = isObject(first) && /\.(Disable|Delete)PolicyErrorDetails"/.test(JSON.stringify(first)) ? first["errors"] : undefined;
  return errors === undefined ? undefined : simplify(errors, "");
}

/** Is it an object, so that its keys may be looked at? */
export const isObject = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json);

function parsed(text: string | null): Json | undefined {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
