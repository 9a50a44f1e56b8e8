/** A server with everything on, and the ways in which the cases ask it. */
import { hashSync } from "bcryptjs";
import { base64url, SignJWT } from "jose";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually, startServer, temporaryFolder, type Answer, type Body, type Result, type TestServer } from "../server/harness.ts";
import { fromClient, openClient, toClient, type StockClient } from "../server/stock-client.ts";

/** The administrator of the scene; the password holds a colon. */
export const administrator = { username: "root", password: "open:sesame" };

const basic = `Basic ${Buffer.from(`${administrator.username}:${administrator.password}`).toString("base64")}`;

const secret = new Uint8Array(32).fill(7);
const key = JSON.stringify({ kty: "oct", k: base64url.encode(secret), alg: "HS256", kid: "a" });

const resourcePolicy = (kind: string, body: string): string =>
  `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${kind}\n  version: default\n${body}`;

const policies = {
  "album.yaml": resourcePolicy(
    "album",
    `  importDerivedRoles: [people]
  schemas:
    resourceSchema: {ref: "authz:///album.json"}
  rules:
    - actions: ["view:*"]
      effect: EFFECT_ALLOW
      roles: [user]
    - actions: [edit]
      name: owners-edit
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
      output: {when: {ruleActivated: '"edited by " + request.principal.id'}}
    - actions: [publish]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: request.resource.attr.public == true}}
    - actions: [lead]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: request.principal.attr.lead == true}}
    - actions: [claim]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: request.auxData.jwt.team == "red"}}
`,
  ),
  "album-v2.yaml": resourcePolicy("album", "  rules:\n    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user]}\n").replace(
    "version: default",
    "version: v2",
  ),
  "album-acme.yaml": resourcePolicy("album", "  scope: acme\n  rules:\n    - {actions: [share], effect: EFFECT_ALLOW, roles: [user]}\n"),
  "cleo.yaml": `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: cleo
  version: v2
  scope: acme
  rules:
    - resource: album
      actions: [{action: archive, effect: EFFECT_ALLOW}]
---
`.replace("---\n", ""),
  "cleo-root.yaml": `apiVersion: api.authz.dev/v1
principalPolicy: {principal: cleo, version: v2, rules: []}
`,
  "people.yaml": `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - name: owner
      parentRoles: [user]
      condition: {match: {expr: request.resource.attr.owner == request.principal.id}}
`,
  "_schemas/album.json": JSON.stringify({ type: "object", properties: { owner: { type: "string" }, public: { type: "boolean" } } }),
} as const;

/** The server, and how it is asked. */
export interface Scene {
  readonly server: TestServer;
  /** Sends a CheckResources request; what it leaves out is filled in: ann, a user, asks to edit her album. */
  readonly check: (changes?: Changes) => Promise<Answer>;
  /** The same, and the first result of a good answer. */
  readonly result: (changes?: Changes) => Promise<Result>;
  /** The same over gRPC. */
  readonly overGrpc: (changes?: Changes) => Promise<Body>;
  readonly client: (service: string) => StockClient;
  /** Asks the administration API, as the administrator. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Answer>;
  readonly token: (claims: Readonly<Record<string, unknown>>) => Promise<string>;
  /** The audit file's lines that name a call, once there are so many. */
  readonly audited: (callId: string, kind: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly close: () => Promise<void>;
}

/** What a case changes of the request. */
export interface Changes {
  readonly request?: object;
  readonly principal?: object;
  readonly entry?: object;
  readonly resource?: object;
  readonly query?: string;
}

const requestOf = ({ request, principal, entry, resource }: Changes): object => ({
  requestId: "r1",
  principal: { id: "ann", roles: ["user"], ...principal },
  resources: [{ actions: ["edit"], resource: { kind: "album", id: "a1", attr: { owner: "ann" }, ...resource }, ...entry }],
  ...request,
});

/** Opens the scene; close it. */
export async function openScene(): Promise<Scene> {
  const folder = temporaryFolder({ "authz.yaml": configuration });
  const auditFile = join(folder, "audit.log");
  const server = await startServer({
    policies,
    file: join(folder, "authz.yaml"),
    settings: {
      "audit.file.path": auditFile,
      "server.requestLimits.maxActionsPerResource": 3,
      "server.requestLimits.maxResourcesPerRequest": 4,
    },
  });
  const check: Scene["check"] = (changes = {}) => server.post(`/api/check/resources${changes.query ?? ""}`, requestOf(changes));
  return {
    server,
    check,
    result: async (changes) => (await check(changes)).json.results[0],
    overGrpc: async (changes = {}) => {
      const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
      const { reply, code, message } = await client.call("checkResources", toClient(requestOf(changes)));
      client.close();
      if (code !== 0) throw new Error(message);
      return fromClient(reply);
    },
    client: (service) => openClient(server.grpc, service),
    admin: (method, path, body) =>
      server.get(path, {
        method,
        headers: { authorization: basic, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    token: (claims) => new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "a" }).setExpirationTime("1h").sign(secret),
    audited: async (callId, kind) => {
      const lines = (): readonly Readonly<Record<string, unknown>>[] =>
        readFileSync(auditFile, "utf8")
          .split("\n")
          .filter((line) => line.includes(callId) && line.includes(`"log.kind":"${kind}"`))
          .map((line) => JSON.parse(line));
      const [first = {}] = await eventually(lines, (found) => found.length > 0);
      return first;
    },
    close: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const configuration = `server:
  adminAPI:
    enabled: true
    adminCredentials:
      username: ${administrator.username}
      passwordHash: ${Buffer.from(hashSync(administrator.password, 4)).toString("base64")}
schema:
  enforcement: warn
auxData:
  jwt:
    keySets: [{id: k, local: {data: ${Buffer.from(key).toString("base64")}}}]
audit:
  enabled: true
  backend: file
`;
