/** A gRPC client as anyone would make it: @grpc/grpc-js and proto-loader over our .proto files, none of our code. */
import { Client, credentials, Metadata, type ClientReadableStream } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { join } from "node:path";
import type { Body, Result } from "./harness.ts";

const definition = loadSync(["authz/svc/v1/svc.proto", "grpc/health/v1/health.proto"], {
  includeDirs: [join(import.meta.dirname, "..", "..", "proto")],
  keepCase: false,
  longs: String,
  enums: String,
  defaults: false,
  oneofs: false,
});

export interface GrpcAnswer {
  /** 0 is success. */
  readonly code: number;
  readonly message: string;
  /** The reply as proto-loader makes it; undefined when the call failed. */
  readonly reply: object | undefined;
  readonly metadata: Metadata;
  /** Of the reply's headers. */
  readonly headers: Metadata;
}

export interface StockClient {
  readonly call: (method: string, request: object) => Promise<GrpcAnswer>;
  readonly stream: (method: string, request: object, metadata?: Metadata) => ClientReadableStream<object>;
  readonly close: () => void;
}

/** Opens a client of one service, such as `authz.svc.v1.AuthzService`; close it. */
export function openClient(address: string, service: string): StockClient {
  const client = new Client(address, credentials.createInsecure());
  const methodOf = (name: string): MethodDefinition<object, object> => {
    const found = definition[service];
    const methods = found === undefined || "format" in found ? [] : Object.entries(found);
    const method = methods.find(([written, { originalName }]) => written === name || originalName === name)?.[1];
    if (method === undefined) throw new Error(`no method ${name} in ${service}`);
    return method;
  };
  return {
    close: () => client.close(),
    stream: (name, request, metadata = new Metadata()) => {
      const { path, requestSerialize, responseDeserialize } = methodOf(name);
      return client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
    },
    call: (name, request) =>
      new Promise((resolve) => {
        const { path, requestSerialize, responseDeserialize } = methodOf(name);
        let headers = new Metadata();
        const call = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, reply) => {
          resolve({ code: error?.code ?? 0, message: error?.details ?? "", reply, metadata: error?.metadata ?? new Metadata(), headers });
        });
        call.on("metadata", (metadata: Metadata) => (headers = metadata));
      }),
  };
}

type Attributes = { readonly [name: string]: unknown };

interface HasAttributes {
  readonly attr?: Attributes | undefined;
}

interface Request {
  readonly requestId?: string;
  readonly principal?: HasAttributes | object;
  readonly resources?: readonly { readonly resource?: HasAttributes | object }[];
  readonly requestContext?: { readonly annotations?: Attributes };
}

/** Turns a CheckResources request from JSON's form into that of the client, where a google.protobuf.Value is a oneof. */
export function toClient(request: Request): object {
  const { principal, resources, requestContext } = request;
  return {
    ...request,
    ...(principal !== undefined && { principal: withValues(principal) }),
    ...(resources !== undefined && {
      resources: resources.map((entry) => ({ ...entry, ...(entry.resource !== undefined && { resource: withValues(entry.resource) }) })),
    }),
    ...(requestContext !== undefined && { requestContext: { annotations: values(requestContext.annotations ?? {}) } }),
  };
}

/** Turns a reply of the client into JSON's form. */
export function fromClient(reply: object | undefined): Body {
  // What this client makes of a CheckResourcesResponse is its JSON but for the values.
  const body = reply as Body;
  const results = (body.results ?? []).map((result: Result) => ({
    ...result,
    ...(result.outputs !== undefined && {
      outputs: result.outputs.map((output) => ({ ...output, ...(output.val !== undefined && { val: plain(output.val as ClientValue) }) })),
    }),
  }));
  return { ...body, results: results as unknown as Body["results"] };
}

function withValues(of: HasAttributes | object): object {
  return "attr" in of && of.attr !== undefined ? { ...of, attr: values(of.attr) } : of;
}

function values(attributes: Attributes): object {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toValue(value)]));
}

function toValue(value: unknown): object {
  if (value === null) return { nullValue: 0 };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } };
  return { structValue: { fields: values(Object.fromEntries(Object.entries(value ?? {}))) } };
}

/** A google.protobuf.Value as this client makes it. */
interface ClientValue {
  readonly structValue?: { readonly fields?: { readonly [name: string]: ClientValue } };
  readonly listValue?: { readonly values?: readonly ClientValue[] };
  readonly nullValue?: unknown;
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
}

function plain(value: ClientValue): unknown {
  if (value.structValue !== undefined)
    return Object.fromEntries(Object.entries(value.structValue.fields ?? {}).map(([name, inner]) => [name, plain(inner)]));
  if (value.listValue !== undefined) return (value.listValue.values ?? []).map(plain);
  if (value.nullValue !== undefined) return null;
  return value.stringValue ?? value.numberValue ?? value.boolValue;
}
