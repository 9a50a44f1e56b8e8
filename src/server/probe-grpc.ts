/** Probes the health of a server over gRPC, as an orchestrator does. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, status, type ClientOptions, type ServiceError } from "@grpc/grpc-js";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
  HealthCheckResponseSchema,
} from "../../proto/gen/grpc/health/v1/health_pb.js";
import { printAddress } from "../config/address.ts";
import { refusal } from "../refusal.ts";
import { mainService } from "./health.ts";
import { contextOf, hostOf, reason, verificationOf, type Probe } from "./probe.ts";

/** Probes over gRPC. Returns the status; rejects when the server does not serve. */
export function probeGrpc(probe: Probe): Promise<string> {
  const target = printAddress(probe.address);
  const client = openClient(probe);
  return new Promise<string>((resolve, reject) => {
    client.makeUnaryRequest(
      "/grpc.health.v1.Health/Check",
      (service: string) => Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service }))),
      (bytes: Buffer) => Serving[fromBinary(HealthCheckResponseSchema, bytes).status] ?? "UNKNOWN",
      mainService,
      { deadline: Date.now() + probe.timeout },
      (error, answer) => {
        if (error !== null) reject(refusal(`${target}${failureOf(error, probe)}`));
        else if (answer === "SERVING" || answer === "UNKNOWN") resolve(answer);
        else reject(refusal(`${target} is ${answer ?? "silent"}`));
      },
    );
  }).finally(() => client.close());
}

function failureOf({ code, details }: ServiceError, { tls, timeout }: Probe): string {
  if (code === status.DEADLINE_EXCEEDED) return ` did not answer within ${timeout} ms`;
  const why = reason(details, tls);
  // What grpc-js says of a server that was not reached has the code of one that answers that it cannot serve.
  return why === details ? ` answers ${status[code] ?? code}: ${why}` : `: ${why}`;
}

/** Opens a client of a server's gRPC listener; the caller closes it. */
export function openClient({ address, tls }: Pick<Probe, "address" | "tls">, options: ClientOptions = {}): Client {
  const host = hostOf(address);
  const channel =
    tls === undefined
      ? credentials.createInsecure()
      : credentials.createFromSecureContext(createSecureContext(contextOf(tls)), verificationOf(tls, host));
  return new Client(printAddress(address), channel, {
    "grpc.enable_http_proxy": 0,
    // TLS server names cannot be IP addresses, so another name is sent; the certificate is verified against the address all the same.
    ...(isIP(host) !== 0 && { "grpc.ssl_target_name_override": "localhost" }),
    ...options,
  });
}
