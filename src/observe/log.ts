/** The log: coloured output on a terminal, otherwise one JSON object per line with the field names of the Elastic Common Schema (D20). */
import { createRequire } from "node:module";
import { multistream, pino, type DestinationStream, type Logger, type LoggerOptions } from "pino";
import type * as PinoPretty from "pino-pretty";
import { parseLogLevel, type LogLevel } from "../config/setting-types.ts";
import { openLineSink, type LineSink } from "./line-sink.ts";

/** The log of the program or of a part of it. */
export type Log = Logger;

/** Options of the log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Whether standard output and standard error are terminals. */
  readonly terminal: boolean;
  readonly errorTerminal: boolean;
  /** Whether terminals get colours. */
  readonly colour: boolean;
  /** How many milliseconds a line waits for others; undefined: until the end of the turn of the event loop. */
  readonly gathers?: number;
}

/** A log whose level can be changed. */
export interface LevelledLog {
  readonly log: Log;
  readonly level: () => LogLevel;
  /** Changes the level of the log and of the logs of all parts. */
  readonly setLevel: (level: LogLevel) => void;
  /** Calls back whenever the level has changed. */
  readonly watchLevel: (changed: (level: LogLevel) => void) => void;
}

/** The log of a process. */
export interface OpenLog extends LevelledLog {
  /** Prints text that is not a log line, between lines. */
  readonly print: (text: string) => void;
  /** Writes JSON lines that another of our processes has logged to standard output (1) or standard error (2). */
  readonly relay: (descriptor: 1 | 2, lines: string) => void;
  /** Resolves when everything is written, or after the given number of milliseconds. */
  readonly flush: (milliseconds: number) => Promise<void>;
}

/** Determines the level: the environment overrides the command line, which overrides the configuration file. */
export function decideLevel(fromEnvironment: string | undefined, fromCommandLine: LogLevel | undefined, fromFile: LogLevel): LogLevel {
  return parseLogLevel(fromEnvironment ?? "") ?? fromCommandLine ?? fromFile;
}

/** Returns what to say of a level in the environment that is none, and so does not count. */
export const warningsOfLevel = (fromEnvironment = ""): readonly string[] =>
  fromEnvironment === "" || parseLogLevel(fromEnvironment) !== undefined
    ? []
    : [`AUTHZ_LOG_LEVEL must be debug, info, warn, error or V1, V2, ..., not \`${fromEnvironment}\`: it is ignored`];

/** Opens the log of a process: errors go to standard error, everything else to standard output. */
export function openLog(options: LogOptions): OpenLog {
  const sinkOf = (descriptor: 1 | 2, name: string): LineSink =>
    openLineSink(descriptor, {
      gathers: options.gathers,
      failed: (code) => about().error({ "error.code": code }, `the log cannot be written to ${name} (${code}): lines are dropped`),
      dropped: (lines) => about().warn({ "authz.log.dropped": lines }, `${lines} log lines were dropped: ${name} had no room for them`),
    });
  const sinks = [sinkOf(1, "standard output"), sinkOf(2, "standard error")] as const;
  const streamOf = (sink: LineSink, terminal: boolean): DestinationStream => (terminal ? printedTo(sink, options.colour) : sink);
  const streams = { 1: streamOf(sinks[0], options.terminal), 2: streamOf(sinks[1], options.errorTerminal) } as const;
  const levelled = openLogTo(
    multistream(
      [
        { level: "trace", stream: streams[1] },
        { level: "error", stream: streams[2] },
      ],
      { dedupe: true },
    ),
    options.level,
  );
  let own: Log | undefined;
  const about = (): Log => (own ??= logOf(levelled.log, "authz.log"));
  return {
    ...levelled,
    print: sinks[0].write,
    relay: (descriptor, lines) => streams[descriptor].write(lines),
    flush: async (milliseconds) => {
      await Promise.all(sinks.map((sink) => sink.flush(milliseconds)));
    },
  };
}

/** Opens a log that writes JSON lines to a given stream. */
export function openLogTo(stream: DestinationStream, level: LogLevel): LevelledLog {
  // A child logger has its own level, so each is updated when the level changes. Only parts of the program have child loggers, not
  // calls, so there are few.
  const family: Log[] = [];
  const watchers: ((level: LogLevel) => void)[] = [];
  let current = level;
  const log = pino({ ...ecs(() => current), level, onChild: (child) => void family.push(child) }, stream);
  family.push(log);
  return {
    log,
    level: () => current,
    setLevel: (next) => {
      current = next;
      for (const one of family) one.level = next;
      for (const changed of watchers) changed(next);
    },
    watchLevel: (changed) => void watchers.push(changed),
  };
}

/** The same, with a fixed level. */
export function logTo(stream: DestinationStream, level: LogLevel): Log {
  return openLogTo(stream, level).log;
}

/** Returns the log of a part of the program, such as `authz.server`. The part of a part gets its own name instead. */
export function logOf(log: Named, name: string): Log {
  const nameless = log[from] ?? log;
  // A child's bindings are added to its parent's; duplicate keys in a JSON object are undefined.
  const written = new Set(["log.logger", ...Object.keys(nameless.bindings())]);
  const own = Object.entries(log.bindings()).filter(([key]) => !written.has(key));
  const named: Named = nameless.child({ ...Object.fromEntries(own), "log.logger": name });
  named[from] = nameless;
  return named;
}

/** The log that a named one was made from; its children inherit it. */
const from = Symbol("nameless");
type Named = Log & { [from]?: Log };

function ecs(level: () => LogLevel): LoggerOptions {
  return {
    base: { "ecs.version": "8.11.0" },
    messageKey: "message",
    timestamp: () => `,"@timestamp":"${new Date().toISOString()}"`,
    formatters: {
      level: (label) => ({ "log.level": label }),
      log: (fields) => ("err" in fields ? withError(fields, level()) : fields),
    },
  };
}

/** The stack is only logged at debug level. */
function withError({ err, ...fields }: Record<string, unknown>, level: LogLevel): Record<string, unknown> {
  if (!(err instanceof Error)) return { ...fields, "error.message": String(err) };
  const debugging = level === "debug" || level === "trace";
  return {
    ...fields,
    "error.type": err.name,
    "error.message": err.message,
    ...(debugging && err.stack !== undefined && { "error.stack_trace": err.stack }),
  };
}

function printedTo(sink: LineSink, colour: boolean): DestinationStream {
  const print = prettyPrinter(colour);
  return { write: (lines) => lines.split(/(?<=\n)/).forEach((line) => sink.write(print(line))) };
}

function prettyPrinter(colour: boolean): (line: string) => string {
  // Loaded on demand: servers seldom have a terminal.
  const { prettyFactory }: typeof PinoPretty = createRequire(import.meta.url)("pino-pretty");
  const print = prettyFactory({
    colorize: colour,
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
    levelKey: String.raw`log\.level`,
    messageKey: "message",
    timestampKey: "@timestamp",
    ignore: String.raw`ecs\.version,log\.logger`,
    messageFormat: (line, key) => `${plain(line["log.logger"])}  ${plain(line[key])}`,
  });
  return (line) => print(line.replaceAll(unseen, asCode)) ?? "";
}

/** Replaces control characters, which terminals would execute; the JSON encoding has already escaped those below 32. */
const plain = (text: unknown): string => (typeof text === "string" ? text.replaceAll(/[\0-\x1f]/g, asCode) : "");

/**
 * Control characters, and characters that are invisible or change the text direction, with which a terminal would show something else
 * than was written.
 */
const unseen = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

const asCode = (character: string): string => `<${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}>`;
