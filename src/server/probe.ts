/** Asks a server for its health from outside, as an orchestrator does. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, status } from "@grpc/grpc-js";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
  HealthCheckResponseSchema,
} from "../../proto/gen/grpc/health/v1/health_pb.js";
import { printAddress, type Address } from "../config/address.ts";
import { refusal } from "../refusal.ts";
import { mainService } from "./health.ts";

/** Which server is asked, and how. */
export interface Probe {
  readonly address: Address;
  readonly tls: boolean;
  /** Do not verify the server's certificate. */
  readonly insecure: boolean;
  readonly ca?: Buffer;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Returns the status over gRPC; rejects when the server does not serve. */
export function probeGrpc(probe: Probe): Promise<string> {
  const target = printAddress(probe.address);
  const channel = probe.tls
    ? credentials.createSsl(probe.ca ?? null, null, null, { rejectUnauthorized: !probe.insecure })
    : credentials.createInsecure();
  const client = new Client(target, channel);
  return new Promise<string>((resolve, reject) => {
    client.makeUnaryRequest(
      "/grpc.health.v1.Health/Check",
      (service: string) => Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service }))),
      (bytes: Buffer) => Serving[fromBinary(HealthCheckResponseSchema, bytes).status] ?? "UNKNOWN",
      mainService,
      { deadline: Date.now() + probe.timeout },
      (error, answer) => {
        if (error !== null) reject(refusal(`${target} answers ${status[error.code] ?? error.code}: ${reason(error.details)}`));
        else if (answer === "SERVING" || answer === "UNKNOWN") resolve(answer);
        else reject(refusal(`${target} is ${answer ?? "silent"}`));
      },
    );
  }).finally(() => client.close());
}

/** Returns the body over HTTP; rejects when the server does not serve. */
export function probeHttp(probe: Probe): Promise<string> {
  const target = printAddress(probe.address);
  const where = probe.address.kind === "unix" ? { socketPath: probe.address.path } : { host: probe.address.host, port: probe.address.port };
  const path = `/_authz/health?service=${mainService}`;
  return new Promise((resolve, reject) => {
    const options = { ...where, path, agent: false, signal: AbortSignal.timeout(probe.timeout) } as const;
    const asked = probe.tls
      ? requestHttps({ ...options, rejectUnauthorized: !probe.insecure, ...(probe.ca !== undefined && { ca: probe.ca }) })
      : requestHttp(options);
    asked.on("response", (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => void (body += part));
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(body.trim())
          : reject(refusal(`${target} answers ${response.statusCode ?? 0}: ${body.trim()}`)),
      );
    });
    asked.on("error", (error) =>
      reject(
        refusal(
          error.name === "AbortError" || error.name === "TimeoutError"
            ? `${target} did not answer within ${probe.timeout} ms`
            : `${target}: ${reason(error.message)}`,
        ),
      ),
    );
    asked.end();
  });
}

/** Says in one line why there was no answer; what OpenSSL says of a server without TLS is said plainly. */
function reason(message: string): string {
  if (message.includes("wrong version number")) return "the server does not use TLS there (--no-tls asks without)";
  return message.replaceAll(/\s*\n\s*/g, " ").trim();
}
