/** Where our answers differ from the recorded ones, and which decision says so. A row that changes nothing is an error. */
import { exchangesOf, type Exchange } from "./exchanges.ts";
import { httpMeaning, isObject, recordedAnswer, type Json, type Meaning } from "./meaning.ts";

/** One reason to differ. */
export interface Difference {
  /** A row of docs/decisions.md. */
  readonly decision: string;
  readonly because: string;
  /** The exchanges it may concern, by name. */
  readonly of: RegExp;
  /** Turns what the reference means into what we mean instead. */
  readonly ours: (theirs: Meaning, exchange: Exchange) => Meaning;
}

/** Answers with another status; what a browser is told stays. */
const refuses =
  (status: number, code?: number) =>
  ({ cors }: Meaning): Meaning => ({ status, ...(code !== undefined && { code }), ...(cors !== undefined && { cors }) });

const answers = (body: Json) => (): Meaning => ({ status: 200, type: "application/json", body });

const withBody = (theirs: Meaning, turn: (body: { readonly [key: string]: Json }) => Json): Meaning =>
  theirs.status < 300 && isObject(theirs.body) ? { ...theirs, body: turn(theirs.body) } : theirs;

const eachResult = (theirs: Meaning, turn: (result: { readonly [key: string]: Json }) => Json): Meaning =>
  withBody(theirs, (body) =>
    Array.isArray(body["results"])
      ? { ...body, results: body["results"].map((result) => (isObject(result) ? turn(result) : result)) }
      : body,
  );

/** What another call of the same file was answered with. */
function recordedBody(name: string): { readonly [key: string]: Json } {
  const exchange = exchangesOf(name.split("/", 1)[0] ?? "").find((each) => each.name === name);
  const body = exchange && httpMeaning(exchange, recordedAnswer(exchange)).body;
  return isObject(body) ? body : {};
}

/** What the policies contain that match, of what is recorded of all. */
const inspected = (name: string, pattern: RegExp): { readonly [key: string]: Json } => {
  const { results } = recordedBody(name);
  return Object.fromEntries(Object.entries(isObject(results) ? results : {}).filter(([key]) => pattern.test(key)));
};

/** What is recorded of the schema `album.json`. */
const album = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { owner: { type: "string" }, public: { type: "boolean" }, size: { type: "integer", minimum: 1 } },
  required: ["owner", "public"],
  additionalProperties: true,
};

/** Calls that would store what does not compile, and what the compiler says of it. */
const refusedPolicies: readonly (readonly [name: string, ...rules: string[]])[] = [
  ["add_bad_apiversion", "invalid-value"],
  ["add_no_type", "missing-choice"],
  ["add_unknown_field", "unknown-field"],
  ["add_two_types", "conflicting-fields"],
  ["add_bad_cel", "invalid-expression"],
  ["add_bad_import", "unknown-import"],
  ["add_rule_without_roles", "rule-without-roles"],
  ["add_orphan_scope", "missing-ancestor", "missing-ancestor"],
];

