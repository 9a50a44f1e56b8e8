/** Sends a recorded request again, exactly as it was written. */
import { request as requestHttp } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createRegistry, fromBinary, fromJson, toBinary, toJson, type DescMethod, type JsonValue } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { AuthzAdminService, AuthzPlaygroundService, AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { Health } from "../../../proto/gen/grpc/health/v1/health_pb.js";
import type { TestServer } from "../harness.ts";
import type { Exchange } from "./exchanges.ts";
import type { Answer, Json } from "./meaning.ts";

/** Sends over HTTP; the path goes as it is, with nothing cleaned. */
export function sendHttp(server: TestServer, { request }: Exchange, body: Buffer | null): Promise<Answer> {
  const { hostname, port } = new URL(server.http);
  return new Promise((resolve, reject) => {
    const headers = { ...request.headers, ...(body !== null && { "content-length": String(body.length) }) };
    const asked = requestHttp({ hostname, port, method: request.method, path: request.path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => void parts.push(part));
      response.on("end", () => {
        const header = (name: string): string | undefined => response.headers[name]?.toString();
        const encoding = header("content-encoding");
        const bytes = Buffer.concat(parts);
        const plain = encoding === "gzip" ? gunzipSync(bytes) : encoding === "br" ? brotliDecompressSync(bytes) : bytes;
        resolve({ status: response.statusCode ?? 0, header, body: plain.toString("utf8") });
      });
    });
    asked.on("error", reject);
    if (body === null) asked.end();
    else if ("Expect" in request.headers) asked.on("continue", () => asked.end(body)).flushHeaders();
    else asked.end(body);
  });
}

const services = [AuthzService, AuthzAdminService, AuthzPlaygroundService, Health];
const registry = createRegistry(...services);

/** The recorded calls that are no message of any service: a service and a method that nobody has, and bytes that are no message. */
const raw: { readonly [path: string]: readonly [path: string, bytes: Buffer] } = {
  foo: ["/authz.svc.v1.NoService/Foo", Buffer.alloc(0)],
  bar: ["/authz.svc.v1.AuthzService/NoMethod", Buffer.alloc(0)],
  bad: ["/authz.svc.v1.AuthzService/CheckResources", Buffer.from([0xff, 0xff, 0xff])],
};

/** Sends over gRPC and answers the code and, where it is success, the message or the list of messages as proto3 JSON. */
export async function sendGrpc(
  server: TestServer,
  exchange: Exchange,
): Promise<{ readonly code: number; readonly json: Json | undefined }> {
  const { setup, name, request } = exchange;
  const address = setup === "ahttp" ? new URL(server.http).host : server.grpc;
  const algorithm = /deflate/.test(name) ? 1 : /gzip/.test(name) ? 2 : 0;
  const client = new Client(address, credentials.createInsecure(), { "grpc.default_compression_algorithm": algorithm });
  const method = methodOf(request.path);
  const [path, bytes] = raw[request.path] ?? [request.path, method === undefined ? Buffer.alloc(0) : messageOf(method, request.body)];
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(request.headers)) metadata.set(key, value);
  const same = (buffer: Buffer): Buffer => buffer;
  const messages: Buffer[] = [];
  const code = await new Promise<number>((resolve) => {
    const deadline = Date.now() + (path.endsWith("Watch") ? 600 : 20_000);
    if (method?.methodKind === "server_streaming") {
      const stream = client.makeServerStreamRequest(path, same, same, bytes, metadata, { deadline });
      stream.on("data", (message: Buffer) => void messages.push(message));
      stream.on("error", () => {}); // the status tells
      stream.on("status", (status) => resolve(status.code));
    } else {
      client.makeUnaryRequest(path, same, same, bytes, metadata, { deadline }, (error, message) => {
        if (message !== undefined) messages.push(message);
        resolve(error?.code ?? 0);
      });
    }
  });
  client.close();
  const all =
    method === undefined ? [] : messages.map((message) => toJson(method.output, fromBinary(method.output, message), { registry }));
  return { code, json: code !== 0 || method === undefined ? undefined : method.methodKind === "server_streaming" ? all : all[0] };
}

/** Returns the recorded message of an answer as proto3 JSON. */
export function recordedMessage({ request, response }: Exchange): Json | undefined {
  const method = methodOf(request.path);
  if (method === undefined || response.body === null) return undefined;
  const written: Json = JSON.parse(response.body);
  return Array.isArray(written) ? written.map((each) => standard(method.output, each)) : standard(method.output, written);
}

function standard(message: DescMethod["output"], written: Json): Json {
  return toJson(message, fromJson(message, plain(written) as JsonValue, { registry, ignoreUnknownFields: true }), { registry });
}

function methodOf(path: string): DescMethod | undefined {
  const [, service, name] = path.split("/");
  return services.find(({ typeName }) => typeName === service)?.methods.find((method) => method.name === name);
}

function messageOf(method: DescMethod, body: string | null): Buffer {
  return Buffer.from(toBinary(method.input, fromJson(method.input, plain(JSON.parse(body ?? "{}")) as JsonValue, { registry })));
}

/** The recorder wrote maps as lists of entries, values by the name of their kind, times and bytes as what they are made of. */
function plain(json: Json): Json {
  if (Array.isArray(json)) {
    const entries = json.map((item: Json) => (isRecord(item) && Object.keys(item).join() === "key,value" ? item : undefined));
    if (json.length === 0 || entries.some((entry) => entry === undefined)) return json.map(plain);
    return Object.fromEntries(entries.map((entry) => [textOf(entry?.["key"]), plain(entry?.["value"] ?? null)]));
  }
  if (!isRecord(json)) return json;
  const [[name, value] = ["", null], ...more] = Object.entries(json);
  if (more.length === 0 && ["string_value", "bool_value", "number_value"].includes(name)) return value;
  if (more.length === 0 && name === "struct_value") return isRecord(value) ? plain(value["fields"] ?? {}) : {};
  if (json["type"] === "Buffer") return Buffer.from(json["data"] as readonly number[]).toString("base64");
  if ("seconds" in json && "nanos" in json) return new Date(Number(json["seconds"]) * 1000).toISOString();
  return Object.fromEntries(Object.entries(json).map(([key, each]) => [key, plain(each)]));
}

const textOf = (json: Json | undefined): string => (typeof json === "string" ? json : "");

const isRecord = (json: Json): json is { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json);
