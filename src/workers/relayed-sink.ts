/** The audit sink of a worker: entries go to the primary process, which alone writes them, rotates files and answers queries. */
import { openEntryQueue } from "../audit/entry-queue.ts";
import { blockBytes, openLineQueue } from "../audit/file/line-queue.ts";
import type { Batch, Destination } from "../audit/destination.ts";
import { openOutbox, type Outbox } from "../audit/outbox.ts";
import type { SinkConfig, SinkOptions } from "../audit/sink-options.ts";
import type { Entry, Sink } from "../audit/sink.ts";
import type { Channel } from "./channel.ts";
import type { AskedOfPrimary } from "./messages.ts";

/** Entries wait this long for others: a message costs the same for one and for a hundred. */
const delayMilliseconds = 5;

/** A sink that can be flushed on demand. */
export interface RelayedSink extends Sink {
  /** Resolves when the primary has all that waits now. */
  readonly flush: () => Promise<void>;
}

type Primary = Pick<Channel<AskedOfPrimary>, "ask">;

/** Opens it; whether it can be queried depends on the configured backend. */
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

/** Where lines are kept their bytes cross, copied: each text would be written, read and written again. */
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
