/** An https server that bundles are fetched from, which can also fail in every way that servers do; and bundles to publish there. */
import { createHash, createPrivateKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { compile } from "../../compiler/index.ts";
import type { Source } from "../../compiler/source.ts";
import { writeBundle } from "../../src/bundle/index.ts";
import { generateKeys, type KeyPair } from "../../src/bundle/keys.ts";
import { digest } from "../../src/texts/digest.ts";
import { belowSchemas, isSchemaPath } from "../../src/store/schema-paths.ts";
import { makeAuthority, type Authority } from "../server/certificates.ts";
import { temporaryFolder } from "../server/harness.ts";

/** What goes wrong until it is said otherwise. */
export type Fault =
  /** Nothing: the bundle is served. */
  | { readonly kind: "none" }
  /** The request is taken, and never answered. */
  | { readonly kind: "hang" }
  /** Headers and a part of the body come, and then nothing. */
  | { readonly kind: "stall" }
  /** The connection ends in the middle of the body. */
  | { readonly kind: "cut" }
  /** The connection ends before there is an answer. */
  | { readonly kind: "drop" }
  /** A byte every so many milliseconds. */
  | { readonly kind: "drip"; readonly milliseconds: number }
  /** An answer with this status and a page as its body. */
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "redirect"; readonly to: string }
  /** Another body, with an ETag of its own. */
  | { readonly kind: "body"; readonly bytes: Uint8Array; readonly headers?: { readonly [name: string]: string } }
  /** A body without end. */
  | { readonly kind: "endless"; readonly status?: number }
  /** 101: another protocol from here on, which nobody asked for. */
  | { readonly kind: "switch" }
  /** 304, whatever is asked. */
  | { readonly kind: "not modified" };

export interface BundleServerOptions {
  /** Whoever does not send these gets 401. */
  readonly credentials?: { readonly username: string; readonly password: string } | { readonly token: string };
  /** Plain http; otherwise https with a certificate of `authority`. */
  readonly plain?: boolean;
  readonly authority?: Authority;
  /** Answers carry no ETag. */
  readonly withoutEtag?: boolean;
  readonly path?: string;
}

export interface BundleServer {
  readonly url: string;
  /** File with the certificate of who signed the server's. */
  readonly caCert: string;
  /** Serves these bytes from now on. */
  readonly publish: (bytes: Uint8Array) => void;
  readonly setFault: (fault: Fault) => void;
  /** Every answer so far, by its status; requests that were never answered are 0. */
  readonly answers: () => readonly number[];
  /** The headers of every request so far. */
  readonly requests: () => readonly IncomingMessage["headers"][];
  /** How many connections are open. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Starts one on a port of its own, with nothing published (404). */
export async function startBundleServer(options: BundleServerOptions = {}): Promise<BundleServer> {
  const { path = "/policies/bundle.mjs", authority = makeAuthority(), credentials } = options;
  let bytes: Uint8Array | undefined;
  let fault: Fault = { kind: "none" };
  const answers: number[] = [];
  const requests: IncomingMessage["headers"][] = [];
  const timers = new Set<NodeJS.Timeout>();
  const expected =
    credentials === undefined
      ? undefined
      : "token" in credentials
        ? `Bearer ${credentials.token}`
        : `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;

  const answer = (response: ServerResponse, status: number, body: Uint8Array | string = "", headers: Record<string, string> = {}): void => {
    answers.push(status);
    response.writeHead(status, headers).end(body);
  };
  const serve = (request: IncomingMessage, response: ServerResponse, body: Uint8Array, headers: Record<string, string> = {}): void => {
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    if (options.withoutEtag !== true && request.headers["if-none-match"] === etag) return answer(response, 304, "", { etag });
    answer(response, 200, body, {
      "content-type": "text/javascript",
      "content-length": String(body.length),
      ...(options.withoutEtag === true ? {} : { etag }),
      ...headers,
    });
  };
  const listener: RequestListener = (request, response) => {
    requests.push(request.headers);
    if (expected !== undefined && request.headers.authorization !== expected)
      return answer(response, 401, "who are you?", { "www-authenticate": "Basic" });
    const whole = bytes ?? Buffer.from("");
    switch (fault.kind) {
      case "hang":
        return void answers.push(0);
      case "drop":
        answers.push(0);
        return void request.socket.destroy();
      case "stall":
      case "cut": {
        answers.push(200);
        response.writeHead(200, { "content-length": String(whole.length) });
        const { kind } = fault;
        return void response.write(whole.subarray(0, whole.length / 2), () => void (kind === "cut" && request.socket.destroy()));
      }
      case "drip": {
        answers.push(200);
        response.writeHead(200, { "content-length": String(whole.length) });
        let at = 0;
        const timer = setInterval(() => response.write(whole.subarray(at, ++at)), fault.milliseconds);
        timers.add(timer);
        return void response.on("close", () => clearInterval(timer));
      }
      case "endless": {
        const { status = 200 } = fault;
        answers.push(status);
        response.writeHead(status, { "content-type": "text/javascript" });
        const chunk = Buffer.alloc(1024 * 1024, 0x20);
        const more = (error?: Error | null): void => void (error || response.destroyed || response.write(chunk, more));
        return more();
      }
      case "status":
        return answer(response, fault.status, `<html><body>${fault.status}</body></html>`, { "content-type": "text/html" });
      case "redirect":
        return request.url === path ? answer(response, 302, "", { location: fault.to }) : serve(request, response, whole);
      case "switch":
        answers.push(101);
        return void request.socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      case "not modified":
        return answer(response, 304);
      case "body":
        return serve(request, response, fault.bytes, fault.headers);
      case "none":
        return bytes === undefined || request.url !== path ? answer(response, 404, "not found") : serve(request, response, bytes);
    }
  };

  const pair = options.plain === true ? undefined : authority.issue({ names: ["localhost", "127.0.0.1", "bundles.example"] });
  const server = pair === undefined ? createHttpServer(listener) : createServer({ cert: pair.certificate, key: pair.key }, listener);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const caCert = join(temporaryFolder({ "ca.pem": authority.certificate }), "ca.pem");
  return {
    url: `${pair === undefined ? "http" : "https"}://127.0.0.1:${port}${path}`,
    caCert,
    publish: (published) => void (bytes = published),
    setFault: (next) => void (fault = next),
    answers: () => answers,
    requests: () => requests,
    connections: () => sockets.size,
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A pair of keys in files of their own. */
export interface KeyFiles extends KeyPair {
  readonly publicKeyFile: string;
  readonly privateKeyFile: string;
}

/** Makes a pair of keys. */
export function makeKeys(): KeyFiles {
  const keys = generateKeys();
  const folder = temporaryFolder({ "key.pub": keys.publicKey });
  writeFileSync(join(folder, "key.pem"), keys.privateKey, { mode: 0o600 });
  return { ...keys, publicKeyFile: join(folder, "key.pub"), privateKeyFile: join(folder, "key.pem") };
}

/** Compiles files (path -> text; schemas below `_schemas/`) to a bundle, signed if there is a key to sign with. */
export function buildBundle(files: { readonly [path: string]: string }, keys?: Pick<KeyPair, "privateKey">): Uint8Array {
  const sources: Source[] = [];
  const schemas = new Map<string, string>();
  for (const [path, text] of Object.entries(files))
    if (isSchemaPath(path)) schemas.set(belowSchemas(path), text);
    else sources.push({ path, text, attributes: { driver: "disk", source: path } });
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const content = { bundle: compiled.bundle, schemas, policies: sources.length };
  return writeBundle(content, keys && createPrivateKey(keys.privateKey));
}
