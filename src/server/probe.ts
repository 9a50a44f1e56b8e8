/** Probes the health of a server from outside, over HTTP or gRPC, as an orchestrator does. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, status, type ClientOptions, type ServiceError } from "@grpc/grpc-js";
import type { X509Certificate } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity, createSecureContext, type PeerCertificate, type SecureContextOptions } from "node:tls";
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
  HealthCheckResponseSchema,
} from "../../proto/gen/grpc/health/v1/health_pb.js";
import { printAddress, type Address } from "../config/address.ts";
import { codeOf, refusal } from "../refusal.ts";
import { hungUp, meaningOf, plainText } from "../unreachable.ts";
import { mainService } from "./health.ts";

/** The server to probe, and how. */
export interface Probe {
  readonly address: Address;
  /** Absent when the server does not use TLS. */
  readonly tls?: ProbeTls;
  /** Milliseconds. */
  readonly timeout: number;
}

/** How the server is verified, and what we present to it. */
export interface ProbeTls {
  /** Do not verify the server's certificate. */
  readonly insecure: boolean;
  /** The certificates to trust instead of the system's. */
  readonly ca?: Buffer;
  /** The client certificate and key, for a server that asks for one. */
  readonly pair?: { readonly cert: Buffer; readonly key: Buffer };
  /** The server's own certificate, where it is known: it is then trusted whatever host name it is for. */
  readonly server?: X509Certificate;
}

/** The most bytes of a response that are read; a health response is shorter. */
const longestBody = 4096;

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

/** Probes over HTTP. Returns the body; rejects when the server does not serve. */
export function probeHttp(probe: Probe): Promise<string> {
  const target = printAddress(probe.address);
  const where = probe.address.kind === "unix" ? { socketPath: probe.address.path } : { host: probe.address.host, port: probe.address.port };
  const path = `/_authz/health?service=${mainService}`;
  return new Promise((resolve, reject) => {
    const options = { ...where, path, agent: false, signal: AbortSignal.timeout(probe.timeout) } as const;
    const { tls } = probe;
    const asked =
      tls === undefined
        ? requestHttp(options)
        : requestHttps({ ...options, ...contextOf(tls), ...verificationOf(tls, hostOf(probe.address)) });
    const failed = (error: Error): void =>
      reject(
        refusal(
          error.name === "AbortError" || error.name === "TimeoutError"
            ? `${target} did not answer within ${probe.timeout} ms`
            : `${target}: ${reason(error.message, probe.tls)}`,
        ),
      );
    asked.on("response", (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => void (body = `${body}${part}`.slice(0, longestBody)));
      response.on("end", () => {
        const { statusCode = 0 } = response;
        if (statusCode === 200 && isHealthy(body)) return resolve(body.trim());
        const what = statusCode === 200 ? "200, and nothing about its health" : statusCode;
        reject(refusal(`${target} answers ${what}: ${body.trim()}`));
      });
      response.on("error", (error) => failed(codeOf(error) === "ECONNRESET" ? new Error("the answer was cut off") : error));
    });
    // An upgrade emits neither a response nor an error.
    asked.on("upgrade", ({ statusCode = 0 }, socket) => {
      socket.destroy();
      reject(refusal(`${target} answers ${statusCode}`));
    });
    asked.on("error", failed);
    asked.end();
  });
}

/** Returns whether a response is one of our health endpoint: another program may listen at this address and answer 200 to everything. */
function isHealthy(body: string): boolean {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === "object" && said !== null && "status" in said && (said.status === "SERVING" || said.status === "UNKNOWN");
  } catch {
    return false;
  }
}

/**
 * The TLS options. With `allowPartialTrustChain`, a certificate can be trusted itself although it is signed by an authority that is
 * not.
 */
const contextOf = ({ ca, pair }: ProbeTls): SecureContextOptions => ({
  minVersion: "TLSv1.2",
  ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
  ...pair,
});

const verificationOf = ({ insecure, server }: ProbeTls, host: string) => ({
  rejectUnauthorized: !insecure,
  checkServerIdentity: (_name: string, found: PeerCertificate) =>
    server?.raw.equals(found.raw) === true ? undefined : checkServerIdentity(host, found),
});

const hostOf = (address: Address): string => (address.kind === "unix" ? "localhost" : address.host);

/** Returns in one line why there was no answer; messages that are known are replaced by what they mean. */
function reason(message: string, tls: ProbeTls | undefined): string {
  if (message.includes("wrong version number")) return "the server does not use TLS there (use --no-tls)";
  if (/certificate required|alert handshake failure/.test(message))
    return "the server requires a client certificate (--client-cert and --client-key)";
  const meaning = meaningOf(message);
  // There is no authority to name beside a configuration, whose certificate is trusted for what it is.
  if (tls?.server !== undefined && meaning?.startsWith("its certificate is"))
    return "the server shows another certificate than that of the configuration (server.tls.cert)";
  if (meaning !== undefined) return meaning;
  if (!hungUp(message)) return plainText(message);
  if (tls === undefined) return "the server hung up: perhaps it uses TLS (then leave out --no-tls or AUTHZ_HC_NOTLS)";
  return tls.pair === undefined
    ? "the server hung up: perhaps it requires a client certificate (--client-cert and --client-key)"
    : "the server hung up: perhaps it does not accept the client certificate: its server.tls.caCert must have signed it, and an extendedKeyUsage must name clientAuth";
}
