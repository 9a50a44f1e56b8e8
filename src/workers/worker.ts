/** A worker process: it shares the listening addresses, decides by the policy sets that the primary sends, and ends with the primary. */
import { credentialsIn, type CheckCredentials } from "../admin/credentials.ts";
import { printExposition } from "../observe/exposition.ts";
import { metricTable } from "../observe/metric-table.ts";
import { logOf, openLog } from "../observe/log.ts";
import { openDependencies } from "../server/start/dependencies.ts";
import { openClosing } from "../server/start/closing.ts";
import { openUncaughtErrors } from "../process/uncaught-errors.ts";
import { openChannel, type Channel, type Handlers } from "./channel.ts";
import { listening, type PrimaryRequests, type WorkerRequests, type WorkerStart } from "./messages.ts";
import { openRelayedSink, type RelayedSink } from "./relayed-sink.ts";

type Primary = Pick<Channel<PrimaryRequests>, "ask">;
/** The requests that are valid once a worker has begun. */
type Begun = Omit<Handlers<WorkerRequests>, "begin" | "pulse">;

/** How many milliseconds are waited for the last log lines to be read. */
const flushMilliseconds = 1000;

/** Waits for requests; resolves to an exit code when it cannot go on. If the primary is gone, Node ends the process. */
export function runWorker(): Promise<number> {
  // A terminal or a service manager may signal every process of the server; only the primary acts on that.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  return new Promise((end) => {
    let begun: Promise<Begun> | undefined;
    const ready = (): Promise<Begun> => begun ?? Promise.reject(new Error("a worker is asked to begin first"));
    const channel = openChannel<PrimaryRequests, WorkerRequests>({
      send: (message) => void process.send?.(message, undefined, {}, () => undefined),
      refused: () => undefined, // the primary sends nothing else
      handlers: {
        begin: async (beginning) => {
          begun = begin(beginning, channel, end);
          await begun;
        },
        set: async (set) => (await ready()).set(set),
        change: async (change) => (await ready()).change(change),
        listen: async () => (await ready()).listen(undefined),
        serve: async () => (await ready()).serve(undefined),
        level: async (level) => (await ready()).level(level),
        readings: async () => (await ready()).readings(undefined),
        "hand over": async () => (await ready())["hand over"](undefined),
        "stop listening": async (othersContinue) => (await ready())["stop listening"](othersContinue),
        stop: async () => (await ready()).stop(undefined),
        pulse: () => undefined,
      },
    });
    process.on("message", channel.receive);
    process.send?.(listening);
  });
}

/** How many milliseconds log lines wait for others: for the primary, which writes them, many at once cost hardly more than one. */
const gatherMilliseconds = 5;

async function begin(
  { number, config, environment, level, isQuiet, keyPair }: WorkerStart,
  primary: Primary,
  end: (code: number) => void,
): Promise<Begun> {
  let wanted = level;
  const open = openLog({
    level: isQuiet ? "error" : level,
    terminal: false,
    errorTerminal: false,
    colour: false,
    gathers: gatherMilliseconds,
  });
  const log = open.log.child({ "authz.worker": number });
  const uncaught = openUncaughtErrors(logOf(log, "authz.server"));
  void uncaught.happened.then(() => open.flush(flushMilliseconds)).then(() => end(1));

  const closing = openClosing();
  let sink: RelayedSink | undefined;
  const { engine, metrics, openTransports } = await openDependencies(
    config,
    {
      log,
      environment,
      exportIsKnown: true,
      ...(keyPair !== undefined && { keyPair }),
      openSink: async (...given) => (sink = openRelayedSink(...given, primary)),
    },
    closing,
  );
  const transports = await openTransports({
    // The primary's `Live` guarantees that the answer matches the command.
    live: { ask: (command) => primary.ask("command", command) as never },
    checkCredentials: checkOf(primary),
    metricsText: async () => printExposition(await primary.ask("readings", undefined)),
  });
  let isServing = false;
  /** Whether the last request has been answered. */
  let isDrained = false;
  // A worker that decides nothing more needs no set: it must not be replaced for that, while its last entries and traces are sent.
  const unlessDrained = (loading: Promise<void>): Promise<void> =>
    loading.catch((error: unknown) => {
      if (!isDrained) throw error;
    });
  return {
    set: ({ text, schemas }) => unlessDrained(engine.load(text, schemas)),
    change: ({ text, schemas }) => unlessDrained(engine.change(text, schemas)),
    listen: () => transports.listen(true),
    serve: () => {
      isServing = true;
      open.setLevel(wanted);
      transports.serve();
    },
    level: (next) => {
      wanted = next;
      open.setLevel(next);
    },
    readings: async () => {
      const readings = await metrics.collect();
      return isServing ? readings : readings.filter(({ name }) => name !== metricTable.workers.name); // it answers no requests yet
    },
    "hand over": () => sink?.flush(),
    "stop listening": (othersContinue) => transports.stopListening({ othersContinue, polled: () => primary.ask("look", undefined) }),
    stop: async () => {
      await transports.drain();
      isDrained = true;
      await closing.closeAll();
      const last = await metrics.collect();
      await open.flush(flushMilliseconds);
      return last;
    },
  };
}

/** Administrators are checked by the primary, which counts failed logins. */
function checkOf(primary: Primary): CheckCredentials {
  return ({ peer, headers }) => primary.ask("credentials", { peer, authorization: credentialsIn(headers) });
}
