/** The primary process of a server with workers: it answers no call itself, and owns everything that exists once. */
import { setTimeout as sleep } from "node:timers/promises";
import { invariant } from "../../runtime/cel/error.ts";
import { openCredentialCheck } from "../admin/admin.ts";
import { closeMilliseconds, isRecording } from "../audit/audit-log.ts";
import type { Sink } from "../audit/sink.ts";
import { openSink } from "../audit/sinks.ts";
import { compileThreadData } from "../compile/compile-thread-data.ts";
import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/settings.ts";
import { openLive, type Live } from "../live.ts";
import type { SetReceiver } from "../activation.ts";
import { openDebugLog } from "../observe/debug-log.ts";
import { logOf, type OpenLog } from "../observe/log.ts";
import { openMetrics } from "../observe/metrics.ts";
import { openTelemetry } from "../observe/telemetry/index.ts";
import { listenersOf, logAddresses } from "../server/start/addresses.ts";
import type { Call } from "../server/calls/call.ts";
import { openClosing, type Closing } from "../server/start/closing.ts";
import { removeStaleSocket } from "../server/connections/listen.ts";
import { openTls, refuseSharedPipes } from "../server/connections/tls.ts";
import type { RunningServer } from "../server/start/start.ts";
import { watches } from "../store/index.ts";
import type { Handlers } from "./channel.ts";
import { openWorkerPool } from "./worker-pool.ts";
import { openEntryLists, type EntryLists } from "./entry-lists.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";
import type { PrimaryRequests } from "./messages.ts";
import { stopWorkers } from "./stop-workers.ts";
import { openMergedMetrics } from "./merged-metrics.ts";

/** The options of the server. */
export interface WorkersOptions {
  /** How many workers. */
  readonly count: number;
  readonly open: Pick<OpenLog, "log" | "level" | "watchLevel" | "relay">;
  readonly environment: Environment;
}

