/** One call as either transport brings it, before anybody has read what it asks. */
import type { Reply } from "./reply.ts";

/** What a transport knows about a call. */
export interface Call {
  readonly transport: "http" | "grpc";
  /** Address and port of the caller; `unix` when it came through a socket file. */
  readonly peer: string;
  readonly headers: CallHeaders;
}

/** The request of a call: proto3 JSON, or the reply that says why it cannot be read. */
export type Question = QuestionText | { readonly refused: Reply };

/** The text. */
export interface QuestionText {
  readonly text: string;
  /** A transport made it of a query or a message: to name a place in it tells the client nothing. */
  readonly isMade?: true;
}

/** Reads the question when it is wanted: credentials come before it (D7). */
export type Ask = () => Question;

/** The headers of an HTTP request, or the metadata of a gRPC call; their names are in lower case. */
export interface CallHeaders {
  /** The first value of a header. */
  readonly get: (name: string) => string | undefined;
  /** Every header with its values; nobody pays for it who does not ask. */
  readonly entries: () => Iterable<readonly [name: string, values: readonly string[]]>;
}

/** Calls with one question and one answer, by the service they belong to. */
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

/** The name of such a call. */
export type UnaryMethod = keyof typeof unaryMethods;

/** The calls that the administrator alone may make. */
export type AdminMethod = {
  [Method in UnaryMethod]: (typeof unaryMethods)[Method] extends "authz.svc.v1.AuthzAdminService" ? Method : never;
}[UnaryMethod];

/** The three ways to ask for decisions. */
export type CheckMethod = "CheckResources" | "CheckResourceSet" | "CheckResourceBatch";
