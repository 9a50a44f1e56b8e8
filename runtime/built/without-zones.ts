/** Stands in a built module for time zones, where no expression names one. */
import type { zoneOffset as offset } from "../cel/time-zone.ts";
import { nobodyAsks } from "./nobody-asks.ts";

/** The offset of a zone, which nobody asks for. */
export const zoneOffset: typeof offset = nobodyAsks;
