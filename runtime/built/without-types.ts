/** Replaces the comparison of types in built modules whose expressions never evaluate to a type. */
import type { isSameType as isSame } from "../cel/same-type.ts";
import { nobodyAsks } from "./nobody-asks.ts";

export const isSameType: typeof isSame = nobodyAsks;
