/** The protocol between the primary process and its workers: what each may ask of the other. */
import type { AuditQuery, Entry, EntryLines } from "../audit/sink.ts";
import type { Answers, Command } from "../compile/commands.ts";
import type { Environment } from "../config/environment.ts";
import type { Config } from "../config/settings.ts";
import type { LogLevel } from "../config/type.ts";
import type { Reading } from "../observe/instrument.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import type { Addresses } from "../server/start/addresses.ts";
import type { Reply } from "../server/calls/reply.ts";

/** The first message of a worker: from now on it can be asked. */
export const listening = "listening";

/** What a worker begins with. */
export interface Beginning {
  /** Its number, from 1; whoever replaces it has the same. */
  readonly number: number;
  readonly config: Config;
  readonly environment: Environment;
  readonly level: LogLevel;
  /** What there is to say about a start it leaves to another, errors aside. */
  readonly isQuiet: boolean;
}

/** A set on its way, or what is different in it; as `compile-loop.ts` tells it. */
export interface SetText {
  /** Whole or in pieces. */
  readonly text: string | readonly string[];
  readonly schemas: SchemaFiles | undefined;
}

interface Exchange<Asks, Answers> {
  readonly asks: Asks;
  readonly answers: Answers;
}

/** What a worker is asked. */
export interface AskedOfWorker {
  readonly begin: Exchange<Beginning, void>;
  /** Does your event loop turn? Answered at any time. */
  readonly pulse: Exchange<undefined, void>;
  /** Put this in force. */
  readonly set: Exchange<SetText, void>;
  readonly change: Exchange<SetText, void>;
  readonly listen: Exchange<undefined, Addresses>;
  /** Everybody listens: say that you serve. */
  readonly serve: Exchange<undefined, void>;
  readonly level: Exchange<LogLevel, void>;
  readonly readings: Exchange<undefined, readonly Reading[]>;
  /** Hand over the audit entries that wait. */
  readonly "hand over": Exchange<undefined, void>;
  /** Take nobody new; true: others do, for the moment. */
  readonly "stop listening": Exchange<boolean, void>;
  /** Finish what has begun, close, and say what you have counted. */
  readonly stop: Exchange<undefined, readonly Reading[]>;
}

/** What the primary is asked. */
export interface AskedOfPrimary {
  readonly command: Exchange<Command, Answers[Command["kind"]]>;
  /** Is this an administrator? */
  readonly credentials: Exchange<{ readonly peer: string; readonly authorization: readonly string[] }, Reply | undefined>;
  /** The metrics of all. */
  readonly readings: Exchange<undefined, readonly Reading[]>;
  /** Look for new connections: when this is answered, those that had come are handed out. */
  readonly look: Exchange<undefined, void>;
  readonly record: Exchange<readonly Entry[], void>;
  /** The same, where lines are kept: bytes are copied, where each text is written, read and written again. */
  readonly "record lines": Exchange<EntryLines, void>;
  /** Begins a list of audit entries; the answer names it. */
  readonly "find entries": Exchange<AuditQuery, number>;
  /** The next of a list; none: that was all. */
  readonly "next entries": Exchange<number, readonly string[]>;
  readonly "forget entries": Exchange<number, void>;
}
