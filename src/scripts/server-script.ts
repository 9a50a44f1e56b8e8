/** The code of `authz server`, built as one script with the packages that it loads at every start (`build-scripts.mjs`). */
import { describeAuthz, ourProcess, runProgram, type Run } from "../cli/run-program.ts";
import { serverCommand } from "../cli/server.ts";

/** Runs `authz server`. */
export const run: Run = (argv, line = ourProcess) =>
  runProgram("authz", argv, line, async (program, line) => void describeAuthz(program).addCommand(serverCommand(line)));
