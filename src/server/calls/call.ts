/** One call as either transport delivers it, before its request has been parsed. */
import type { Reply } from "./reply.ts";

/** What a transport knows about a call. */
export interface Call {
  readonly transport: "http" | "grpc";
  /** Address and port of the caller; `unix` when it came through a socket file. */
  readonly peer: string;
  readonly headers: CallHeaders;
}

/** The request of a call: proto3 JSON, or the reply to send when the transport could not read the request. */
export type CallRequest = CallRequestText | { readonly refused: Reply };

/** A request as JSON. */
export interface CallRequestText {
  readonly text: string;
  /** The transport produced the JSON from a query or a protobuf message, so a line and column in it would tell the client nothing. */
  readonly isGenerated?: true;
}

/** Returns the request. A function, because credentials are checked before the request is read (D7). */
export type GetRequest = () => CallRequest;

/** The headers of an HTTP request, or the metadata of a gRPC call; their names are in lower case. */
export interface CallHeaders {
  /** Returns the first value of a header. */
  readonly get: (name: string) => string | undefined;
  /** Returns every header with all its values. A function, so that calls which need none do not pay for them. */
  readonly entries: () => Iterable<readonly [name: string, values: readonly string[]]>;
}

/** The unary calls (one request, one response), and the service of each. */
export const unaryMethods = {
  CheckResources: "authz.svc.v1.AuthzService",
  CheckResourceSet: "authz.svc.v1.AuthzService",
  CheckResourceBatch: "authz.svc.v1.AuthzService",
  ServerInfo: "authz.svc.v1.AuthzService",
  AddOrUpdatePolicy: "authz.svc.v1.AuthzAdminService",
  ListPolicies: "authz.svc.v1.AuthzAdminService",
  GetPolicy: "authz.svc.v1.AuthzAdminService",
  InspectPolicies: "authz.svc.v1.AuthzAdminService",
  EnablePolicy: "authz.svc.v1.AuthzAdminService",
  DisablePolicy: "authz.svc.v1.AuthzAdminService",
  DeletePolicy: "authz.svc.v1.AuthzAdminService",
  ReloadStore: "authz.svc.v1.AuthzAdminService",
  PurgeStoreRevisions: "authz.svc.v1.AuthzAdminService",
  AddOrUpdateSchema: "authz.svc.v1.AuthzAdminService",
  ListSchemas: "authz.svc.v1.AuthzAdminService",
  GetSchema: "authz.svc.v1.AuthzAdminService",
  DeleteSchema: "authz.svc.v1.AuthzAdminService",
} as const;

/** The name of a unary call. */
export type UnaryMethod = keyof typeof unaryMethods;

/** The unary calls that need administrator credentials. */
export type AdminMethod = {
  [Method in UnaryMethod]: (typeof unaryMethods)[Method] extends "authz.svc.v1.AuthzAdminService" ? Method : never;
}[UnaryMethod];

/** The three calls that ask for decisions. */
export type CheckMethod = "CheckResources" | "CheckResourceSet" | "CheckResourceBatch";
