/** The audit sink of a worker: entries are sent to the primary process, which alone writes them, rotates files and answers queries. */
import { openEntryQueue } from "../audit/entry-queue.ts";
import { blockBytes, openLineQueue } from "../audit/file/line-queue.ts";
import type { Batch, Destination } from "../audit/destination.ts";
import { openOutbox, type Outbox } from "../audit/outbox.ts";
import type { SinkConfig, SinkOptions } from "../audit/sink-options.ts";
import type { Entry, Sink } from "../audit/sink.ts";
import type { Channel } from "./channel.ts";
import type { PrimaryRequests } from "./messages.ts";

/** How many milliseconds entries wait for others: a message with one entry costs as much as one with a hundred. */
const delayMilliseconds = 5;

/** A sink that can be flushed. */
export interface RelayedSink extends Sink {
  /** Resolves when the primary has all entries that wait now. */
  readonly flush: () => Promise<void>;
}

type Primary = Pick<Channel<PrimaryRequests>, "ask">;

/** Opens the sink; whether it supports queries depends on the configured backend. */
export function openRelayedSink(config: SinkConfig, options: SinkOptions, primary: Primary): RelayedSink {
  const outbox = config["audit.backend"] === "file" ? lineOutbox(options, primary) : entryOutbox(options, primary);
  return {
    write: outbox.send,
    flush: outbox.flush,
    close: outbox.close,
    ...(config["audit.backend"] === "local" && {
      query: async function* (query) {
        const list = await primary.ask("find entries", query);
        try {
          for (;;) {
            const texts = await primary.ask("next entries", list);
            if (texts.length === 0) return;
            yield* texts;
          }
        } finally {
          await primary.ask("forget entries", list);
        }
      },
    }),
  };
}

const toPrimary = <Taken extends Batch>(record: (batch: Taken) => Promise<void>): Destination<Taken> => ({
  name: "the primary process",
  deliver: async (batch) => {
    await record(batch);
    return { delivered: batch.kinds.length };
  },
  close: async () => undefined,
});

const enough = { delayMilliseconds, enoughEntries: Number.POSITIVE_INFINITY, enoughSize: 2 ** 18 };

/** For sinks that store lines, entries are sent as bytes: strings would be encoded and decoded again. */
const lineOutbox = (options: SinkOptions, primary: Primary): Outbox<Entry> =>
  openOutbox(
    openLineQueue([Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)]),
    toPrimary((block) => primary.ask("record lines", { bytes: block.lines(), kinds: block.kinds })),
    { ...options, ...enough },
  );

const entryOutbox = (options: SinkOptions, primary: Primary): Outbox<Entry> =>
  openOutbox(
    openEntryQueue(),
    toPrimary(({ entries }) => primary.ask("record", entries)),
    { ...options, ...enough },
  );
