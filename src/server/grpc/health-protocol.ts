/** The standard gRPC health protocol (`grpc.health.v1`): reports the health that the server keeps. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { sendUnaryData, Server, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import {
  Health as HealthService,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
} from "../../../proto/gen/grpc/health/v1/health_pb.js";
import { bytesService, statusOf } from "./grpc-codec.ts";
import type { Health } from "../health.ts";
import { failure } from "../calls/reply.ts";

type Watch = ServerWritableStream<Buffer, Buffer>;

/** The health watches that are open. */
export interface HealthWatches {
  /** Ends every watch, because none ends by itself. A watch that is opened later gets the current status and is ended too. */
  readonly end: () => void;
}

/** Adds the health protocol to a server. */
export function addHealth(server: Server, health: Health): HealthWatches {
  const watches = new Set<Watch>();
  let isOver = false;
  server.addService(bytesService(HealthService), {
    Check: (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
      const name = serviceName(call.request);
      if (name === undefined) return callback(malformed());
      const status = health.status(name);
      if (status === undefined) return callback(statusOf(failure("NOT_FOUND", `unknown service \`${name}\``)));
      callback(null, healthBytes(Serving[status]));
    },
    List: (_call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
      const statuses = health
        .list()
        .map(([name, status]) => [name, create(HealthCheckResponseSchema, { status: Serving[status] })] as const);
      const response = create(HealthListResponseSchema, { statuses: Object.fromEntries(statuses) });
      callback(null, Buffer.from(toBinary(HealthListResponseSchema, response)));
    },
    Watch: (call: Watch) => {
      const name = serviceName(call.request);
      if (name === undefined) return void call.emit("error", malformed());
      const tell = (): void => void call.write(healthBytes(Serving[health.status(name) ?? "SERVICE_UNKNOWN"]));
      // A service that is unknown now stays unknown: the set of services is fixed at the start.
      const stop = health.status(name) === undefined ? () => {} : health.watch(tell);
      watches.add(call);
      call.on("close", () => {
        stop();
        watches.delete(call);
      });
      call.on("cancelled", () => call.end());
      tell();
      if (isOver) call.end();
    },
  });
  return {
    end: () => {
      isOver = true;
      for (const watch of watches) watch.end();
    },
  };
}

const malformed = () => statusOf(failure("INTERNAL", "the request is not a HealthCheckRequest"));

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
