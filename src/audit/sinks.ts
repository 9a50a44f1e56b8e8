/** The list of audit sinks, by their names in the setting `audit.backend`. */
import type { Config } from "../config/settings.ts";
import { openFileSink } from "./file/file-sink.ts";
import { openLocalSink } from "./local/local-sink.ts";
import type { SinkConfig, SinkOptions } from "./sink-options.ts";
import type { Sink } from "./sink.ts";

const sinks: { readonly [Backend in Config["audit.backend"]]: (config: SinkConfig, options: SinkOptions) => Promise<Sink> } = {
  file: openFileSink,
  local: openLocalSink,
};

/** Opens the configured sink; rejects with a refusal when it cannot be opened. */
export function openSink(config: SinkConfig, options: SinkOptions): Promise<Sink> {
  return sinks[config["audit.backend"]](config, options);
}
