/**
 * Runs a process from start to end: disables Node's inspector signal SIGUSR1, runs a command line, and exits with its code once all
 * output is written.
 */
import inspector from "node:inspector";
import { setImmediate } from "node:timers/promises";
import { exitOnSignals } from "./first-process.ts";
import { nodeTooOld } from "./node-version.ts";
import { tooManyOpenFiles } from "./too-many-open-files.ts";

/** The exit code that shells report for a program ended by SIGPIPE. */
const readerGone = 141;
const notWritten = 1;
const notLoaded = 1;

/**
 * Loads and runs a command line with the arguments of this process. `exit` ends the process; `name` is the program's name for error
 * messages.
 */
export async function runToEnd(
  name: string,
  load: () => Promise<(argv: readonly string[]) => Promise<number>>,
  exit: (code: number) => void,
): Promise<void> {
  // Node opens its inspector, which any process on this machine can use, on SIGUSR1, until there is a listener. An inspector that was
  // opened before that is closed, also one that a pending signal opens in the next turn of the event loop.
  process.on("SIGUSR1", () => undefined);
  closeInspector();
  exitOnSignals(process, exit);
  const refuse = (why: string): void => {
    process.stderr.write(`${name}: error: ${why}\n`);
    exit(notLoaded);
  };
  const tooOld = nodeTooOld(process.versions.node);
  if (tooOld !== undefined) return refuse(tooOld);
  let run: Awaited<ReturnType<typeof load>>;
  try {
    run = await load();
  } catch (error) {
    const tooMany = tooManyOpenFiles(error);
    if (tooMany === undefined) throw error;
    return refuse(tooMany);
  }
  await setImmediate();
  closeInspector();

  let isDecided = false;
  let failure: NodeJS.ErrnoException | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    failure ??= error;
    // Nobody reads further output, as in `authz compile --watch | head`.
    if (!isDecided) exit(codeAfter(name, failure, undefined));
  });
  process.stderr.on("error", () => undefined); // if standard error is closed, nobody can be told
  const decided = await run(process.argv.slice(2));
  isDecided = true;
  // A pipe accepts only what its reader has room for; the rest is buffered in this process, and would be lost.
  const full = [process.stdout, process.stderr].filter((stream) => stream.writableLength > 0);
  await Promise.all(full.map((stream) => new Promise((resolve) => stream.write("", resolve))));
  await setImmediate(); // write errors are emitted one turn later
  exit(failure === undefined ? decided : codeAfter(name, failure, decided));
}

/**
 * Returns the exit code after a write error. If the reader has closed the pipe (`authz compile | head`), the command's code stays;
 * other errors are reported, and never give success.
 */
function codeAfter(name: string, { code, message }: NodeJS.ErrnoException, decided: number | undefined): number {
  if (code === "EPIPE") return decided ?? readerGone;
  process.stderr.write(`${name}: error: standard output cannot be written (${code ?? message})\n`);
  return decided === undefined || decided === 0 ? notWritten : decided;
}

function closeInspector(): void {
  const asked = process.execArgv.some((argument) => /^--inspect(-brk|-wait)?(=|$)/.test(argument));
  if (!asked && inspector.url() !== undefined) inspector.close();
}
