/** The gRPC face of the service; methods that are not served answer UNIMPLEMENTED. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  logVerbosity,
  Metadata,
  Server,
  ServerCredentials,
  setLogVerbosity,
  type handleUnaryCall,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import { AuthzService } from "../../proto/gen/authz/svc/v1/svc_pb.js";
import {
  Health as HealthService,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
  HealthCheckResponseSchema,
} from "../../proto/gen/grpc/health/v1/health_pb.js";
import { printAddress, type Address } from "../config/address.ts";
import { messageOf } from "../refusal.ts";
import { version } from "../version.ts";
import { bytesService, replyBytes, requestText, statusOf } from "./grpc-codec.ts";
import type { Health } from "./health.ts";
import { bodyLimit } from "./http.ts";
import { cannotListen, removeStaleSocket, type Listener } from "./listen.ts";
import { failure, type Reply } from "./reply.ts";
import type { Call, Service } from "./service.ts";

/** The gRPC server, ready to listen. */
export interface GrpcFace {
  /** Listens and returns the address in use. */
  readonly listen: (listener: Listener) => Promise<Address>;
  /** Ends what would never end by itself, waits for calls that have begun, and cuts off what is left when the time is up. */
  readonly close: (milliseconds: number) => Promise<void>;
}

/** What is served. */
export interface GrpcOptions {
  readonly service: Service;
  readonly health: Health;
}

type Watch = ServerWritableStream<Buffer, Buffer>;

/** Opens the methods; the server does not listen yet. */
export function openGrpc({ service, health }: GrpcOptions): GrpcFace {
  setLogVerbosity(logVerbosity.NONE); // it would write its own words to standard error; what matters comes back as errors
  const server = new Server({ "grpc.max_receive_message_length": bodyLimit });
  const watches = new Set<Watch>();

  const unary =
    (
      method: (typeof AuthzService)["methods"][number],
      answer: (text: string, call: Call) => Reply | Promise<Reply>,
    ): handleUnaryCall<Buffer, Buffer> =>
    (call, callback) => {
      const asked = requestText(method.input, call.request);
      if ("refused" in asked) return callback(statusOf(asked.refused));
      const send = (reply: Reply): void => {
        if (call.cancelled) return; // the caller went away while we waited for another machine
        const metadata = new Metadata();
        metadata.set("authz-version", version);
        call.sendMetadata(metadata);
        finish(reply, (text) => replyBytes(method.output, text), callback);
      };
      const reply = answer(asked.text, { transport: "grpc", peer: call.getPeer() });
      if (reply instanceof Promise) void reply.then(send);
      else send(reply);
    };
  server.addService(bytesService(AuthzService), {
    CheckResources: unary(AuthzService.method.checkResources, service.checkResources),
    ServerInfo: unary(AuthzService.method.serverInfo, (_text, call) => service.serverInfo(call)),
  });

  server.addService(bytesService(HealthService), {
    Check: (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
      const name = serviceName(call.request);
      if (name === undefined) return callback(statusOf(failure("INTERNAL", "the request is not a HealthCheckRequest")));
      const status = health.status(name);
      if (status === undefined) return callback(statusOf(failure("NOT_FOUND", `unknown service \`${name}\``)));
      callback(null, healthBytes(Serving[status]));
    },
    Watch: (call: Watch) => {
      const name = serviceName(call.request);
      if (name === undefined) return void call.emit("error", statusOf(failure("INTERNAL", "the request is not a HealthCheckRequest")));
      const tell = (): void => void call.write(healthBytes(Serving[health.status(name) ?? "SERVICE_UNKNOWN"]));
      const stop = health.watch(tell);
      watches.add(call);
      call.on("close", () => {
        stop();
        watches.delete(call);
      });
      call.on("cancelled", () => call.end());
      tell();
    },
  });

  return {
    listen: async (listener) => {
      const { address } = listener;
      if (address.kind === "unix") {
        await removeStaleSocket(address.path, listener);
        await bind(server, printAddress(address), listener);
        return address;
      }
      if (address.host !== "") return { ...address, port: await bind(server, printAddress(address), listener) };
      // Every interface: of both families where the machine has both.
      const port = await bind(server, `[::]:${address.port}`, listener).catch((error: unknown) => {
        if (error instanceof Error && error.cause === "EAFNOSUPPORT") return bind(server, `0.0.0.0:${address.port}`, listener);
        throw error;
      });
      return { ...address, port };
    },
    close: async (milliseconds) => {
      for (const watch of watches) watch.end();
      const late = setTimeout(() => server.forceShutdown(), milliseconds);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(late);
    },
  };
}

function finish(reply: Reply, encode: (text: string) => Buffer, callback: sendUnaryData<Buffer>): void {
  if (reply.code !== 0) return callback(statusOf(reply));
  let bytes: Buffer;
  try {
    bytes = encode(reply.text);
  } catch (error) {
    return callback(statusOf(failure("INTERNAL", `the reply cannot be encoded: ${messageOf(error)}`)));
  }
  callback(null, bytes);
}

function bind(server: Server, target: string, listener: Listener): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) return resolve(port);
      const code = /\bE[A-Z_]{3,}\b/.exec(error.message)?.[0] ?? error.message;
      reject(Object.assign(cannotListen(listener, code), { cause: code }));
    });
  });
}

function serviceName(bytes: Buffer): string | undefined {
  try {
    return fromBinary(HealthCheckRequestSchema, bytes).service;
  } catch {
    return undefined;
  }
}

function healthBytes(status: Serving): Buffer {
  return Buffer.from(toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status })));
}
