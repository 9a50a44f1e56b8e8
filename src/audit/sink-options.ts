/** What a sink is opened with. */
import type { Config } from "../config/settings.ts";
import type { OutboxOptions } from "./outbox.ts";

/** The settings that sinks go by. */
export type SinkConfig = Pick<Config, Extract<keyof Config, `audit.${string}`>>;

/** Who is told of trouble. */
export type SinkOptions = Pick<OutboxOptions, "log" | "failed">;
