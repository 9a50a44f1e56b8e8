/** The service with both transports in one process, and their graceful shutdown: health first, then requests in progress, then the rest. */
import type { Admin } from "../../admin/admin.ts";
import type { Config } from "../../config/settings.ts";
import type { Engine } from "../../engine.ts";
import { openCallLog } from "../../observe/call-log.ts";
import type { CallObserver } from "../../observe/events.ts";
import { logOf, type Log } from "../../observe/log.ts";
import { listenersOf, type Addresses } from "./addresses.ts";
import { disableParallelScavenging } from "../../process/garbage-collection.ts";
import { keepTickObject } from "../../process/tick-objects.ts";
import type { Closing } from "./closing.ts";
import { openGrpc } from "../grpc/grpc.ts";
import { preloadDescriptors } from "../grpc/preload-descriptors.ts";
import { openHealth } from "../health.ts";
import { openHttp, type HttpOptions } from "../http/http.ts";
import { openService } from "../service.ts";
import type { SharedAddress } from "../connections/stop-listening.ts";
import type { Tls } from "../connections/tls.ts";
import { openUnreadResponses } from "../unread-responses.ts";

/** The transports. */
export interface Transports {
  /** Listens at both addresses. `isShared`: other processes listen there too, and `removeStaleSocket` has been called for all. */
  readonly listen: (isShared?: boolean) => Promise<Addresses>;
  /** Sets health to SERVING. */
  readonly serve: () => void;
  /** Sets health to NOT_SERVING and stops accepting connections, where other processes listen too. */
  readonly stopListening: (sharing: SharedAddress) => Promise<void>;
  /** Stops accepting connections, and finishes requests in progress, within `server.shutdownTimeout`. */
  readonly drain: () => Promise<void>;
}

/** What they depend on. */
export interface TransportsOptions {
  readonly engine: Pick<Engine, "check" | "checkMessage">;
  readonly admin: Admin;
  readonly metrics: HttpOptions["metrics"];
  /** Informed of every call, after the log. */
  readonly observers: readonly CallObserver[];
  readonly last?: CallObserver;
  readonly traceId: (callId: string) => string | undefined;
  readonly tls?: Tls;
  readonly log: Log;
}

/** Opens them; they do not listen yet. */
export async function openTransports(config: Config, options: TransportsOptions, closing: Closing): Promise<Transports> {
  const { engine, admin, metrics, observers, last, traceId, tls, log } = options;
  const health = openHealth({ admin: config["server.adminAPI.enabled"] });
  const callLog = openCallLog({ log, payloads: config["server.logRequestPayloads"], traceId });
  const service = openService({ engine, admin, observers: [callLog, ...observers, ...(last === undefined ? [] : [last])], log });
  const unread = openUnreadResponses();
  const secured = tls === undefined ? {} : { tls };
  const grpc = openGrpc(config, { service, health, unread, log: logOf(log, "authz.grpc"), ...secured });
  closing.add(() => grpc.close(0));
  const http = await openHttp(config, { service, health, metrics, grpc, unread, log, ...secured });
  closing.add(() => http.close(0));
  const listeners = listenersOf(config);
  return {
    listen: async (isShared = false) => {
      const grpcAddress = await grpc.listen({ ...listeners.grpc, isShared });
      return { grpc: grpcAddress, http: await http.listen({ ...listeners.http, isShared }) };
    },
    serve: () => {
      disableParallelScavenging();
      keepTickObject();
      health.set("SERVING");
      closing.add(preloadDescriptors());
    },
    stopListening: async (sharing) => {
      health.set("NOT_SERVING");
      const within = config["server.shutdownTimeout"];
      await Promise.all([http.stopListening(within, sharing), grpc.stopListening(within, sharing)]);
    },
    drain: async () => {
      const within = config["server.shutdownTimeout"];
      health.set("NOT_SERVING");
      await Promise.all([http.close(within), grpc.close(within)]);
    },
  };
}
