/** The service with both of its transports in one process, and their orderly stop: health first, then requests under way, then the rest. */
import type { Admin } from "../../admin/admin.ts";
import type { Config } from "../../config/settings.ts";
import type { Engine } from "../../engine.ts";
import { openCallLog } from "../../observe/call-log.ts";
import type { CallObserver } from "../../observe/events.ts";
import type { Log } from "../../observe/log.ts";
import { listenersOf, type Addresses } from "./addresses.ts";
import { collectYoungAlone } from "../../process/steady-heap.ts";
import type { Closing } from "./closing.ts";
import { openGrpc } from "../grpc/grpc.ts";
import { readDescriptions } from "../grpc/read-descriptions.ts";
import { openHealth } from "../health.ts";
import { openHttp, type HttpOptions } from "../http/http.ts";
import { openService } from "../service.ts";
import type { Sharing } from "../connections/stop-listening.ts";
import type { Tls } from "../connections/tls.ts";
import { openUnread } from "../unread.ts";

/** The faces. */
export interface Faces {
  /** Listens at both addresses. `takesTurns`: with other processes, for whom somebody has made room. */
  readonly listen: (takesTurns?: boolean) => Promise<Addresses>;
  /** Health says SERVING. */
  readonly serve: () => void;
  /** Takes nobody new, where others listen too; health says so before. */
  readonly stopListening: (sharing: Sharing) => Promise<void>;
  /** Takes nobody new, and finishes what has begun, within `server.shutdownTimeout`. */
  readonly drain: () => Promise<void>;
}

/** What they stand on. */
export interface FacesOptions {
  readonly engine: Pick<Engine, "check" | "checkMessage">;
  readonly admin: Admin;
  readonly metrics: HttpOptions["metrics"];
  /** Told of every call, after the log. */
  readonly observers: readonly CallObserver[];
  readonly last?: CallObserver;
  readonly traceId: (callId: string) => string | undefined;
  readonly tls?: Tls;
  readonly log: Log;
}

/** Opens them; nobody listens yet. */
export async function openFaces(config: Config, options: FacesOptions, closing: Closing): Promise<Faces> {
  const { engine, admin, metrics, observers, last, traceId, tls, log } = options;
  const health = openHealth({ admin: config["server.adminAPI.enabled"] });
  const callLog = openCallLog({ log, payloads: config["server.logRequestPayloads"], traceId });
  const service = openService({ engine, admin, observers: [callLog, ...observers, ...(last === undefined ? [] : [last])], log });
  const unread = openUnread();
  const secured = tls === undefined ? {} : { tls };
  const grpc = openGrpc(config, { service, health, unread, ...secured });
  closing.add(() => grpc.close(0));
  const http = await openHttp(config, { service, health, metrics, grpc, unread, log, ...secured });
  closing.add(() => http.close(0));
  const listeners = listenersOf(config);
  return {
    listen: async (takesTurns = false) => {
      const grpcAddress = await grpc.listen({ ...listeners.grpc, takesTurns });
      return { grpc: grpcAddress, http: await http.listen({ ...listeners.http, takesTurns }) };
    },
    serve: () => {
      collectYoungAlone();
      health.set("SERVING");
      closing.add(readDescriptions());
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
