/** The log: coloured text on a terminal, otherwise one JSON object a line with the names of the Elastic Common Schema (D20). */
import { createRequire } from "node:module";
import { multistream, pino, type DestinationStream, type Logger, type LoggerOptions } from "pino";
import type * as PinoPretty from "pino-pretty";
import { readLogLevel, type LogLevel } from "../config/type.ts";
import { openLineSink, type LineSink } from "./line-sink.ts";

/** A log of the program, or of a part of it. */
export type Log = Logger;

/** What is written, and for whom. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Is standard output a terminal, and is standard error one? */
  readonly terminal: boolean;
  readonly errorTerminal: boolean;
  /** Colours on terminals. */
  readonly colour: boolean;
  /** How long a line waits for others, in milliseconds; where it is not said, for those of the same turn of the event loop. */
  readonly gathers?: number;
}

/** A log whose level can be changed. */
export interface LevelledLog {
  readonly log: Log;
  readonly level: () => LogLevel;
  /** Changes the level of the log and of the logs of all its parts. */
  readonly setLevel: (level: LogLevel) => void;
  /** Calls back whenever the level was changed. */
  readonly watchLevel: (changed: (level: LogLevel) => void) => void;
}

/** The log of a process. */
export interface OpenLog extends LevelledLog {
  /** Writes words that are no log line, for whoever watches, between the lines. */
  readonly print: (text: string) => void;
  /** Writes lines of JSON that another process of ours has logged to its standard output (1) or standard error (2). */
  readonly relay: (descriptor: 1 | 2, lines: string) => void;
  /** Resolves when everything is written, or the reader has had so many milliseconds. */
  readonly flush: (milliseconds: number) => Promise<void>;
}

/** Decides the level: the environment wins over the command line, the command line over the file. */
export function decideLevel(fromEnvironment: string | undefined, fromCommandLine: LogLevel | undefined, fromFile: LogLevel): LogLevel {
  return readLogLevel(fromEnvironment ?? "") ?? fromCommandLine ?? fromFile;
}

/** Opens the log of a process: errors go to standard error, the rest to standard output. */
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

/** Opens a log that writes its JSON lines to a stream of the caller's. */
export function openLogTo(stream: DestinationStream, level: LogLevel): LevelledLog {
  // A child keeps a level of its own: each is told when it changes. Parts of the program have logs, calls have none, so they are few.
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

/** The same, where the level stays. */
export function logTo(stream: DestinationStream, level: LogLevel): Log {
  return openLogTo(stream, level).log;
}

/** A log of one part of the program: `authz.server`, `authz.http`. A part of a part has its own name instead. */
export function logOf(log: Named, name: string): Log {
  const nameless = log[from] ?? log;
  // A child writes what its parent writes too, and a key that stands in a line twice has no meaning in JSON.
  const written = new Set(["log.logger", ...Object.keys(nameless.bindings())]);
  const own = Object.entries(log.bindings()).filter(([key]) => !written.has(key));
  const named: Named = nameless.child({ ...Object.fromEntries(own), "log.logger": name });
  named[from] = nameless;
  return named;
}

/** What a log with a name was made from; its children inherit that. */
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

/** Where an error of ours stands in the program helps whoever debugs it, and nobody else. */
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
  // Loaded for terminals alone: a server seldom has one.
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

/** A terminal obeys control characters: none that somebody sent us may reach it. In a line of JSON those below 32 are escaped. */
const plain = (text: unknown): string => (typeof text === "string" ? text.replaceAll(/[\0-\x1f]/g, asCode) : "");

/** Control characters, and what turns the direction of a line around or hides in it: a terminal would show another text than was written. */
const unseen = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

const asCode = (character: string): string => `<${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}>`;
