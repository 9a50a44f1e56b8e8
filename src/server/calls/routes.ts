/** The HTTP routes: which method and path lead to which call, and whether its request stands in the body or in the query. */
import type { UnaryMethod } from "./call.ts";

/** The HTTP methods of routes. HEAD is served wherever GET is. */
export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE";

/** One HTTP route of a call. */
export interface Route {
  readonly path: string;
  readonly method: HttpMethod;
  readonly call: UnaryMethod;
  /** Where the request stands: in the body as JSON, in the query with one parameter per field, or in either of them but not in both. */
  readonly requestIn: "body" | "query" | "either";
}

const route = (method: HttpMethod, path: string, call: UnaryMethod, requestIn: Route["requestIn"]): Route => ({
  method,
  path,
  call,
  requestIn,
});

/** All routes; the most used come first. */
export const routes: readonly Route[] = [
  route("POST", "/api/check/resources", "CheckResources", "body"),
  route("POST", "/api/check", "CheckResourceSet", "body"),
  route("POST", "/api/check_resource_batch", "CheckResourceBatch", "body"),
  route("GET", "/api/server_info", "ServerInfo", "query"),
  route("POST", "/admin/policy", "AddOrUpdatePolicy", "body"),
  route("PUT", "/admin/policy", "AddOrUpdatePolicy", "body"),
  route("GET", "/admin/policies", "ListPolicies", "query"),
  route("GET", "/admin/policies/inspect", "InspectPolicies", "query"),
  route("GET", "/admin/policy", "GetPolicy", "query"),
  route("POST", "/admin/policy/enable", "EnablePolicy", "either"),
  route("PUT", "/admin/policy/enable", "EnablePolicy", "either"),
  route("POST", "/admin/policy/disable", "DisablePolicy", "either"),
  route("PUT", "/admin/policy/disable", "DisablePolicy", "either"),
  route("DELETE", "/admin/policy", "DisablePolicy", "query"),
  route("POST", "/admin/policy/delete", "DeletePolicy", "either"),
  route("GET", "/admin/store/reload", "ReloadStore", "query"),
  route("DELETE", "/admin/store/revisions", "PurgeStoreRevisions", "query"),
  route("POST", "/admin/schema", "AddOrUpdateSchema", "body"),
  route("PUT", "/admin/schema", "AddOrUpdateSchema", "body"),
  route("GET", "/admin/schemas", "ListSchemas", "query"),
  route("GET", "/admin/schema", "GetSchema", "query"),
  route("DELETE", "/admin/schema", "DeleteSchema", "query"),
];
