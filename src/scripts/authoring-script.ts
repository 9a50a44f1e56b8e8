/** The code of the commands that authors of policies run over and over, built as one script with the packages that they load (`build-scripts.mjs`). */
import { authoringCommands } from "../cli/authoring-commands.ts";
import { isAuthoring } from "../cli/authoring-names.ts";
import { describeAuthz, ourProcess, runProgram, type Run } from "../cli/run-program.ts";
import { invariant } from "../../runtime/cel/error.ts";

/** Runs the command that the first argument names, one of `authoringNames`. */
export const run: Run = (argv, line = ourProcess) =>
  runProgram("authz", argv, line, async (program, line) => {
    const [name] = argv;
    invariant(isAuthoring(name), "a command of this script is named first");
    describeAuthz(program).addCommand((await authoringCommands[name]())(line));
  });
