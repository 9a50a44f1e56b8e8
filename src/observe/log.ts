/** The log: coloured text on a terminal, otherwise one JSON object a line with the names of the Elastic Common Schema (D20). */
import { destination, multistream, pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from "pino";
import { build as pretty } from "pino-pretty";
import { readLogLevel, type LogLevel } from "../config/type.ts";

/** A log of the program, or of a part of it. */
export type Log = Logger;

/** What is written, and for whom. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Is standard output a terminal? */
  readonly terminal: boolean;
}

/** The log of a process. */
export interface OpenLog {
  readonly log: Log;
  /** Writes out what is still buffered. */
  readonly flush: () => void;
}

/** Decides the level: the environment wins over the command line, the command line over the file. */
export function decideLevel(fromEnvironment: string | undefined, fromCommandLine: LogLevel | undefined, fromFile: LogLevel): LogLevel {
  return readLogLevel(fromEnvironment ?? "") ?? fromCommandLine ?? fromFile;
}

/** Opens the log of a process: errors go to standard error, the rest to standard output. */
export function openLog(options: LogOptions): OpenLog {
  if (options.terminal) {
    const stream = pretty({
      sync: true,
      colorize: true,
      translateTime: "SYS:HH:MM:ss.l",
      singleLine: true,
      ignore: "log\\.logger",
      messageFormat: (line, key) => `${textOf(line["log.logger"])}  ${textOf(line[key])}`,
    });
    return { log: pino({ level: options.level, base: null }, stream), flush: () => undefined };
  }
  const streams = [destination({ fd: 1, sync: false, minLength: 0 }), destination({ fd: 2, sync: true })] as const;
  const split = multistream(
    [
      { level: "trace", stream: streams[0] },
      { level: "error", stream: streams[1] },
    ],
    { dedupe: true },
  );
  return { log: pino(ecs(options.level), split), flush: () => streams[0].flushSync() };
}

/** Opens a log that writes its JSON lines to a stream of the caller's. */
export function logTo(stream: DestinationStream, level: LogLevel): Log {
  return pino(ecs(level), stream);
}

/** A log of one part of the program: `authz.server`, `authz.http`. */
export function logOf(log: Log, name: string): Log {
  return log.child({ "log.logger": name });
}

const textOf = (field: unknown): string => (typeof field === "string" ? field : "");

function ecs(level: LogLevel): LoggerOptions {
  return {
    level,
    base: { "ecs.version": "8.11.0" },
    messageKey: "message",
    timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"@timestamp"'),
    formatters: {
      level: (label) => ({ "log.level": label }),
      log: ({ err, ...fields }) => (err instanceof Error ? { ...fields, "error.type": err.name, "error.message": err.message } : fields),
    },
  };
}
