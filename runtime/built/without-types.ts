/** Stands in a built module for how types are compared, where no expression can come to one. */
import type { isSameType as isSame } from "../cel/same-type.ts";
import { nobodyAsks } from "./nobody-asks.ts";

export const isSameType: typeof isSame = nobodyAsks;
