/** The interface between commands and the process, and the exit codes. */
import { InvalidArgumentError, type Command } from "commander";
import { parseDuration } from "../config/duration.ts";
import type { Environment } from "../config/environment.ts";
import { parseLogLevel, type LogLevel } from "../config/setting-types.ts";

/** What a command may use of the process. */
export interface CommandLine {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  readonly environment: Environment;
  /** Sets the exit code, which is 0 otherwise. */
  readonly finish: (code: number) => void;
}

/** The exit codes. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** Policies do not compile. */
  compile: 3,
  /** Tests of policies failed, or could not be run. */
  tests: 4,
  /** The command line itself is wrong. */
  usage: 80,
  /** The command of `authz run` cannot be started; the code that shells use. */
  noCommand: 127,
} as const;

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Parses `--config`. A second file is refused: it would silently replace the first. */
export function singleFile(file: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError(`The configuration is one file, and '${before}' is given already.`);
  return file;
}

/** Parses `--log-level`. */
export function logLevelOption(text: string): LogLevel {
  const level = parseLogLevel(text);
  if (level === undefined) throw new InvalidArgumentError("It must be debug, info, warn, error or V1, V2, ...");
  return level;
}

/** Parses an option that is a duration, to milliseconds. */
export function durationOption(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds === 0 || milliseconds > 2 ** 31 - 1)
    throw new InvalidArgumentError("It must be a duration such as 2s.");
  return milliseconds;
}

/** Ends a command that was used wrongly: prints the message, and exits with the usage code. */
export function usageError(command: Command, message: string): never {
  return command.error(`error: ${message}`);
}
