/** Types as values: what `int` or `string` is in an expression. */
import { typeValues } from "../cel/evaluate/names.ts";
import type { TypeValue } from "../cel/value.ts";

/** Returns the type of that name. */
export const typeNamed = (name: string): TypeValue | undefined => typeValues.get(name);
