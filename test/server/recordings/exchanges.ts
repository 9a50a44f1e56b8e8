/** The recorded exchanges of the reference server, in neutral names, and where they are when they are there. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** One call and its answer, over HTTP or gRPC. */
export interface Exchange {
  /** `check_http/success_basic`. */
  readonly name: string;
  /** The letter of the server that was asked: `a`, `b`, `c`, `d`; `ahttp` is gRPC on the HTTP port of `a`. */
  readonly setup: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: { readonly [name: string]: string };
    readonly body: string | null;
  };
  readonly response: {
    /** An HTTP status, or a gRPC code and its name: `0 OK`. */
    readonly status: number | string;
    readonly headers: readonly (readonly [name: string, value: string])[] | { readonly [name: string]: string } | null;
    readonly body: string | null;
  };
  /** When it was recorded, in milliseconds since 1970; what was recorded over gRPC does not say. */
  readonly at: number;
}

/** Where the recordings are looked for. */
export const folder = resolve(process.env["AUTHZ_RECORDINGS"] ?? "../shared/spec/recordings");

/** Are they there? */
export const recorded = existsSync(join(folder, "check_http.json"));

/** Reads a file of recordings. */
export function exchangesOf(file: string): readonly Exchange[] {
  const read: readonly Exchange[] = JSON.parse(readFileSync(join(folder, `${file}.json`), "utf8"));
  return read.map(({ name, setup, request, response }) => ({
    name: `${file}/${name}`,
    setup: setup.split(":", 1)[0] ?? "",
    request: {
      method: request.method,
      path: neutral(request.path),
      headers: neutralHeaders(request.headers ?? {}),
      body: request.body === null || request.body === undefined ? null : neutral(request.body),
    },
    response: { ...response, body: response.body === null || response.body === undefined ? null : neutral(response.body) },
    at: Date.parse(headerOf(response.headers, "date") ?? "") || 0,
  }));
}

/** Returns a header of a recorded answer. */
export function headerOf(headers: Exchange["response"]["headers"], name: string): string | undefined {
  const all: readonly (readonly [string, string])[] = Array.isArray(headers) ? headers : Object.entries(headers ?? {});
  return all.find(([each]) => each.toLowerCase() === name)?.[1];
}

/** Says a text in our names. */
export function neutral(text: string): string {
  const renamed = text.replaceAll("cerbos", "authz").replaceAll("Cerbos", "Authz").replaceAll("CERBOS", "AUTHZ");
  // Schemas travel as base64.
  return renamed.replaceAll(/("definition":\s*")([A-Za-z0-9+/]+=*)"/g, (_, before: string, encoded: string) => {
    const decoded = Buffer.from(encoded, "base64").toString("utf8");
    return `${before}${decoded.includes("cerbos") ? Buffer.from(neutral(decoded)).toString("base64") : encoded}"`;
  });
}

function neutralHeaders(headers: { readonly [name: string]: string }): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const [, glue = "", credentials] = /^basic( ?)([A-Za-z0-9+/=]+)$/i.exec(value) ?? [];
      if (name.toLowerCase() !== "authorization" || credentials === undefined) return [name, neutral(value)];
      const renamed = Buffer.from(neutral(Buffer.from(credentials, "base64").toString("utf8"))).toString("base64");
      return [name, `${value.slice(0, 5)}${glue}${renamed}`];
    }),
  );
}
