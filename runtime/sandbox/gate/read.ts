/**
 * Admits reads of attributes: by readers, or by name where no reader is possible. Nothing here can be repeated by a
 * loop.
 */
import { use } from "./names.ts";
import { type Program, take, takeIf, takeOne, takeQuery, takeString, within } from "./program.ts";
import { refuse } from "./refusal.ts";

/** Admits `n1(n2(q.R))`, `rt.get(q.P, "__proto__")`. */
export function read(program: Program): void {
  within(program, attribute);
}

function attribute(program: Program): void {
  if (takeIf(program, "rt.get(")) {
    read(program);
    take(program, ",");
    takeString(program);
    return take(program, ")");
  }
  const { kind, text, start, number } = program.reading;
  if (kind !== "name") {
    takeQuery(program);
    take(program, ".");
    takeOne(program, ["P", "R", "jwt"]);
    return;
  }
  const name = use(program);
  if (name.kind === "value") return;
  if (name.kind !== "reader") refuse(text, start, `\`n${number}\` as if it read an attribute`);
  take(program, "(");
  read(program);
  take(program, ")");
}