/** Starts a server of several processes; rejects with a refusal when the configuration cannot be used on this machine. */
export async function startWorkers(config: Config, { count, open, environment }: WorkersOptions): Promise<RunningServer> {
  const log = logOf(open.log, "authz.server");
  const closing = openClosing();
  let live: Live | undefined;
  try {
    refuseSharedPipes(config);
    const tls = openTls(config, unheard);
    if (tls !== undefined) closing.add(tls.close);
    const own = openMetrics(config, false);
    const merged = openMergedMetrics(own, () => pool.workers());
    const telemetry = await openTelemetry(environment, { metrics: merged, log: logOf(open.log, "authz.otel") });
    closing.add(() => telemetry.close(5000));
    const sink = await openOneSink(config, open, own.auditFailed, closing);
    for (const listener of Object.values(listenersOf(config))) await removeStaleSocket(listener);

    const handlersWith = openHandlers(config, { sink, live: () => live, workers: () => pool.workers(), readings: merged.collect, open });
    const pool = openWorkerPool({
      count,
      start: (number) => {
        const lists = openEntryLists(sink?.query);
        const worker = startWorker({
          number,
          handlers: handlersWith(lists),
          relay: open.relay,
          refused: () => log.error(`worker ${number} sent a message that is not understood: it is ignored`),
        });
        void worker.exited.then(lists.close);
        return worker;
      },
      beginning: (number) => ({
        number,
        config,
        environment,
        level: open.level(),
        isQuiet: number > 1,
        ...(tls !== undefined && { keyPair: tls.current() }),
      }),
      requestWholeSet: () => receiver.requestWholeSet(),
      lost: own.workerLost,
      ended: merged.ended,
      log,
    });
    closing.add(async () => {
      pool.stopReplacing();
      for (const worker of pool.workers()) worker.kill();
      await Promise.all(pool.workers().map(({ exited }) => exited));
    });
    open.watchLevel((level) => pool.workers().forEach((worker) => void worker.ask("level", level).catch(() => undefined)));

    const work = compileThreadData(config);
    const receiver = rememberingReceiver(pool.receiver, {
      remembers: !watches(work.storage) && work.administered === undefined,
      postWholeSet: () => live?.postWholeSet(),
    });
    const debugLog = openDebugLog(open.log);
    const opening = openLive({
      ...work,
      engine: receiver,
      log: logOf(open.log, "authz.policies"),
      observe: (event) => {
        own.store(event);
        debugLog.store(event);
        telemetry.store?.(event);
      },
    });
    closing.add(() => void opening.then(({ close }) => close()).catch(() => undefined));
    const begun = pool.startAll();
    live = (await Promise.all([opening, begun]))[0];
    const addresses = await pool.serve();
    logAddresses(addresses, log);
    log.info({ "authz.workers": count }, `${count} workers serve`);
    return {
      ...addresses,
      failed: pool.failed,
      stop: async () => {
        log.info("shutting down");
        pool.stopReplacing();
        await stopWorkers(pool.workers(), { within: config["server.shutdownTimeout"], ended: merged.ended, log });
        await closing.closeAll();
        log.info("shutdown complete");
      },
    };
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
}

/**
 * Opens the server's only audit sink: one process writes the entries of all, so that lines stay complete and files are rotated once
 * (D16).
 */
async function openOneSink(
  config: Config,
  open: WorkersOptions["open"],
  failed: (kind: "access" | "decision") => void,
  closing: Closing,
): Promise<Sink | undefined> {
  if (!isRecording(config)) return undefined;
  const sink = await openSink(config, { log: logOf(open.log, "authz.audit"), failed });
  closing.add(() => sink.close(closeMilliseconds));
  return sink;
}

/** If the compile thread ends after the first set, keeps that set for workers that are started later. */
function rememberingReceiver(
  receiver: SetReceiver,
  { remembers, postWholeSet }: { readonly remembers: boolean; readonly postWholeSet: () => void },
): SetReceiver & { readonly requestWholeSet: () => void } {
  let only: Parameters<SetReceiver["load"]> | undefined;
  return {
    load: (...set) => {
      if (remembers) only = set;
      return receiver.load(...set);
    },
    change: receiver.change,
    requestWholeSet: () => (only === undefined ? postWholeSet() : void receiver.load(...only)?.catch(() => undefined)), // a worker that cannot load it is reported
  };
}

/** What is to be said of TLS files, the workers say. */
const unheard = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Asked {
  readonly sink: Sink | undefined;
  readonly live: () => Live | undefined;
  readonly workers: () => readonly WorkerProcess[];
  readonly readings: Handlers<PrimaryRequests>["readings"];
  readonly open: WorkersOptions["open"];
}

/** How many milliseconds a query waits for the entries of workers: one that is stuck must not delay it. */
const handOverMilliseconds = 1000;

/** Opens the handlers of workers' requests; each worker has lists of audit entries of its own. Workers send none before they listen. */
function openHandlers(config: Config, { sink, live, workers, readings, open }: Asked): (lists: EntryLists) => Handlers<PrimaryRequests> {
  const asking: Pick<Live, "ask"> = {
    ask: (command) => live()?.ask(command) ?? Promise.reject(new Error("nothing is asked before there are policies")),
  };
  const check = config["server.adminAPI.enabled"]
    ? openCredentialCheck(config, { live: asking, log: logOf(open.log, "authz.admin") })
    : undefined;
  return (lists) => ({
    command: asking.ask,
    credentials: ({ peer, authorization }) => {
      if (check === undefined) throw new Error("there are no administrators");
      return check({ peer, headers: headersWith(authorization) });
    },
    readings,
    look: () => new Promise((resolve) => void setImmediate(resolve)),
    record: (entries) => {
      for (const entry of entries) sink?.write(entry);
    },
    "record lines": (lines) => {
      invariant(sink?.writeLines !== undefined, "workers send lines where lines are kept");
      sink.writeLines(lines);
    },
    "find entries": async (query) => {
      const handedOver = workers().map((worker) => worker.ask("hand over", undefined).catch(() => undefined));
      await Promise.race([Promise.all(handedOver), sleep(handOverMilliseconds, undefined, { ref: false })]);
      return lists.begin(query);
    },
    "next entries": lists.next,
    "forget entries": lists.forget,
  });
}

const headersWith = (authorization: readonly string[]): Call["headers"] => ({
  get: (name) => (name === "authorization" ? authorization[0] : undefined),
  entries: () => [["authorization", authorization]],
});
