/** A process from its first moment to its last: takes SIGUSR1 from Node's inspector, runs a command line, and ends with its code once everything is written. */
import inspector from "node:inspector";
import { setImmediate } from "node:timers/promises";

/** Runs what is loaded, with the arguments of this process; `exit` ends the process. */
export async function runToEnd(
  load: () => Promise<(argv: readonly string[]) => Promise<number>>,
  exit: (code: number) => void,
): Promise<void> {
  // Node opens its inspector, a door for anyone on this machine, on SIGUSR1 until somebody listens for the signal. What was
  // opened before that is closed, and what a signal of that time still opens at the next turn of the event loop too.
  process.on("SIGUSR1", () => undefined);
  closeInspector();
  const run = await load();
  await setImmediate();
  closeInspector();

  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    exit(error.code === "EPIPE" ? 0 : 1); // `authz compile | head`
  });
  process.stderr.on("error", () => undefined); // who reads no errors any more cannot be told
  const code = await run(process.argv.slice(2));
  // A pipe takes what its reader has room for; the rest waits in this process, and would end with it.
  const full = [process.stdout, process.stderr].filter((stream) => stream.writableLength > 0);
  await Promise.all(full.map((stream) => new Promise((resolve) => stream.write("", resolve))));
  exit(code);
}

function closeInspector(): void {
  const asked = process.execArgv.some((argument) => /^--inspect(-brk|-wait)?(=|$)/.test(argument));
  if (!asked && inspector.url() !== undefined) inspector.close();
}
