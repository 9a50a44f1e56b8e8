/** Stands in a built module for the machine of glob patterns, where no pattern needs it. */
import { invariant } from "../cel/error.ts";
import type { openGlobMachine as open } from "../decide/glob-machine.ts";

export const openGlobMachine: typeof open = () => {
  invariant(false, "who builds a module puts the machine in it wherever a pattern may need one");
};
