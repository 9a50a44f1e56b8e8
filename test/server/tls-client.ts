/** Clients that speak TLS: they ask over HTTPS and gRPC, and look at whose certificates they are shown. */
import { request as requestHttps, type RequestOptions } from "node:https";
import { connect as connectTls } from "node:tls";
import { Client, credentials } from "@grpc/grpc-js";
import { makeAuthority, type Pair } from "./certificates.ts";
import type { TestServer } from "./harness.ts";
import { request } from "./policies.ts";

/** Who issued the certificates of the servers that are asked. */
export const authority = makeAuthority();
const trusted = authority.certificate;

/** The host and port of the HTTP listener. */
export function portOf({ http }: TestServer): string {
  return new URL(http).host;
}

/** What a client shows of itself. */
export function identity(pair: Pair | undefined): RequestOptions {
  return pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
}

/** Asks for a decision over HTTPS, on a connection of its own. */
export function ask(
  server: TestServer,
  identity: RequestOptions,
): Promise<{ readonly status: number; readonly protocol: string | false | null }> {
  return new Promise((resolve, reject) => {
    // What Node declares of HTTPS requests knows nothing of ALPN; it hands all options on to the socket.
    const options = { method: "POST", agent: false, ca: trusted, ALPNProtocols: ["h2", "http/1.1"], ...identity } as const;
    const asked = requestHttps(`https://${portOf(server)}/api/check/resources`, options);
    let protocol: string | false | null = false;
    asked.on("socket", (socket) =>
      socket.on("secureConnect", () => (protocol = "alpnProtocol" in socket ? String(socket.alpnProtocol) : false)),
    );
    asked.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve({ status: response.statusCode ?? 0, protocol }));
    });
    asked.on("error", reject);
    asked.end(JSON.stringify(request));
  });
}

/** Opens a gRPC client; close it. */
export function grpcClient(address: string, { cert, key }: RequestOptions): Client {
  const bytes = (pem: unknown): Buffer | null => (typeof pem === "string" ? Buffer.from(pem) : null);
  // Node 26 throws where grpc-js sends an IP address as the server's name.
  const options = { "grpc.ssl_target_name_override": "localhost" };
  return new Client(address, credentials.createSsl(Buffer.from(trusted), bytes(key), bytes(cert)), options);
}

/** Asks what is running and returns the code. */
export function call(client: Client): Promise<number> {
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest("/authz.svc.v1.AuthzService/ServerInfo", same, same, Buffer.alloc(0), (error) => resolve(error?.code ?? 0));
  });
}

/** The same on a connection of its own. */
export async function callGrpc(address: string, options: RequestOptions): Promise<number> {
  const client = grpcClient(address, options);
  const code = await call(client);
  client.close();
  return code;
}

/** Whose certificates the listeners show. */
export function fingerprints(server: TestServer): Promise<readonly string[]> {
  return Promise.all(
    [portOf(server), server.grpc].map((address) => {
      const [host = "", port = ""] = address.split(":");
      return new Promise<string>((resolve, reject) => {
        const socket = connectTls({ host, port: Number(port), ca: trusted, ALPNProtocols: ["h2"] }, () => {
          resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? "");
          socket.destroy();
        }).on("error", reject);
      });
    }),
  );
}
