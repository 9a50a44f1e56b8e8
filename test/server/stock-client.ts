/** A gRPC client as anyone would make it: @grpc/grpc-js and proto-loader over our .proto files, none of our code. */
import { credentials, loadPackageDefinition, Metadata, type Client, type GrpcObject, type ServiceClientConstructor, type ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..", "proto");

const definition = loadSync(["authz/svc/v1/svc.proto", "grpc/health/v1/health.proto"], {
  includeDirs: [root], keepCase: false, longs: String, enums: String, defaults: false, oneofs: false,
});

export interface GrpcAnswer {
  /** 0 is success. */
  readonly code: number;
  readonly message: string;
  readonly reply: any;   // a test may reach into it
  readonly metadata: Metadata;
  /** Of the reply's headers. */
  readonly headers: Metadata;
}

/** Opens a client of one service; close it. */
export function openClient(address: string, service: string): { readonly client: Client; readonly call: (method: string, request: object) => Promise<GrpcAnswer>; readonly close: () => void } {
  const path = service.split(".");
  let found: any = loadPackageDefinition(definition) as GrpcObject;
  for (const name of path) found = found[name];
  const client = new (found as ServiceClientConstructor)(address, credentials.createInsecure());
  return {
    client,
    close: () => client.close(),
    call: (method, request) => new Promise((resolve) => {
      let headers = new Metadata();
      const call = (client as any)[method](request, (error: ServiceError | null, reply: unknown) => {
        resolve({ code: error?.code ?? 0, message: error?.details ?? "", reply, metadata: error?.metadata ?? new Metadata(), headers });
      });
      call.on("metadata", (metadata: Metadata) => (headers = metadata));
    }),
  };
}

/** Turns a CheckResources request from JSON's form into that of the client, where a google.protobuf.Value is a oneof. */
export function toClient(request: any): object {
  const attributes = (of: any): any => (of?.attr === undefined ? of : { ...of, attr: values(of.attr) });
  return {
    ...request,
    ...(request.principal !== undefined && { principal: attributes(request.principal) }),
    ...(request.resources !== undefined && { resources: request.resources.map((entry: any) => ({ ...entry, resource: attributes(entry.resource) })) }),
    ...(request.requestContext !== undefined && { requestContext: { annotations: values(request.requestContext.annotations) } }),
  };
}

/** Turns a reply of the client into JSON's form. */
export function fromClient(reply: any): any {
  return {
    ...reply,
    results: (reply.results ?? []).map((result: any) => ({
      ...result,
      ...(result.outputs !== undefined && { outputs: result.outputs.map((output: any) => ({ ...output, ...(output.val !== undefined && { val: plain(output.val) }) })) }),
    })),
  };
}

function values(attributes: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toValue(value)]));
}

function toValue(value: unknown): object {
  if (value === null) return { nullValue: 0 };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } };
  return { structValue: { fields: values(value as Record<string, unknown>) } };
}

function plain(value: any): unknown {
  if (value.structValue !== undefined) return Object.fromEntries(Object.entries(value.structValue.fields ?? {}).map(([name, inner]) => [name, plain(inner)]));
  if (value.listValue !== undefined) return (value.listValue.values ?? []).map(plain);
  if (value.nullValue !== undefined) return null;
  return value.stringValue ?? value.numberValue ?? value.boolValue;
}
