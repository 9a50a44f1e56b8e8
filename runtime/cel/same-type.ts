/** Whether two types that are values are the same one: by the names that they have at run time. */
import { typeName } from "./kind.ts";
import type { TypeValue } from "./value.ts";

/** Says it. */
export const isSameType = (left: TypeValue, right: TypeValue): boolean => typeName(left.type) === typeName(right.type);
