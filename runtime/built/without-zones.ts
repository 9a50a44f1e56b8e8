/** Replaces time zones in built modules whose expressions name none. */
import type { zoneOffset as offset } from "../cel/time-zone.ts";
import { notIncluded } from "./not-included.ts";

export const zoneOffset: typeof offset = notIncluded;
