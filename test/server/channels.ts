/** The ways to a server under test: HTTP and gRPC, in the clear, over TLS and over socket files, gRPC also on the HTTP port. */
import { fromJson, fromBinary, toBinary, toJson, createRegistry, type DescMethod, type JsonObject } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { request as askPlain, type IncomingMessage, type RequestOptions } from "node:http";
import { request as askTls } from "node:https";
import { DeletePolicyErrorDetailsSchema, DisablePolicyErrorDetailsSchema } from "../../proto/gen/authz/response/v1/response_pb.js";
import { ViolationsSchema } from "../../proto/gen/buf/validate/violations_pb.js";
import { AuthzAdminService, AuthzService } from "../../proto/gen/authz/svc/v1/svc_pb.js";
import { StatusSchema } from "../../proto/gen/google/rpc/status_pb.js";
import { printAddress, type Address } from "../../src/config/address.ts";

/** What came back: a status of either protocol, and JSON: the reply, or the error as `{code, message, details}`. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject | undefined;
  /** Over HTTP. */
  readonly headers?: IncomingMessage["headers"];
}

/** One way to a server. */
export interface Channel {
  readonly name: string;
  readonly protocol: "http" | "grpc";
  readonly ask: (call: Question) => Promise<Answer>;
  /** Asks what a page of another origin would ask first. */
  readonly preflight?: (path: string, method: string) => Promise<{ readonly status: number; readonly headers: IncomingMessage["headers"] }>;
  readonly close: () => void;
}

export interface Question {
  readonly method: string;
  readonly path: string;
  /** `authz.svc.v1.AuthzService/CheckResources`. */
  readonly grpc: string;
  readonly request: JsonObject;
  /** `Basic ...`, sent with every request. */
  readonly authorization?: string;
}

/** HTTP at an address; `authority` when it speaks TLS. */
export function httpChannel(name: string, address: Address, authority?: string): Channel {
  const to: RequestOptions = address.kind === "unix" ? { socketPath: address.path } : { host: "127.0.0.1", port: address.port };
  const ask = (options: RequestOptions, body: string): Promise<{ readonly response: IncomingMessage; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const all = { ...to, ...options, agent: false as const };
      const request = authority === undefined ? askPlain(all) : askTls({ ...all, ca: authority, servername: "localhost" });
      request.on("error", reject);
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => void (text += part));
        response.on("end", () => resolve({ response, text }));
        response.on("error", reject);
      });
      request.end(body);
    });
  return {
    name,
    protocol: "http",
    ask: async ({ method, path, request, authorization }) => {
      const headers = { "content-type": "application/json", ...(authorization !== undefined && { authorization }) };
      const { response, text } = await ask({ method, path, headers }, method === "POST" || method === "PUT" ? JSON.stringify(request) : "");
      return { status: response.statusCode ?? 0, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
    },
    preflight: async (path, method) => {
      const { response } = await ask(
        { method: "OPTIONS", path, headers: { origin: "https://example.com", "access-control-request-method": method } },
        "",
      );
      return { status: response.statusCode ?? 0, headers: response.headers };
    },
    close: () => undefined,
  };
}

const registry = createRegistry(ViolationsSchema, DisablePolicyErrorDetailsSchema, DeletePolicyErrorDetailsSchema);
const services = [AuthzService, AuthzAdminService];

/** gRPC at an address; `authority` when it speaks TLS. */
export function grpcChannel(name: string, address: Address, authority?: string): Channel {
  const target = address.kind === "unix" ? `unix:${address.path}` : printAddress({ ...address, host: "127.0.0.1" });
  const client = new Client(
    target,
    authority === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(authority)),
    authority === undefined ? {} : { "grpc.ssl_target_name_override": "localhost" },
  );
  return {
    name,
    protocol: "grpc",
    ask: ({ grpc, request, authorization }) =>
      new Promise((resolve) => {
        const method = methodOf(grpc);
        const metadata = new Metadata();
        if (authorization !== undefined) metadata.set("authorization", authorization);
        client.makeUnaryRequest(
          `/${grpc}`,
          (message: Uint8Array) => Buffer.from(message),
          (bytes: Buffer) => bytes,
          toBinary(method.input, fromJson(method.input, request, { registry })),
          metadata,
          (error, bytes) => {
            if (error !== null) return resolve({ status: error.code, body: errorBody(error) });
            const reply = toJson(method.output, fromBinary(method.output, bytes ?? new Uint8Array()), {
              registry,
              alwaysEmitImplicit: true,
            });
            resolve({ status: 0, body: asObject(reply) });
          },
        );
      }),
    close: () => client.close(),
  };
}

function errorBody({ code, details, metadata }: ServiceError): JsonObject {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Uint8Array)) return { code, message: details };
  return asObject(toJson(StatusSchema, fromBinary(StatusSchema, bytes), { registry }));
}

function methodOf(name: string): DescMethod {
  const [service, method] = name.split("/");
  const found = services.find(({ typeName }) => typeName === service)?.methods.find((each) => each.name === method);
  if (found === undefined) throw new Error(`no method ${name}`);
  return found;
}

function asObject(message: unknown): JsonObject {
  if (typeof message !== "object" || message === null || Array.isArray(message)) throw new Error("a message is an object");
  return Object.fromEntries(Object.entries(message));
}
