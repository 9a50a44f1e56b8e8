/** Registers every route of the HTTP server, and the responses for unknown paths and wrong methods. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config/settings.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { apiPage } from "../api/api-page.ts";
import { openOpenApi } from "../api/openapi.ts";
import { routes, type HttpMethod } from "../calls/routes.ts";
import type { Exchanges } from "../connections/exchanges.ts";
import type { Health } from "../health.ts";
import type { Service } from "../service.ts";
import type { UnreadResponses } from "../unread-responses.ts";
import { isAdminPath } from "./http-admin.ts";
import { answerCall, refuseOtherContent, type Answer } from "./http-answer.ts";
import { listAuditLog } from "./http-audit.ts";
import { onceForAll } from "./once-for-all.ts";
import { parametersOf, pathOf, sendFailure, sendJson } from "./http-reply.ts";

/** What answers the routes. */
export interface RouteOptions {
  readonly service: Service;
  readonly health: Health;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly unread: UnreadResponses;
  readonly exchanges: Exchanges;
}

/** The settings that decide which routes exist. */
export type RouteConfig = Pick<
  Config,
  "server.adminAPI.enabled" | "server.metricsEnabled" | "server.apiExplorerEnabled" | "telemetry.enabled"
>;

/** A path and a method that is served there. */
interface Served {
  readonly path: string;
  readonly method: HttpMethod;
  readonly matches: RegExp;
}

/** Adds every route. HEAD is served wherever GET is; any other method is answered with 405. */
export function addRoutes(app: FastifyInstance, config: RouteConfig, options: RouteOptions): void {
  const { service, health, metrics, unread, exchanges } = options;
  const served: Served[] = [];
  const add = (
    method: HttpMethod,
    path: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => Answer,
    onRequest?: typeof refuseOtherContent,
  ): void => {
    served.push({ path, method, matches: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/:\w+/g, "[^/]+")}$`) });
    app.route({ method, url: path, handler: answer, ...(onRequest !== undefined && { onRequest }) });
  };

  for (const route of routes) {
    if (!config["server.adminAPI.enabled"] && isAdminPath(route.path)) continue;
    add(
      route.method,
      route.path,
      (request, reply) => answerCall({ service, unread }, route, request, reply),
      // For administration, credentials are checked before the content type (D7).
      route.requestIn === "query" || isAdminPath(route.path) ? undefined : refuseOtherContent,
    );
  }
  if (config["server.adminAPI.enabled"])
    add("GET", "/admin/auditlog/list/:kind", (request, reply) => listAuditLog(service, request, reply, exchanges.of(request.raw)));
  add("GET", "/_authz/health", (request, reply) => answerHealth(health, request, reply));
  if (config["server.metricsEnabled"] && config["telemetry.enabled"]) {
    const text = onceForAll(metrics.text); // every process is asked
    add("GET", "/_authz/metrics", async (_request, reply) => reply.type(metrics.contentType).send(await text()));
  }
  const openApi = openOpenApi({ admin: config["server.adminAPI.enabled"] });
  add("GET", "/schema/swagger.json", (request, reply) => openApi.answer(request, reply));
  if (config["server.apiExplorerEnabled"]) add("GET", "/", (_request, reply) => reply.headers(apiPage.headers).send(apiPage.html));

  app.setNotFoundHandler((request, reply) => refuseElsewhere(served, request, reply));
}

function answerHealth(health: Health, request: FastifyRequest, reply: FastifyReply): Answer {
  const name = parametersOf(request).get("service") ?? "";
  const status = health.status(name);
  if (status === undefined) return sendFailure(request, reply, 404, "NOT_FOUND", `unknown service \`${name}\``);
  if (status !== "SERVING") return sendFailure(request, reply, 503, "UNAVAILABLE", status);
  return sendJson(request, reply, 200, JSON.stringify({ status }));
}

/** The methods in the order of the `allow` header. */
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

/** Answers with 405 when the path is served with another method, else with 404. */
function refuseElsewhere(served: readonly Served[], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(request);
  const here = served.filter(({ matches }) => matches.test(path)).map(({ method }) => method);
  const allowed = methods.filter((method) => here.includes(method === "HEAD" ? "GET" : method));
  if (allowed.length === 0) return sendNoRoute(request, reply);
  reply.header("allow", allowed.join(", "));
  const listed = allowed.join(", ").replace(/, (?=\w+$)/, " or ");
  return sendFailure(request, reply, 405, "UNIMPLEMENTED", `${request.method} is not allowed here: use ${listed}`);
}

/** Answers that there is no such route. */
export function sendNoRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(request);
  return sendFailure(request, reply, 404, "NOT_FOUND", `no such route: \`${request.method} ${path}\`${insteadOf(path)}`);
}

/** The hints for paths that clients and probes of other decision services request, what is not supported (D60), and what is switched off. */
function insteadOf(path: string): string {
  const probed = /^\/_(?!authz\/)\w+\/(health|metrics)$/.exec(path)?.[1];
  if (probed !== undefined) return `; it is \`/_authz/${probed}\` here`;
  return notServed.find(([asked]) => asked.test(path))?.[1] ?? "";
}

const notServed: readonly (readonly [asked: RegExp, hint: string])[] = [
  [/^\/api\/(?:x\/)?plan\//, "; query plans are not supported"],
  [/^\/(?:access\/v1\/|\.well-known\/authzen-configuration$)/, "; AuthZEN is not supported"],
  [/^\/api\/playground\//, "; the playground is not supported"],
  // Where these are served, nobody gets here.
  [/^\/_authz\/metrics$/, "; it is switched off (setting server.metricsEnabled or telemetry.enabled)"],
  [/^\/$/, "; the page of the calls is switched off (setting server.apiExplorerEnabled)"],
];