/** Every reason, in the order in which they apply. */
export const differences: readonly Difference[] = [
  {
    decision: "D2",
    because: "a reply says which policy version was used, also when the request left it to the server",
    of: /./,
    ours: (theirs) =>
      eachResult(theirs, ({ resource, ...rest }) => ({
        ...rest,
        ...(isObject(resource) && { resource: { ...resource, policyVersion: resource["policyVersion"] ?? "default" } }),
      })),
  },
  {
    decision: "D44",
    because: "an output that cannot be computed says why, as the later version does",
    of: /./,
    ours: (theirs) =>
      eachResult(theirs, (result) => {
        const { outputs } = result;
        if (!Array.isArray(outputs)) return result;
        return {
          ...result,
          outputs: outputs.map((output: Json) => (isObject(output) && !("val" in output) ? { ...output, error: "why" } : output)),
        };
      }),
  },
  {
    decision: "D6",
    because: "HEAD answers where GET does",
    of: /\/health_head$/,
    ours: () => ({ status: 200, type: "application/json" }),
  },
  {
    decision: "D6",
    because: "a method that a path does not have is 405",
    of: /./,
    ours: (theirs, { request, response }) =>
      response.body?.includes("Method Not Allowed") === true || (request.method === "HEAD" && theirs.status === 501)
        ? { ...theirs, status: 405 }
        : theirs,
  },
  {
    decision: "D6",
    because: "what is only read is not posted to",
    of: /\/(metrics|swagger|root)_post$/,
    ours: refuses(405, 12),
  },
  {
    decision: "D6",
    because: "an unknown path answers an error of the same shape as every other",
    of: /./,
    ours: (theirs, { response }) => (response.body?.startsWith("404 page not found") === true ? { ...theirs, code: 5 } : theirs),
  },
  {
    decision: "D6",
    because: "an unknown path is unknown, whatever it begins with",
    of: /\/(admin_unknown_route|admin_root|admin_prefix_match)$/,
    ours: refuses(404, 5),
  },
  {
    decision: "D6",
    because: "a path is compared as it is written: `%2F` is no part of one of ours",
    of: /\/percent_path$/,
    ours: refuses(404, 5),
  },
  { decision: "D6", because: "a path with an empty part is no path of ours", of: /\/double_slash$/, ours: refuses(404, 5) },
  {
    decision: "D6",
    because: "what follows the request's JSON makes it no JSON",
    of: /\/(trailing_garbage|two_objects)$/,
    ours: refuses(400, 3),
  },
  {
    decision: "D6",
    because: "a content type that is not JSON is refused",
    of: /\/(content_type_(text|form|grpc_http1)|proto_content_type|method_override_get)$/,
    ours: refuses(415, 3),
  },
  { decision: "D6", because: "a compressed request is refused for what it is", of: /\/gzip_request_body$/, ours: refuses(415, 3) },
  { decision: "D6", because: "a request that is too large is 413", of: /\/oversized_/, ours: refuses(413, 8) },
  {
    decision: "D60",
    because: "query plans, AuthZEN and the playground are not in this round",
    of: /./,
    ours: (theirs, { request: { path, method } }) =>
      method !== "gRPC" && /^\/(api\/plan|api\/playground|access\/v1|\.well-known)\b/.test(path) ? refuses(404, 5)(theirs) : theirs,
  },
  {
    decision: "D60",
    because: "the services of AuthZEN and of the playground are not served, and so not known",
    of: /\/health_[abd]_.*(Playground|Authorization)Service$/,
    ours: (theirs, { request }) => (theirs.status >= 400 ? theirs : request.method === "gRPC" ? { status: 5 } : refuses(404, 5)(theirs)),
  },
  {
    decision: "D60",
    because: "the list of services has what is served",
    of: /\/health_list$/,
    ours: (theirs) =>
      withBody({ ...theirs }, ({ statuses }) => ({
        statuses: Object.fromEntries(
          Object.entries(isObject(statuses) ? statuses : {}).filter(([name]) => !/(Playground|Authorization)Service$/.test(name)),
        ),
      })),
  },
  { decision: "D9", because: "channelz is there only with the administration API", of: /\/channelz_a$/, ours: () => ({ status: 12 }) },
  {
    decision: "D11",
    because: "the setting server.cors.maxAge does what it says",
    of: /\/cors_preflight_d(_twoheaders)?$/,
    ours: (theirs) => ({ ...theirs, cors: { ...theirs.cors, "access-control-max-age": ["10"] } }),
  },
  {
    decision: "D15",
    because: "the key set decides always, also for a token that another one has verified before",
    of: /\/(jwt_unknown_keyset|jwt_no_keyset_multi_configured|valid_then_unknown_keyset_same_token)$/,
    ours: refuses(400, 3),
  },
  {
    decision: "D51",
    because: "each missing property is an error of its own",
    of: /./,
    ours: (theirs) =>
      eachResult(theirs, (result) => {
        const { validationErrors } = result;
        if (!Array.isArray(validationErrors)) return result;
        const each = (error: Json): readonly Json[] => {
          if (!isObject(error)) return [error];
          const { missing, ...one } = error;
          return Array.from({ length: Number(missing ?? 1) }, () => one);
        };
        return { ...result, validationErrors: validationErrors.flatMap(each) };
      }),
  },
  {
    decision: "D4",
    because: "the point of a reply is always written",
    of: /\/(auth_no_space|schema_list_empty)$/,
    ours: answers({ schemaIds: [] }),
  },
  {
    decision: "D4",
    because: "how many were deleted is written, also when there was none",
    of: /\/schema_delete_(unknown|again)$/,
    ours: answers({ deletedSchemas: 0 }),
  },
  {
    decision: "D4",
    because: "a list without policies is written, also when it is empty",
    of: /\/(list_empty|list_wo_disabled)$/,
    ours: answers({ policyIds: [] }),
  },
  { decision: "D4", because: "and what they contain", of: /\/inspect_unknown_id$/, ours: answers({ results: {} }) },
  { decision: "D4", because: "and how many were disabled", of: /\/disable_unknown$/, ours: answers({ disabledPolicies: 0 }) },
  { decision: "D4", because: "and enabled", of: /\/enable_unknown$/, ours: answers({ enabledPolicies: 0 }) },
  { decision: "D4", because: "and deleted", of: /\/delete_(unknown|missing_again)$/, ours: answers({ deletedPolicies: 0 }) },
  { decision: "D4", because: "and purged", of: /\/purge_keep$/, ours: answers({ affectedRows: 0 }) },
  {
    decision: "D6",
    because: "what a POST asks in its body is heard",
    of: /\/disable_post_body_ignored$/,
    ours: answers({ disabledPolicies: 1 }),
  },
  { decision: "D6", because: "also that something is deleted", of: /\/delete_body$/, ours: answers({ deletedPolicies: 0 }) },
  {
    decision: "D7",
    because: "`basic` is the same in any case",
    of: /\/auth_lowercase_basic$/,
    ours: answers({ schemaIds: [] }),
  },
  { decision: "D7", because: "credentials come before the request", of: /\/auth_validation_precedes_auth$/, ours: refuses(401, 16) },
  {
    decision: "D3",
    because: "a definition is an object, in and out",
    of: /./,
    ours: (theirs, { request: { path } }) =>
      withBody(theirs, (body) => {
        const { schemas } = body;
        if (!path.startsWith("/admin/schema") || !Array.isArray(schemas)) return body;
        return {
          ...body,
          schemas: schemas.map((schema: Json) =>
            isObject(schema) && typeof schema["definition"] === "string"
              ? { ...schema, definition: JSON.parse(schema["definition"]) }
              : schema,
          ),
        };
      }),
  },
  {
    decision: "D3",
    because: "a definition may come as an object, and the empty one is one",
    of: /\/schema_(add_definition_object|def_short)$/,
    ours: answers({}),
  },
  {
    decision: "D3",
    because: "an id that leaves the store is refused",
    of: /\/schema_id_dotdot$/,
    ours: (theirs) => ({ ...refuses(400, 3)(theirs), violations: ["schemas[0] schema.id"] }),
  },
  {
    decision: "D3",
    because: "what is no JSON Schema is refused, and the answer names the id and the place",
    of: /\/schema_(def_(not_json|json_array|json_string|bad_type|bad_keyword|unknown_meta))$/,
    ours: (theirs) => ({ ...refuses(400, 3)(theirs), violations: ["schemas[0] schema.definition"] }),
  },
  {
    decision: "D3",
    because: "the answer names the schema of the request that is none",
    of: /\/schema_partial_invalid$/,
    ours: (theirs) => ({ ...theirs, violations: ["schemas[1] schema.definition"] }),
  },
  {
    decision: "D3",
    because: "what was refused is not listed",
    of: /\/schema_list$/,
    ours: (theirs) =>
      withBody(theirs, ({ schemaIds }) => ({ schemaIds: Array.isArray(schemaIds) ? schemaIds.filter((id) => id !== "../x.json") : [] })),
  },
  {
    decision: "D5",
    because: "an id that nobody has is 404",
    of: /_schema_unknown$|\/(disk_)?schema_get_unknown$/,
    ours: (theirs, { request }) => (request.method === "gRPC" ? { status: 5 } : refuses(404, 5)(theirs)),
  },
  {
    decision: "D12",
    because: "a folder of policies can be administered",
    of: /\/(disk_schema_add|disk_add|disk_not_mutable)$/,
    ours: (_, { request }) => {
      const body = request.path === "/admin/policy" ? { success: {} } : {};
      return request.method === "gRPC" ? { status: 0, body } : answers(body)();
    },
  },
  {
    decision: "D5",
    because: "a policy that nobody has is 404",
    of: /\/(disk_get_unknown|get_unknown|get_badid)$/,
    ours: refuses(404, 5),
  },
  {
    decision: "D5",
    because: "a policy in a file is known by its key too",
    of: /\/disk_get_by_policy_key$/,
    ours: () => answers(recordedBody("admin_policies_http/disk_get"))(),
  },
  {
    decision: "D5",
    because: "a pattern that is none is the caller's mistake",
    of: /\/list_bad_regexp$/,
    ours: () => ({ status: 400, code: 3, violations: ["name_regexp string.regexp"] }),
  },
  {
    decision: "D5",
    because: "filters work on every store",
    of: /\/disk_list_regexp$/,
    ours: answers({ policyIds: ["album.yaml", "album_acme.yaml", "prin.yaml"] }),
  },
  {
    decision: "D5",
    because: "also when what policies contain is asked for",
    of: /\/disk_inspect_regexp$/,
    ours: () => answers({ results: inspected("admin_policies_http/disk_inspect", /album|daffy/) })(),
  },
  {
    decision: "D12",
    because: "policies in a folder are changed, but not so that others break",
    of: /\/disk_(disable|delete)$/,
    ours: () => ({
      status: 400,
      code: 3,
      broken: { "album.yaml": { breaksScopeChain: { descendants: ["resource.album.vdefault/acme"] } } },
    }),
  },
  { decision: "D12", because: "and enabled", of: /\/disk_enable$/, ours: answers({ enabledPolicies: 1 }) },
  {
    decision: "D5",
    because: "what exists among the ids is returned",
    of: /\/schema_get_one_unknown$/,
    ours: answers({ schemas: [{ id: "album.json", definition: album }] }),
  },
  {
    decision: "D5",
    because: "a schema that a policy needs is not deleted",
    of: /\/(disk_schema_delete|schema_delete)$/,
    ours: (theirs) => ({ ...refuses(400, 9)(theirs), violations: ["id schema.needed"] }),
  },
  {
    decision: "D5",
    because: "and so it still says what is wrong",
    of: /\/schema_deleted_(1s_)?after$/,
    ours: (theirs) => eachResult(theirs, (result) => ({ ...result, validationErrors: [{ path: "/", source: "SOURCE_RESOURCE" }] })),
  },
  ...refusedPolicies.map(([name, ...rules]): Difference => ({
    decision: "D13",
    because: "policies that do not compile are refused with the diagnostics of the compiler",
    of: new RegExp(`/${name}$`),
    ours: (theirs) => ({ ...refuses(400, 3)(theirs), violations: rules.map((rule) => `policies[0] ${rule}`) }),
  })),
  {
    decision: "D13",
    because: "what was refused is not listed",
    of: /^admin_policies_http\/list/,
    ours: (theirs) =>
      withBody(theirs, ({ policyIds, ...rest }) => ({
        ...rest,
        ...(Array.isArray(policyIds) && { policyIds: policyIds.filter((id) => !/bad(cel|import)|norole|orphan/.test(String(id))) }),
      })),
  },
  {
    decision: "D13",
    because: "and so what there is can be inspected",
    of: /^admin_policies_http\/inspect$/,
    ours: () =>
      answers({
        results: {
          ...inspected("admin_inspect_http/inspect_all_sqlite", /common_roles|daffy|album/),
          "resource.badschema.v20210210": { policyId: "resource.badschema.v20210210", actions: ["*"] },
          "resource.doc.v20210210": { policyId: "resource.doc.v20210210", actions: ["*"] },
        },
      })(),
  },
  {
    decision: "D13",
    because: "what was refused left no revision, nor did what was so already",
    of: /\/purge$/,
    ours: answers({ affectedRows: 10 }),
  },
  {
    decision: "D6",
    because: "a message is read in either of the encodings that gRPC names, gzip and deflate",
    of: /^grpc\/check_deflate$/,
    ours: () => ({
      status: 0,
      body: {
        requestId: "gz",
        results: [
          {
            resource: { id: "1", kind: "album", policyVersion: "default" },
            actions: { view: "EFFECT_ALLOW" },
            outputs: [{ src: "resource.album.vdefault#view-public", val: { n: 1.5, when: "activated", who: "bugs" }, action: "view" }],
          },
        ],
        authzCallId: "a call id",
      },
    }),
  },
];
