/** Admits the function that reads one attribute. It is one fixed form, because its guard is what makes it safe. */
import { type Program, startsWith, take, takeString, unexpected } from "./program.ts";
import { next } from "./token.ts";

/**
 * Admits `(of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of,
 * "owner")`, with the same name three times. If any prototype has the name, `rt.bare` has it too, and the property is
 * not read directly.
 */
export function reader(program: Program): void {
  take(program, "(of) => rt.bare");
  const { member, name } = takeMember(program);
  take(program, `=== undefined && typeof of === "object" && of !== null ? of${member} : rt.get(of, "${name}")`);
}

/** `.owner`, or `["two words"]`. */
function takeMember(program: Program): { readonly member: string; readonly name: string } {
  const { reading } = program;
  if (startsWith(program, "[")) {
    take(program, "[");
    // Excludes digits, because lists have their items under numbers, and `__proto__`, which every object has and no
    // guard could detect.
    if (/^"(?:\d|__)/.test(reading.text.slice(reading.start, reading.start + 3)))
      unexpected(program, "the name of an attribute that can be read in place");
    const name = takeString(program);
    take(program, "]");
    return { member: `["${name}"]`, name };
  }
  word.lastIndex = reading.end;
  const name = reading.kind === "." ? word.exec(reading.text)?.[0] : undefined;
  if (name === undefined) return unexpected(program, "the name of an attribute");
  reading.end += name.length;
  next(reading);
  return { member: `.${name}`, name };
}

const word = /[A-Za-z][A-Za-z0-9_]*/y;
