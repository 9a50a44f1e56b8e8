/** What every command gets, and the exit codes. */
import { InvalidArgumentError } from "commander";
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
  /** The command line itself is wrong. */
  usage: 80,
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
