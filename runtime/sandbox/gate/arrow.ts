/** Admits arrow functions inside expressions, and the beginnings and results of functions. */
import type { Kind } from "./kinds.ts";
import { declare, declareNext, inScope, takeNew } from "./names.ts";
import { expression, type Program, take, takeIf } from "./program.ts";
import { read } from "./read.ts";

/** Admits `(n1, n2) => a`. */
export function arrow(program: Program, parameters: readonly Kind[]): void {
  inScope(program, "function", () => {
    take(program, "(");
    for (const [at, kind] of parameters.entries()) {
      if (at > 0) take(program, ",");
      declareNext(program, kind);
    }
    take(program, ") =>");
    answer(program);
  });
}

/** Admits the body of a function: `a`, or `{ const n1 = ...; let n2; return a; }`. */
export function answer(program: Program): void {
  if (!takeIf(program, "{")) return expression(program);
  reads(program);
  if (takeIf(program, "let")) temporaries(program, takeNew(program));
  take(program, "return");
  expression(program);
  take(program, ";");
  take(program, "}");
}

/**
 * Admits attributes read once for a whole function: `const n1 = n2(q.R);`. Stops at a declaration for which `isRead`
 * is false, and returns its number.
 */
export function reads(program: Program, isRead: (program: Program) => boolean = always): number | undefined {
  while (takeIf(program, "const")) {
    const number = takeNew(program);
    if (!isRead(program)) return number;
    take(program, "=");
    read(program);
    take(program, ";");
    declare(program, number, { kind: "value" });
  }
  return undefined;
}

const always = (): boolean => true;

/** Admits the rest of `let n1, n2;`. */
export function temporaries(program: Program, first: number): void {
  declare(program, first, { kind: "temporary" });
  while (takeIf(program, ",")) declareNext(program, "temporary");
  take(program, ";");
}
