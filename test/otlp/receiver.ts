/** A collector for tests: takes OTLP over gRPC or HTTP, with or without TLS, and keeps what it is sent. */
import { Server, ServerCredentials, status, type Metadata, type ServiceDefinition } from "@grpc/grpc-js";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { exports, type Metric, type Span } from "./received.ts";

export interface Receiver {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or with TLS `https://localhost:<port>`. */
  readonly endpoint: string;
  readonly spans: () => readonly Span[];
  readonly metrics: () => readonly Metric[];
  /** Headers or metadata of the exports, one object each, and the path that was asked for. */
  readonly asked: () => readonly { readonly [name: string]: string }[];
  /** From now on it answers nothing, refuses everything, is too busy, or is itself again. */
  readonly behave: (behaviour: ReceiverBehaviour) => void;
  readonly close: () => Promise<void>;
}

export type ReceiverBehaviour = "take" | "hang" | "refuse" | "busy";

export interface ReceiverOptions {
  readonly protocol: "grpc" | "http/protobuf";
  readonly tls?: {
    readonly certificate: string;
    readonly key: string;
    /** Clients must show a certificate of this authority. */
    readonly clientAuthority?: string;
  };
  /** 0: any. */
  readonly port?: number;
}

type Asked = { readonly [name: string]: string };

/** Opens a collector on a port of its own; close it. */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const spans: Span[] = [];
  const metrics: Metric[] = [];
  const asked: Asked[] = [];
  let behaviour: ReceiverBehaviour = "take";
  const take = (index: number, bytes: Buffer, about: Asked): ReceiverBehaviour => {
    asked.push(about);
    if (behaviour === "take") {
      const received = exports[index]?.read(bytes);
      spans.push(...(received?.spans ?? []));
      metrics.push(...(received?.metrics ?? []));
    }
    return behaviour;
  };
  const opened = await (options.protocol === "grpc" ? openGrpc(options, take) : openHttp(options, take));
  return {
    ...opened,
    endpoint: options.tls === undefined ? `http://127.0.0.1:${opened.port}` : `https://localhost:${opened.port}`,
    spans: () => spans,
    metrics: () => metrics,
    asked: () => asked,
    behave: (next) => void (behaviour = next),
  };
}

type Take = (index: number, bytes: Buffer, about: Asked) => ReceiverBehaviour;
type Listening = Pick<Receiver, "port" | "close">;

async function openGrpc({ tls, port = 0 }: ReceiverOptions, take: Take): Promise<Listening> {
  const server = new Server();
  for (const [index, { path, emptyReply }] of exports.entries()) {
    const same = (bytes: Buffer): Buffer => bytes;
    const service: ServiceDefinition = {
      Export: {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    };
    server.addService(service, {
      Export: (
        call: { readonly request: Buffer; readonly metadata: Metadata },
        done: (error: { code: number; details: string } | null, reply?: Buffer) => void,
      ) => {
        const about = Object.fromEntries(Object.entries(call.metadata.getMap()).map(([name, value]) => [name, String(value)]));
        const behaviour = take(index, call.request, { ...about, path });
        if (behaviour === "take") done(null, emptyReply());
        if (behaviour === "busy") done({ code: status.UNAVAILABLE, details: "you, with your secret token, come later" });
        if (behaviour === "refuse") done({ code: status.PERMISSION_DENIED, details: "you, with your secret token, may not" });
      },
    });
  }
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(
          tls.clientAuthority === undefined ? null : Buffer.from(tls.clientAuthority),
          [{ cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.key) }],
          tls.clientAuthority !== undefined,
        );
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
  return {
    port: bound,
    close: async () => server.forceShutdown(),
  };
}

async function openHttp({ tls, port = 0 }: ReceiverOptions, take: Take): Promise<Listening> {
  const answer: RequestListener = (request, response) => {
    void bodyOf(request).then((bytes): void => {
      const path = request.url ?? "";
      const index = exports.findIndex(({ route }) => path.endsWith(route));
      const found = exports[index];
      if (found === undefined || request.method !== "POST" || request.headers["content-type"] !== "application/x-protobuf")
        return void response.writeHead(404).end();
      const about = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const behaviour = take(index, request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes, { ...about, path });
      if (behaviour === "busy") response.writeHead(503, "you, with your secret token, come later").end();
      if (behaviour === "refuse") response.writeHead(403, "you, with your secret token, may not").end();
      if (behaviour === "take") response.writeHead(200, { "content-type": "application/x-protobuf" }).end(found.emptyReply());
    });
  };
  const server =
    tls === undefined
      ? createServer(answer)
      : createTlsServer(
          {
            cert: tls.certificate,
            key: tls.key,
            ...(tls.clientAuthority !== undefined && { ca: tls.clientAuthority, requestCert: true, rejectUnauthorized: true }),
          },
          answer,
        );
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  // A TCP server's address is an object.
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
