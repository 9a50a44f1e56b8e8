/** The listening addresses of a server. */
import { printAddress, type Address } from "../../config/address.ts";
import type { Config } from "../../config/settings.ts";
import type { Log } from "../../observe/log.ts";
import type { Listener } from "../connections/listen.ts";

/** The addresses in use. */
export interface Addresses {
  readonly http: Address;
  readonly grpc: Address;
}

/** Reads the configured addresses. */
export function listenersOf(config: Config): { readonly http: Listener; readonly grpc: Listener } {
  const fileMode = config["server.udsFileMode"];
  return {
    http: { name: "HTTP", setting: "server.httpListenAddr", address: config["server.httpListenAddr"], fileMode },
    grpc: { name: "gRPC", setting: "server.grpcListenAddr", address: config["server.grpcListenAddr"], fileMode },
  };
}

/** Logs the addresses. */
export function logAddresses({ grpc, http }: Addresses, log: Log): void {
  log.info(`gRPC is served at ${printAddress(grpc)}`);
  log.info(`HTTP is served at ${printAddress(http)}`);
}
