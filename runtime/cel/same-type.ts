/** Compares two type values by their run-time names. */
import { typeName } from "./kind.ts";
import type { TypeValue } from "./value.ts";

export const isSameType = (left: TypeValue, right: TypeValue): boolean => typeName(left.type) === typeName(right.type);
