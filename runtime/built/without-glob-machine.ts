/** Replaces the glob machine in built modules whose patterns do not need it. */
import type { openGlobMachine as open } from "../decide/glob-machine.ts";
import { notIncluded } from "./not-included.ts";

export const openGlobMachine: typeof open = notIncluded;
