/** The code of `authz server` and its workers, built as one script with the packages that they load at every start (`build-scripts.mjs`). */
import { describeAuthz, ourProcess, runProgram, type Run } from "../cli/run-program.ts";
import { serverCommand } from "../cli/server.ts";

/** Runs `authz server`. */
export const run: Run = (argv, line = ourProcess) =>
  runProgram("authz", argv, line, async (program, line) => void describeAuthz(program).addCommand(serverCommand(line)));

/** Runs a worker. Imported on demand, because a single process needs none of it. */
export const runWorker = async (): Promise<number> => (await import("../workers/worker.ts")).runWorker();
