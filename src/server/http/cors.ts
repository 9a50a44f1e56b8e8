/** CORS: which pages of other origins may call the service, and the headers that tell their browsers so. */
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config/settings.ts";

/** Response headers; names are in lower case. */
export interface CorsHeaders {
  readonly [name: string]: string;
}

/** The CORS rules in force. */
export interface Cors {
  /** Returns the headers of the response to a preflight (204 without a body); undefined when the request is not a preflight. */
  readonly preflight: (method: string | undefined, headers: IncomingHttpHeaders) => CorsHeaders | undefined;
  /** Returns the headers to add to any other response. */
  readonly answer: (headers: IncomingHttpHeaders) => CorsHeaders;
}

/** The settings that are read here. */
export type CorsConfig = Pick<
  Config,
  "server.cors.disabled" | "server.cors.allowedOrigins" | "server.cors.allowedHeaders" | "server.cors.maxAge"
>;

const allowedMethods: ReadonlySet<string> = new Set(["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"]);
const usualHeaders = ["accept", "content-type", "user-agent", "x-requested-with"] as const;

const varies = { vary: "Origin" } as const;
const everyOrigin = { ...varies, "access-control-allow-origin": "*" } as const;
const preflightVaries = { vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers" } as const;

/** Compiles the rules from the configuration; undefined when CORS is disabled. */
export function openCors(config: CorsConfig): Cors | undefined {
  if (config["server.cors.disabled"]) return undefined;
  const origins = config["server.cors.allowedOrigins"];
  const every = origins.length === 0 || origins.includes("*");
  const isAllowed = originRule(origins);
  const named = config["server.cors.allowedHeaders"];
  const headers = new Set((named.length === 0 ? usualHeaders : named).map((name) => name.toLowerCase()));
  const maxAge = Math.floor(config["server.cors.maxAge"] / 1000);

  return {
    preflight: (method, asked) => {
      const wanted = asked["access-control-request-method"];
      if (method !== "OPTIONS" || wanted === undefined) return undefined;
      const { origin } = asked;
      if (origin === undefined || !(every || isAllowed(origin)) || !allowedMethods.has(wanted)) return preflightVaries;
      const wantedHeaders = asked["access-control-request-headers"] ?? "";
      const names = wantedHeaders
        .split(",")
        .map((name) => name.trim().toLowerCase())
        .filter((name) => name !== "");
      if (!headers.has("*") && !names.every((name) => headers.has(name))) return preflightVaries;
      return {
        ...preflightVaries,
        "access-control-allow-origin": every ? "*" : origin,
        "access-control-allow-methods": wanted,
        ...(names.length > 0 && { "access-control-allow-headers": names.join(", ") }),
        ...(maxAge > 0 && { "access-control-max-age": String(maxAge) }),
      };
    },
    answer: ({ origin }) => {
      if (origin === undefined) return varies;
      if (every) return everyOrigin;
      return isAllowed(origin) ? { ...varies, "access-control-allow-origin": origin } : varies;
    },
  };
}

/**
 * Returns a predicate that tells whether a request was sent by a page of another origin that the configuration does not name.
 * Administration refuses such requests, because a browser that has stored the administrator's password adds it to every request that a
 * page makes (CSRF).
 */
export function openCrossOriginCheck(config: CorsConfig): (headers: IncomingHttpHeaders) => boolean {
  const isNamed = config["server.cors.disabled"]
    ? () => false
    : originRule(config["server.cors.allowedOrigins"].filter((origin) => origin !== "*"));
  return (headers) => {
    const { origin } = headers;
    const site = headers["sec-fetch-site"];
    // `sec-fetch-site` is preferred because the browser sets it itself; a proxy may have changed the host.
    const isForeign = site === undefined ? origin !== undefined && !isOf(origin, headers) : site !== "same-origin" && site !== "none";
    return isForeign && (origin === undefined || !isNamed(origin));
  };
}

const isOf = (origin: string, headers: IncomingHttpHeaders): boolean =>
  /^https?:\/\/(.*)$/i.exec(origin)?.[1]?.toLowerCase() === (headers.host ?? headers[":authority"])?.toString().toLowerCase();

/** Answers preflight requests, and adds the headers to all other responses. */
export function addCors(app: Pick<FastifyInstance, "addHook">, config: CorsConfig): void {
  const cors = openCors(config);
  if (cors === undefined) return;
  app.addHook("onRequest", (request, reply, done) => {
    const preflight = cors.preflight(request.method, request.headers);
    if (preflight !== undefined) return void reply.code(204).headers(preflight).send();
    reply.headers(cors.answer(request.headers));
    done();
  });
}

/** Compiles allowed origins to a predicate. Case is ignored; one `*` in an origin matches any characters. */
function originRule(origins: readonly string[]): (origin: string) => boolean {
  const rules = origins.map((origin) => {
    const [before = "", after] = origin.toLowerCase().split("*", 2);
    return { before, after };
  });
  return (origin) => {
    const asked = origin.toLowerCase();
    return rules.some(({ before, after }) =>
      after === undefined
        ? asked === before
        : asked.length >= before.length + after.length && asked.startsWith(before) && asked.endsWith(after),
    );
  };
}
