/** A git server for tests: a real repository behind git's own http backend, with credentials, TLS if wanted, and faults. */
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { makeAuthority } from "../server/certificates.ts";
import { gitBackend, type BackendOptions } from "./backend.ts";
import { openFaultyProxy, type Fault } from "./faulty-proxy.ts";
import { makeRepository, type CommitOptions, type Files, type Repository } from "./repository.ts";

/** What is served. */
export interface GitServerOptions extends Pick<BackendOptions, "protocolVersion"> {
  /** What the first commit holds; absent: there is none. */
  readonly files?: Files;
  readonly branch?: string;
  readonly tls?: boolean;
  /** Everybody may read. */
  readonly isOpen?: boolean;
}

/** What an HTTP server does in place of an answer of git's. */
export type HttpFault =
  | { readonly kind: "status"; readonly status: number; readonly headers?: { readonly [name: string]: string } }
  | { readonly kind: "garbage"; readonly contentType?: string; readonly bytes?: number };

/** A running server. */
export interface GitServer {
  /** Of the repository, without credentials. */
  readonly url: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** The authority (PEM) of the server's certificate; empty without TLS. */
  readonly caCert: string;
  readonly repository: Repository;
  /** Adds a commit and returns its object id. */
  readonly commit: (files: Files, options?: CommitOptions) => Promise<string>;
  /** From now on; `{ kind: "none" }` mends it. */
  readonly setFault: (fault: Fault | HttpFault) => Promise<void>;
  /** Method and path of every request since the start. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

/** Starts a server on a free port. */
export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const repository = await makeRepository(options.branch);
  if (options.files !== undefined) await repository.commit(options.files);
  const [username, password] = ["policy-reader", "s3cr3t:with a colon & ünïcode"];
  const backend = gitBackend({
    root: dirname(repository.path),
    ...(options.isOpen !== true && { credentials: { username, password } }),
    ...(options.protocolVersion !== undefined && { protocolVersion: options.protocolVersion }),
  });
  const requests: string[] = [];
  let fault: HttpFault | undefined;
  const listener: typeof backend = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (fault === undefined) return backend(request, response);
    request.resume();
    if (fault.kind === "status") return void response.writeHead(fault.status, fault.headers).end("no");
    response.writeHead(200, { "content-type": fault.contentType ?? "text/html" }).end(Buffer.alloc(fault.bytes ?? 1000, "<html>"));
  };
  const authority = options.tls === true ? makeAuthority() : undefined;
  const pair = authority?.issue({ names: ["127.0.0.1", "localhost", "git.example"] });
  const server = pair === undefined ? createServer(listener) : createTlsServer({ cert: pair.certificate, key: pair.key }, listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address has a port.
  const proxy = await openFaultyProxy((server.address() as AddressInfo).port);
  return {
    url: `${authority === undefined ? "http" : "https"}://127.0.0.1:${proxy.port}/policies.git`,
    port: proxy.port,
    username,
    password,
    caCert: authority?.certificate ?? "",
    repository,
    commit: repository.commit,
    setFault: async (next) => {
      const isHttp = next.kind === "status" || next.kind === "garbage";
      fault = isHttp ? next : undefined;
      await proxy.setFault(isHttp ? { kind: "none" } : next);
    },
    requests,
    close: async () => {
      await proxy.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      repository.remove();
    },
  };
}
