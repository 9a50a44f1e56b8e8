/** Tells texts that a function can read from those that it cannot: what is literal and cannot be read is refused, which is soon known. */
import { EvalError } from "../../runtime/cel/error.ts";
import { Timestamp } from "../../runtime/cel/value.ts";
import { presentRows } from "./lacking.ts";

const context = { now: new Timestamp(0, 0) };

/** Whether the overload that reads such a text can read it. */
export function isReadable(reader: string, text: string): boolean {
  const row = presentRows.find(({ id }) => id === reader);
  return row !== undefined && !(row.run(reader === "matches" ? ["", text] : [text], context) instanceof EvalError);
}
