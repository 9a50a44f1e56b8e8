/** Brings a server up, everything in order, and takes it down again: health first, then what has begun, then the rest. */
import { printAddress, type Address } from "../config/address.ts";
import type { Config } from "../config/settings.ts";
import { openEngine } from "../engine.ts";
import { openLive } from "../live.ts";
import { logOf, type Log } from "../observe/log.ts";
import { openGrpc } from "./grpc.ts";
import { openHealth } from "./health.ts";
import { openHttp } from "./http.ts";
import { listen } from "./listen.ts";
import { openService } from "./service.ts";

/** A server that listens. */
export interface RunningServer {
  readonly http: Address;
  readonly grpc: Address;
  /** Finishes what has begun, within `server.shutdownTimeout`. */
  readonly stop: () => Promise<void>;
}

/** Starts a server; rejects with a refusal when the configuration cannot be followed on this machine. */
export async function startServer(config: Config, parentLog: Log): Promise<RunningServer> {
  const log = logOf(parentLog, "authz.server");
  const engine = openEngine(config, { log: logOf(parentLog, "authz.engine") });
  const live = await openLive({
    storage: storageOf(config),
    engine,
    log: logOf(parentLog, "authz.policies"),
    ...(config["schema.enforcement"] !== "none" && {
      schemas: { allowRefs: config["schema.allowRefs"], allowedHosts: config["schema.allowedHosts"] },
    }),
  }).catch((error: unknown) => {
    engine.close();
    throw error;
  });
  const health = openHealth();
  const service = openService({ engine, log: parentLog, logPayloads: config["server.logRequestPayloads"] });
  const [http, grpc] = [await openHttp({ service, health, log: parentLog }), openGrpc({ service, health })];

  const stop = async (): Promise<void> => {
    const within = config["server.shutdownTimeout"];
    log.info("shutting down");
    health.set("NOT_SERVING");
    http.drain();
    await Promise.all([http.close(within), grpc.close(within), live.close()]);
    engine.close();
    log.info("shutdown complete");
  };

  try {
    const grpcAddress = await grpc.listen({ name: "gRPC", setting: "server.grpcListenAddr", address: config["server.grpcListenAddr"] });
    log.info(`gRPC is served at ${printAddress(grpcAddress)}`);
    const httpAddress = await listen(http.server, {
      name: "HTTP",
      setting: "server.httpListenAddr",
      address: config["server.httpListenAddr"],
    });
    log.info(`HTTP is served at ${printAddress(httpAddress)}`);
    health.set("SERVING");
    return { http: httpAddress, grpc: grpcAddress, stop };
  } catch (error) {
    await Promise.all([grpc.close(0), live.close()]);
    engine.close();
    throw error;
  }
}

function storageOf(config: Config): Parameters<typeof openLive>[0]["storage"] {
  return {
    "storage.driver": config["storage.driver"],
    "storage.disk.directory": config["storage.disk.directory"],
    "storage.disk.watchForChanges": config["storage.disk.watchForChanges"],
  };
}
