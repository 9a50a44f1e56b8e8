/** A server with an administrator, and how its calls are made over either transport. */
import { ScalarType, type DescField, type DescMessage, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { hashSync } from "bcryptjs";
import { AuthzAdminService } from "../../proto/gen/authz/svc/v1/svc_pb.js";
import { grpcChannel, httpChannel, type Answer, type Channel } from "./channels.ts";
import { startServer, type TestServer } from "./harness.ts";

export const password = "pass:word";
export const hash = Buffer.from(hashSync(password, 4)).toString("base64");
export const basic = (name: string, secret: string): string => `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;
export const right = basic("authz", password);
export const enabled = {
  "server.adminAPI.enabled": true,
  "server.adminAPI.adminCredentials.passwordHash": hash,
  "schema.enforcement": "reject",
};

const calls = {
  AddOrUpdatePolicy: ["POST", "/admin/policy"],
  ListPolicies: ["GET", "/admin/policies"],
  GetPolicy: ["GET", "/admin/policy"],
  InspectPolicies: ["GET", "/admin/policies/inspect"],
  EnablePolicy: ["PUT", "/admin/policy/enable"],
  DisablePolicy: ["POST", "/admin/policy/disable"],
  DeletePolicy: ["POST", "/admin/policy/delete"],
  ReloadStore: ["GET", "/admin/store/reload"],
  PurgeStoreRevisions: ["DELETE", "/admin/store/revisions"],
  AddOrUpdateSchema: ["POST", "/admin/schema"],
  ListSchemas: ["GET", "/admin/schemas"],
  GetSchema: ["GET", "/admin/schema"],
  DeleteSchema: ["DELETE", "/admin/schema"],
} as const;
export type Call = keyof typeof calls;

export interface Opened {
  readonly server: TestServer;
  readonly http: Channel;
  readonly grpc: Channel;
}

export async function open(options: Parameters<typeof startServer>[0]): Promise<Opened> {
  const server = await startServer(options);
  const address = (url: string): Parameters<typeof httpChannel>[1] => ({
    kind: "tcp",
    host: "127.0.0.1",
    port: Number(/\d+$/.exec(url)?.[0]),
  });
  return { server, http: httpChannel("HTTP", address(server.http)), grpc: grpcChannel("gRPC", address(server.grpc)) };
}

export async function close({ server, http, grpc }: Opened): Promise<void> {
  http.close();
  grpc.close();
  await server.stop();
}

export function ask(channel: Channel, call: Call, request: JsonObject, authorization: string | undefined = right): Promise<Answer> {
  const [method, path] = calls[call];
  const query =
    method === "POST" || method === "PUT" ? "" : `?${new URLSearchParams(Object.entries(request).flatMap(parameters)).toString()}`;
  return channel.ask({
    method,
    path: path + query,
    grpc: `authz.svc.v1.AuthzAdminService/${call}`,
    request,
    ...(authorization !== "" && { authorization }),
  });
}

const parameters = ([name, value]: readonly [string, JsonValue]): [string, string][] =>
  (Array.isArray(value) ? value : [value]).map((each) => [name, typeof each === "string" ? each : JSON.stringify(each)]);

export const check = async ({ http }: Opened, kind: string, attr: JsonObject = {}): Promise<string> => {
  const resource = { kind, id: "1", attr };
  const { body } = await http.ask({
    method: "POST",
    path: "/api/check/resources",
    grpc: "",
    request: { principal: { id: "ann", roles: ["user"] }, resources: [{ actions: ["view"], resource }] },
  });
  return /EFFECT_\w+/.exec(JSON.stringify(body))?.[0] ?? JSON.stringify(body);
};

export const policy = (kind: string, more: object = {}): JsonObject => ({
  apiVersion: "api.authz.dev/v1",
  resourcePolicy: { resource: kind, version: "default", rules: [{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["user"] }], ...more },
});
export const bytes = (definition: unknown): string => Buffer.from(JSON.stringify(definition)).toString("base64");
export const violations = ({ body }: Answer): readonly string[] => {
  const text = JSON.stringify(body);
  return [...text.matchAll(/"fieldPath":"((?:[^"\\]|\\.)*)"/g)].map(([, path]) => path ?? "");
};

/** Returns the elements of violated fields whose number or type is not that of the contract. */
export function misdeclared(call: Call, { body }: Answer): readonly unknown[] {
  const {
    details,
  }: {
    readonly details: readonly [{ readonly violations: readonly { readonly field?: { readonly elements: readonly FieldElement[] } }[] }];
  } = JSON.parse(JSON.stringify(body));
  const { violations: found } = details[0];
  return found.flatMap(({ field }) => {
    let message: DescMessage | undefined = AuthzAdminService.methods.find(({ name }) => name === call)?.input;
    return (field?.elements ?? []).filter(({ fieldNumber, fieldName, fieldType }) => {
      const declared: DescField | undefined = message?.fields.find(({ name }) => name === fieldName);
      const kind = declared?.fieldKind === "list" ? declared.listKind : declared?.fieldKind;
      const type = kind === "scalar" ? ScalarType[declared?.scalar ?? 0] : kind?.toUpperCase();
      message = declared?.message;
      return fieldNumber !== declared?.number || fieldType !== `TYPE_${type}`;
    });
  });
}

interface FieldElement {
  readonly fieldNumber: number;
  readonly fieldName: string;
  readonly fieldType: string;
}

export const stores = [
  ["a folder", (): Record<string, string> => ({})],
  ["a database", (): Record<string, string> => ({ "storage.driver": "sqlite", "storage.sqlite.path": ":memory:" })],
] as const;
