/** The Swagger 2.0 document at /schema/swagger.json: made from the routes and the message descriptors, when first asked for. */
import { TLSSocket } from "node:tls";
import type { DescField, DescMethod, DescService } from "@bufbuild/protobuf";
import type { FastifyReply, FastifyRequest } from "fastify";
import { StatusSchema } from "../../../proto/gen/google/rpc/status_pb.js";
import { HealthCheckRequestSchema, HealthCheckResponseSchema } from "../../../proto/gen/grpc/health/v1/health_pb.js";
import { AuthzAdminService, AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { invariant } from "../../../runtime/cel/error.ts";
import { version } from "../../version.ts";
import { unaryMethods } from "../calls/call.ts";
import { enumSchema, fieldSchema, isWellKnown, startDefinitions, type Definitions, type SwaggerObject } from "./openapi-schema.ts";
import { routes, type Route } from "../calls/routes.ts";

/** The document. */
export interface OpenApi {
  /** Prints the document with the host and scheme under which the client reached us. */
  readonly print: (host: string, scheme: "http" | "https") => string;
  /** Answers a request for the document. */
  readonly answer: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

/** Which operations are served. */
export interface OpenApiOptions {
  readonly admin: boolean;
}

const summaries: { readonly [method: string]: string } = {
  CheckResources: "Decide which actions a principal may perform on resources.",
  CheckResourceSet: "Decide the same actions for instances of one kind. An older form of CheckResources.",
  CheckResourceBatch: "Decide actions for several resources. An older form of CheckResources.",
  ServerInfo: "Return the version that is running.",
  AddOrUpdatePolicy: "Store policies; those with a known key are replaced.",
  ListPolicies: "List the ids of policies.",
  GetPolicy: "Return policies by id.",
  InspectPolicies: "Show what policies refer to: actions, derived roles, variables, constants and attributes.",
  EnablePolicy: "Enable policies by id.",
  DisablePolicy: "Disable policies by id; a disabled policy decides nothing and stays in the store.",
  DeletePolicy: "Delete policies by id.",
  ReloadStore: "Read the store again; with `wait`, answer once its contents are in force.",
  PurgeStoreRevisions: "Delete old revisions of policies, except the latest ones of each.",
  AddOrUpdateSchema: "Store schemas; those with a known id are replaced.",
  ListSchemas: "List the ids of all schemas.",
  GetSchema: "Return schemas by id.",
  DeleteSchema: "Delete schemas by id.",
};

/** Prepares the document; it is generated at the first request. */
export function openOpenApi({ admin }: OpenApiOptions): OpenApi {
  let rest: string | undefined;
  const print: OpenApi["print"] = (host, scheme) => {
    rest ??= JSON.stringify(describe(admin)).slice(1);
    return `{"swagger":"2.0","host":${JSON.stringify(host)},"schemes":["${scheme}"],${rest}`;
  };
  return {
    print,
    answer: (request, reply) => {
      const host = request.headers.host ?? request.headers[":authority"] ?? "";
      const secure = request.raw.socket instanceof TLSSocket || request.headers["x-forwarded-proto"] === "https";
      return reply
        .headers({ "content-type": "application/json", "cache-control": "no-cache", "x-content-type-options": "nosniff" })
        .send(print(String(host), secure ? "https" : "http"));
    },
  };
}

function describe(admin: boolean): SwaggerObject {
  const definitions = startDefinitions();
  const paths = new Map<string, Record<string, SwaggerObject>>();
  const add = (path: string, method: string, operation: SwaggerObject): void => {
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operation });
  };
  for (const route of routes) {
    const service = serviceOf(route);
    if (service === AuthzAdminService && !admin) continue;
    add(route.path, route.method, operationOf(route, service, definitions));
  }
  if (admin) add("/admin/auditlog/list/{kind}", "GET", auditOperation(definitions));
  add("/_authz/health", "GET", {
    operationId: "Health_Check",
    summary: "Check whether a service is serving; without a name, the server as a whole.",
    tags: ["Health"],
    parameters: [...queryParameters(HealthCheckRequestSchema.fields, definitions), pretty],
    responses: responses(definitions.refer(HealthCheckResponseSchema), definitions),
  });
  return {
    info: { title: "authz", description: "Authorization decisions from policies.", version },
    consumes: ["application/json"],
    produces: ["application/json"],
    tags: [
      { name: "AuthzService", description: "Decisions." },
      ...(admin ? [{ name: "AuthzAdminService", description: "Administration of policies and schemas." }] : []),
      { name: "Health", description: "Is the server up?" },
    ],
    parameters: {
      pretty: { name: "pretty", in: "query", type: "boolean", required: false, allowEmptyValue: true, description: "indent the reply" },
    },
    ...(admin && { securityDefinitions: { BasicAuth: { type: "basic", description: "the administrator's name and password" } } }),
    paths: Object.fromEntries(paths),
    definitions: definitions.gathered(),
  };
}

