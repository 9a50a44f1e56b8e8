/** A process from its first moment to its last: takes SIGUSR1 from Node's inspector, runs a command line, and ends with its code once everything is written. */
import inspector from "node:inspector";
import { setImmediate } from "node:timers/promises";
import { endAsOthersDo } from "./first-process.ts";
import { outOfFiles } from "./out-of-files.ts";

/** As shells say it of a program that SIGPIPE ended. */
const readerGone = 141;
const notWritten = 1;
const notLoaded = 1;

/** Runs what is loaded, with the arguments of this process; `exit` ends the process; `name` is the program's, for what goes wrong. */
export async function runToEnd(
  name: string,
  load: () => Promise<(argv: readonly string[]) => Promise<number>>,
  exit: (code: number) => void,
): Promise<void> {
  // Node opens its inspector, a door for anyone on this machine, on SIGUSR1 until somebody listens for the signal. What was
  // opened before that is closed, and what a signal of that time still opens at the next turn of the event loop too.
  process.on("SIGUSR1", () => undefined);
  closeInspector();
  endAsOthersDo(process, exit);
  let run: Awaited<ReturnType<typeof load>>;
  try {
    run = await load();
  } catch (error) {
    const why = outOfFiles(error);
    if (why === undefined) throw error;
    process.stderr.write(`${name}: error: ${why}\n`);
    return exit(notLoaded);
  }
  await setImmediate();
  closeInspector();

  let isDecided = false;
  let failure: NodeJS.ErrnoException | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    failure ??= error;
    // Nobody reads what would still come: `authz compile --watch | head`.
    if (!isDecided) exit(codeAfter(name, failure, undefined));
  });
  process.stderr.on("error", () => undefined); // who reads no errors any more cannot be told
  const decided = await run(process.argv.slice(2));
  isDecided = true;
  // A pipe takes what its reader has room for; the rest waits in this process, and would end with it.
  const full = [process.stdout, process.stderr].filter((stream) => stream.writableLength > 0);
  await Promise.all(full.map((stream) => new Promise((resolve) => stream.write("", resolve))));
  await setImmediate(); // what could not be written is told a turn later
  exit(failure === undefined ? decided : codeAfter(name, failure, decided));
}

/** What was decided stays so where a reader had enough (`authz compile | head`); what nobody could write is told, and is never a success. */
function codeAfter(name: string, { code, message }: NodeJS.ErrnoException, decided: number | undefined): number {
  if (code === "EPIPE") return decided ?? readerGone;
  process.stderr.write(`${name}: error: standard output cannot be written (${code ?? message})\n`);
  return decided === undefined || decided === 0 ? notWritten : decided;
}

function closeInspector(): void {
  const asked = process.execArgv.some((argument) => /^--inspect(-brk|-wait)?(=|$)/.test(argument));
  if (!asked && inspector.url() !== undefined) inspector.close();
}
