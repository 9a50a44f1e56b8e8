/** Recognises requests of the administration API, and refuses those that are refused before credentials are looked at. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../config/settings.ts";
import { routes, type Route } from "../calls/routes.ts";
import { openCrossOriginCheck, type CorsConfig } from "./cors.ts";
import { pathOf, sendFailure } from "./http-reply.ts";

/** Returns whether a path belongs to the administration API. */
export const isAdminPath = (path: string): boolean => path === "/admin" || path.startsWith("/admin/");

/** Returns the administration route that a request matched, if any. */
export const administrationOf = ({ method, routeOptions }: FastifyRequest): Route | undefined =>
  routes.find((route) => route.method === method && route.path === routeOptions.url && isAdminPath(route.path));

/** Refuses administration requests when the API is disabled, and those that a page of another origin sent. */
export function addAdminGate(app: Pick<FastifyInstance, "addHook">, config: CorsConfig & Pick<Config, "server.adminAPI.enabled">): void {
  const isFromForeignPage = openCrossOriginCheck(config);
  app.addHook("onRequest", (request, reply, done) => {
    if (!isAdminPath(request.routeOptions.url ?? pathOf(request))) return done();
    if (!config["server.adminAPI.enabled"]) {
      const why = "the administration API is disabled (setting server.adminAPI.enabled)";
      return void sendFailure(request, reply, 404, "UNIMPLEMENTED", why);
    }
    if (!isFromForeignPage(request.headers)) return done();
    const why = "pages of other origins may not administer, unless server.cors.allowedOrigins names theirs";
    return void sendFailure(request, reply, 403, "PERMISSION_DENIED", why);
  });
}
