/** Starts a server in this process, everything in order, and stops it again. */
import type { Environment } from "../../config/environment.ts";
import type { Config } from "../../config/settings.ts";
import { compileThreadData } from "../../compile/compile-thread-data.ts";
import { openLive } from "../../live.ts";
import { logOf, type Log } from "../../observe/log.ts";
import { logAddresses, type Addresses } from "./addresses.ts";
import { openDependencies } from "./dependencies.ts";
import { openClosing } from "./closing.ts";

/** A server that listens. */
export interface RunningServer extends Addresses {
  /** Finishes requests in progress, within `server.shutdownTimeout`. */
  readonly stop: () => Promise<void>;
  /** Rejects with a refusal when the server cannot go on; absent where there is only this process. */
  readonly failed?: Promise<never>;
}

/**
 * Starts a server in this process, whatever `server.workers` says; rejects with a refusal when the configuration cannot be used on this
 * machine.
 */
export async function startServer(config: Config, parentLog: Log, environment: Environment = {}): Promise<RunningServer> {
  const log = logOf(parentLog, "authz.server");
  const closing = openClosing();
  try {
    const { engine, observeStore, openTransports } = await openDependencies(config, { log: parentLog, environment }, closing);
    const opening = openLive({ ...compileThreadData(config), engine, log: logOf(parentLog, "authz.policies"), observe: observeStore });
    // The transports are loaded while the compile thread reads and compiles.
    const [live] = await Promise.all([opening, import("./transports.ts")]);
    closing.add(live.close);
    const transports = await openTransports({ live });
    const addresses = await transports.listen();
    logAddresses(addresses, log);
    transports.serve();
    return {
      ...addresses,
      stop: async () => {
        log.info("shutting down");
        await transports.drain();
        await closing.closeAll();
        log.info("shutdown complete");
      },
    };
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}
