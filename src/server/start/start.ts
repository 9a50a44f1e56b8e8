/** Brings a server up in this one process, everything in order, and takes it down again. */
import type { Environment } from "../../config/environment.ts";
import type { Config } from "../../config/settings.ts";
import { compileWorkOf } from "../../compile/compile-work.ts";
import { openLive } from "../../live.ts";
import { logOf, type Log } from "../../observe/log.ts";
import { sayAddresses, type Addresses } from "./addresses.ts";
import { openAnswering } from "./answering.ts";
import { openClosing } from "./closing.ts";

/** A server that listens. */
export interface RunningServer extends Addresses {
  /** Finishes what has begun, within `server.shutdownTimeout`. */
  readonly stop: () => Promise<void>;
  /** Rejects, with a refusal, when it cannot go on; absent where there is nothing but this process. */
  readonly failed?: Promise<never>;
}

/** Starts a server, whatever `server.workers` says; rejects with a refusal when the configuration cannot be followed on this machine. */
export async function startServer(config: Config, parentLog: Log, environment: Environment = {}): Promise<RunningServer> {
  const log = logOf(parentLog, "authz.server");
  const closing = openClosing();
  try {
    const { engine, observeStore, openFaces } = await openAnswering(config, { log: parentLog, environment }, closing);
    const opening = openLive({ ...compileWorkOf(config), engine, log: logOf(parentLog, "authz.policies"), observe: observeStore });
    // What serves is loaded while another thread reads and compiles.
    const [live] = await Promise.all([opening, import("./faces.ts")]);
    closing.add(live.close);
    const faces = await openFaces({ live });
    const addresses = await faces.listen();
    sayAddresses(addresses, log);
    faces.serve();
    return {
      ...addresses,
      stop: async () => {
        log.info("shutting down");
        await faces.drain();
        await closing.closeAll();
        log.info("shutdown complete");
      },
    };
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}
