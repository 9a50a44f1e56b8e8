/** The protocol between the primary process and its workers: the requests of each. */
import type { AuditQuery, Entry, EntryLines } from "../audit/sink.ts";
import type { Answers, Command } from "../compile/commands.ts";
import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/settings.ts";
import type { LogLevel } from "../config/setting-types.ts";
import type { Reading } from "../observe/instrument.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { KeyPair } from "../server/connections/tls-files.ts";
import type { Addresses } from "../server/start/addresses.ts";
import type { Reply } from "../server/calls/reply.ts";

/** The first message of a worker: it can receive requests from then on. */
export const listening = "listening";

/** What a worker is started with. */
export interface WorkerStart {
  /** Its number, from 1; its replacement has the same. */
  readonly number: number;
  readonly config: Config;
  readonly environment: Environment;
  readonly level: LogLevel;
  /** Whether it leaves the log lines of a start to another worker, except errors. */
  readonly isQuiet: boolean;
  /** The TLS key pair in force, so that a worker can be replaced while the files hold one that cannot be used. */
  readonly keyPair?: KeyPair;
}

/** A policy set or a change, as posted by `compile-loop.ts`. */
export interface SetText {
  /** JSON, whole or in pieces. */
  readonly text: string | readonly string[];
  readonly schemas: SchemaFiles | undefined;
}

interface Exchange<Asks, Answers> {
  readonly asks: Asks;
  readonly answers: Answers;
}

/** The requests to a worker. */
export interface WorkerRequests {
  readonly begin: Exchange<WorkerStart, void>;
  /** Whether the event loop is alive; answered at any time. */
  readonly pulse: Exchange<undefined, void>;
  /** Puts a set in force. */
  readonly set: Exchange<SetText, void>;
  readonly change: Exchange<SetText, void>;
  readonly listen: Exchange<undefined, Addresses>;
  /** All workers listen: report that you serve. */
  readonly serve: Exchange<undefined, void>;
  readonly level: Exchange<LogLevel, void>;
  readonly readings: Exchange<undefined, readonly Reading[]>;
  /** Sends the audit entries that wait to the primary. */
  readonly "hand over": Exchange<undefined, void>;
  /** Stops accepting connections; true: other workers still accept some. */
  readonly "stop listening": Exchange<boolean, void>;
  /** Finishes pending requests, closes, and returns the final metric readings. */
  readonly stop: Exchange<undefined, readonly Reading[]>;
}

/** The requests to the primary. */
export interface PrimaryRequests {
  readonly command: Exchange<Command, Answers[Command["kind"]]>;
  /** Checks administrator credentials. */
  readonly credentials: Exchange<{ readonly peer: string; readonly authorization: readonly string[] }, Reply | undefined>;
  /** Returns the metrics of all processes. */
  readonly readings: Exchange<undefined, readonly Reading[]>;
  /** Checks for new connections: once this is answered, those that had arrived have been passed to workers. */
  readonly look: Exchange<undefined, void>;
  readonly record: Exchange<readonly Entry[], void>;
  /** The same, for sinks that store lines: bytes are copied, whereas strings would be encoded and decoded again. */
  readonly "record lines": Exchange<EntryLines, void>;
  /** Begins a list of audit entries; the answer identifies it. */
  readonly "find entries": Exchange<AuditQuery, number>;
  /** Returns the next page of a list; an empty page is the end. */
  readonly "next entries": Exchange<number, readonly string[]>;
  readonly "forget entries": Exchange<number, void>;
}
