/** The sink of a worker: entries go to the primary process, which alone writes, rotates and is asked. */
import { openLines } from "../audit/file/lines.ts";
import { openOutbox } from "../audit/outbox.ts";
import type { SinkConfig, SinkOptions } from "../audit/sink-options.ts";
import type { Entry, Sink } from "../audit/sink.ts";
import type { Channel } from "./channel.ts";
import type { AskedOfPrimary } from "./messages.ts";

/** Entries wait this long for others: a message costs the same for one and for a hundred. */
const delayMilliseconds = 5;

/** A sink that can be emptied at once. */
export interface RelayedSink extends Sink {
  /** Resolves when the primary has all that waits now. */
  readonly flush: () => Promise<void>;
}

/** Opens it; whether it can be asked is what the configured backend says. */
export function openRelayedSink(config: SinkConfig, options: SinkOptions, primary: Pick<Channel<AskedOfPrimary>, "ask">): RelayedSink {
  // What they are written into is copied before `ask` comes back, and can be written over.
  const lines = openLines();
  const record = (entries: readonly Entry[]): Promise<void> =>
    config["audit.backend"] === "file"
      ? primary.ask("record lines", { bytes: lines(entries), kinds: entries.map(({ kind }) => kind) })
      : primary.ask("record", entries);
  const outbox = openOutbox<Entry>(
    {
      name: "the primary process",
      deliver: async (entries) => {
        await record(entries);
        return { delivered: entries.length };
      },
      close: async () => undefined,
    },
    { ...options, delayMilliseconds, enoughEntries: Number.POSITIVE_INFINITY, enoughCharacters: 2 ** 18 },
  );
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