const pretty: SwaggerObject = { $ref: "#/parameters/pretty" };

const serviceOf = ({ call }: Route): DescService => (unaryMethods[call] === AuthzAdminService.typeName ? AuthzAdminService : AuthzService);

function operationOf(route: Route, service: DescService, definitions: Definitions): SwaggerObject {
  const method = service.methods.find(({ name }) => name === route.call);
  invariant(method !== undefined, "every call is declared in proto/");
  const name = `${service.name}_${route.call}`;
  // Several operations of one call need distinct ids.
  const first = routes.find(({ call }) => call === route.call) === route;
  return {
    operationId: first ? name : `${name}_${route.method.toLowerCase()}`,
    summary: summaries[route.call] ?? route.call,
    tags: [service.name],
    parameters: [...parametersOf(route, method, definitions), pretty],
    responses: responses(definitions.refer(method.output), definitions),
    ...(service === AuthzAdminService && { security: [{ BasicAuth: [] }] }),
  };
}

/** The one streaming call: its response is one line of JSON per entry. */
function auditOperation(definitions: Definitions): SwaggerObject {
  const { input, output } = AuthzAdminService.method.listAuditLogEntries;
  const [kind, filters] = [input.fields.filter(({ name }) => name === "kind"), input.fields.filter(({ name }) => name !== "kind")];
  return {
    operationId: "AuthzAdminService_ListAuditLogEntries",
    summary: "List audit entries: the newest, those of a period, or that of one call. Choose exactly one.",
    tags: [AuthzAdminService.name],
    produces: ["application/x-ndjson"],
    parameters: [
      ...queryParameters(kind, definitions).map((parameter) => ({ ...parameter, in: "path", required: true })),
      ...queryParameters(filters, definitions),
    ],
    responses: {
      200: {
        description: "A line each.",
        schema: { type: "object", properties: { result: definitions.refer(output), error: definitions.refer(StatusSchema) } },
      },
      ...refusedLists(definitions),
      default: { description: "An error: the reason why there is no answer.", schema: definitions.refer(StatusSchema) },
    },
    security: [{ BasicAuth: [] }],
  };
}

/** Errors of a list are wrapped like its entries, except those of an unreadable request (wire 2.7). */
function refusedLists({ refer }: Definitions): SwaggerObject {
  const error = refer(StatusSchema);
  const wrapped = (description: string): SwaggerObject => ({ description, schema: { type: "object", properties: { error } } });
  const bare = Object.fromEntries(StatusSchema.fields.map((field) => [field.jsonName, fieldSchema(field, refer)]));
  return {
    400: {
      description:
        "The request is invalid. The reason is in `error` if the request breaks a rule, and is the whole answer if the request cannot be read.",
      schema: { type: "object", properties: { error, ...bare } },
    },
    401: wrapped("The administrator's name or password is missing or wrong."),
    429: wrapped("Too many logins, or too many failed ones."),
    500: wrapped("The entries cannot be read."),
    501: wrapped("There is no audit log, or it cannot be queried."),
    503: wrapped("The name and password cannot be checked now."),
  };
}

function parametersOf({ requestIn }: Route, { input }: DescMethod, definitions: Definitions): readonly SwaggerObject[] {
  const body = { name: "body", in: "body", required: requestIn === "body", schema: definitions.refer(input) };
  switch (requestIn) {
    case "body":
      return [body];
    case "query":
      return queryParameters(input.fields, definitions);
    case "either":
      return [...queryParameters(input.fields, definitions).map((parameter) => ({ ...parameter, required: false })), body];
  }
}

/** Returns one parameter per field; for a message, one per field of it, with names joined by dots. */
function queryParameters(fields: readonly DescField[], definitions: Definitions, before = ""): readonly SwaggerObject[] {
  return fields.flatMap((field) => {
    const name = before + field.jsonName;
    if (field.fieldKind === "message" && !isWellKnown(field.message)) return queryParameters(field.message.fields, definitions, `${name}.`);
    const schema = fieldSchema(field, (type) => (type.kind === "enum" ? enumSchema(type) : definitions.refer(type)));
    return [
      {
        name,
        in: "query",
        required: "minItems" in schema,
        ...schema,
        ...(field.fieldKind === "list" && { collectionFormat: "multi" }),
      },
    ];
  });
}

function responses(schema: SwaggerObject, { refer }: Definitions): SwaggerObject {
  return {
    200: { description: "The reply.", schema },
    default: { description: "An error: the reason why there is no answer.", schema: refer(StatusSchema) },
  };
}
