/** What every command gets, and the exit codes. */
import { InvalidArgumentError, type Command } from "commander";
import { parseDuration } from "../config/duration.ts";
import type { Environment } from "../config/environment.ts";
import { readLogLevel, type LogLevel } from "../config/type.ts";

/** What a command may touch of the process. */
export interface CommandLine {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Is standard output a terminal? */
  readonly terminal: boolean;
  readonly environment: Environment;
  /** Says with which code to exit; without a word it is 0. */
  readonly finish: (code: number) => void;
}

/** What each exit code says. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** Policies do not compile. */
  compile: 3,
  /** Tests of policies failed, or could not be run. */
  tests: 4,
  /** The command line itself is wrong. */
  usage: 80,
  /** A command that was to be run cannot be started, as shells say it. */
  noCommand: 127,
} as const;

/** Gathers an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Reads `--log-level`. */
export function logLevelOption(text: string): LogLevel {
  const level = readLogLevel(text);
  if (level === undefined) throw new InvalidArgumentError("It must be debug, info, warn, error or V1, V2, ...");
  return level;
}

/** Reads an option that is a duration, into milliseconds. */
export function durationOption(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds === 0 || milliseconds > 2 ** 31 - 1)
    throw new InvalidArgumentError("It must be a duration such as 2s.");
  return milliseconds;
}

/** Ends a command whose command line turns out to be wrong: prints why, and exits with the code for that. */
export function misuse(command: Command, message: string): never {
  return command.error(`error: ${message}`);
}
