/** Replaces the comparison of types in built modules whose expressions never evaluate to a type. */
import type { isSameType as isSame } from "../cel/same-type.ts";
import { notIncluded } from "./not-included.ts";

export const isSameType: typeof isSame = notIncluded;
