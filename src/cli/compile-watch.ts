/** `authz compile --watch`: compiles again whenever something changes, until it is interrupted. */
import { watch, type FSWatcher } from "chokidar";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { openDebouncer } from "../follow/debouncer.ts";
import { isRefusal, messageOf } from "../refusal.ts";
import { exitCodes, type CommandLine } from "./command.ts";

/** What is run repeatedly. */
export interface WatchOptions {
  /** Folders and files whose changes count; they may vanish, and come back. */
  readonly paths: readonly string[];
  /** Returns the exit code of a run. */
  readonly run: () => Promise<number>;
}

/** Debouncing of changes, in milliseconds. */
const quietMilliseconds = 100;
const longestWaitMilliseconds = 1000;
/** The polling interval in milliseconds: replacing a directory by another one produces no file system event. */
const pollMilliseconds = 500;
const clearScreen = "\u001B[2J\u001B[3J\u001B[H";

/** Runs once, and again after every change. Resolves with the exit code of the last run when the process is told to end. */
export async function runAndWatch(line: CommandLine, { paths, run }: WatchOptions): Promise<number> {
  let isStale = false;
  let wake: (next: "changed" | "ended") => void = () => undefined;
  const debouncer = openDebouncer({
    quietMilliseconds,
    longestWaitMilliseconds,
    run: () => {
      isStale = true;
      wake("changed");
    },
  });
  const stop = openWatcher(paths, debouncer.announce);
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
    wake("ended");
  };
  for (const signal of stopSignals) process.on(signal, end);
  // A change during a run starts the next one at once.
  const next = async (): Promise<"changed" | "ended"> => {
    if (isEnded) return "ended";
    return isStale ? "changed" : new Promise((resolve) => void (wake = resolve));
  };
  try {
    for (;;) {
      isStale = false;
      if (line.terminal) line.out(clearScreen);
      const code = await runOnce(line, run);
      line.err(`waiting for changes in ${paths.map((path) => `\`${path}\``).join(" and ")}; Ctrl-C ends\n`);
      if ((await next()) === "ended") return code;
    }
  } finally {
    for (const signal of stopSignals) process.off(signal, end);
    debouncer.close();
    await stop();
  }
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs once; an error is printed, because the next change may fix it. */
async function runOnce(line: CommandLine, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    line.err(
      isRefusal(error)
        ? `authz: error: ${error.message}\n`
        : `authz: internal error: ${error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error)}\n`,
    );
    return exitCodes.failed;
  }
}

function openWatcher(paths: readonly string[], changed: () => void): () => Promise<void> {
  const identities = (): string => paths.map(identityOf).join();
  let known = identities();
  const open = (): FSWatcher => {
    const watcher = watch([...paths], {
      ignoreInitial: true,
      ignored: (path, stats) => isIgnored(path, stats?.isFile() === true) && !paths.includes(path),
    });
    watcher.on("all", (event) => {
      // The directory may be back as the same inode before the next poll, but unwatched.
      if (event === "unlinkDir" || identities() !== known) known = "";
      changed();
    });
    // What cannot be watched is found by polling; an error must not end watching.
    watcher.on("error", () => undefined);
    return watcher;
  };
  let watcher = open();
  const timer = setInterval(() => {
    const found = identities();
    if (found === known) return;
    known = found;
    void watcher.close();
    watcher = open();
    changed();
  }, pollMilliseconds);
  return async () => {
    clearInterval(timer);
    await watcher.close();
  };
}

/** Returns whether a path is ignored: hidden files, and files that are not policies, tests, fixtures or schemas. */
const isIgnored = (path: string, isFile: boolean): boolean =>
  /^\.[^./\\]/.test(basename(path)) || (isFile && !/\.(?:ya?ml|json)$/i.test(path));

function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}.${ino}`;
  } catch {
    return "none";
  }
}
