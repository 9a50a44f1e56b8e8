/** The process: takes SIGUSR1 from Node's inspector before anything else, then runs the command line and exits with its code. */
import inspector from "node:inspector";

// Node opens its inspector, a door for anyone on this machine, on SIGUSR1 until somebody listens for the signal. What was
// opened in between is closed now, and again when the program's own modules have been loaded.
process.on("SIGUSR1", () => undefined);
closeInspector();
const { run } = await import("./cli/index.ts");
closeInspector();

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);   // `authz compile | head`
});
process.exit(await run(process.argv.slice(2)));

function closeInspector(): void {
  const asked = process.execArgv.some((argument) => argument.startsWith("--inspect"));
  if (!asked && inspector.url() !== undefined) inspector.close();
}
