/** The areas that can be run, in the manifest's order. */
import type { Area } from "../area.ts";

export const areas: readonly Area[] = [];
