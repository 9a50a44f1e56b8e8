/** The options that a sink is opened with. */
import type { Config } from "../config/settings.ts";
import type { OutboxOptions } from "./outbox.ts";

/** The settings of sinks: all below `audit`. */
export type SinkConfig = Pick<Config, Extract<keyof Config, `audit.${string}`>>;

/** The log, and the callback for failures. */
export type SinkOptions = Pick<OutboxOptions, "log" | "failed">;
