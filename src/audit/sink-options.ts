/** What a sink is opened with: its settings, its log, and who is told of failures. */
import type { Config } from "../config/settings.ts";
import type { OutboxOptions } from "./outbox.ts";

/** The settings of sinks: all below `audit`. */
export type SinkConfig = Pick<Config, Extract<keyof Config, `audit.${string}`>>;

/** Who is told of trouble. */
export type SinkOptions = Pick<OutboxOptions, "log" | "failed">;
