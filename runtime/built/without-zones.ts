/** Stands in a built module for time zones, where no expression names one. */
import { invariant } from "../cel/error.ts";
import type { zoneOffset as offset } from "../cel/time-zone.ts";

/** The offset of a zone, which nobody asks for. */
export const zoneOffset: typeof offset = () => {
  invariant(false, "who builds a module puts time zones in it wherever an expression may name one");
};
