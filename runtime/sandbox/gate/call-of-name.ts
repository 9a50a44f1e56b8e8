/** Admits the uses of a name in an expression: data is read, functions are called according to their kind. */
import type { Name } from "./kinds.ts";
import { use } from "./names.ts";
import { noteRoleDependence } from "./role-dependence.ts";
import { expression, type Program, startsWith, take, takeIf, takeQuery } from "./program.ts";
import { refuse } from "./refusal.ts";
import { noteCall } from "./cost.ts";

/** Admits `n1` or a call of it. */
export function callOfName(program: Program): void {
  const { text, start, number } = program.reading;
  const name = use(program);
  switch (name.kind) {
    case "value":
    case "temporary":
      break;
    case "parameter":
      // The first use determines what it is.
      name.kind = startsWith(program, "(") ? "lazy" : "value";
      if (name.kind === "lazy") take(program, "()");
      break;
    case "lazy":
      take(program, "()");
      break;
    case "reader":
    case "reading":
      take(program, "(");
      expression(program);
      take(program, ")");
      break;
    case "overload":
      take(program, "(");
      expression(program);
      if (takeIf(program, ",")) expression(program);
      take(program, ")");
      break;
    case "function":
      callOfLanguage(program, name);
      break;
    case "loop":
      callOfLoop(program, name);
      break;
    case "set":
      take(program, ".has(");
      expression(program);
      take(program, ")");
      break;
    default:
      refuse(text, start, `\`n${number}\` as if it were data`);
  }
  program.last = name.kind === "reading" ? "count" : "atom";
}

/** `n1(rt.load, a, b)`: a CEL function; one that reads the time receives the query instead of `rt.load`. */
function callOfLanguage(program: Program, { arity }: Name): void {
  take(program, "(");
  if (!takeIf(program, "rt.load")) takeQuery(program);
  for (let argument = 0; argument < arity; argument++) {
    take(program, ",");
    expression(program);
  }
  take(program, ")");
}

/** `n1(q, range, a, b)`: the function of a loop, with the variables it captures as arguments. */
function callOfLoop(program: Program, { parameters, cost, roleDependence }: Name): void {
  noteCall(program, cost);
  noteRoleDependence(program, roleDependence, false);
  take(program, "(");
  takeQuery(program);
  take(program, ",");
  expression(program);
  for (const { kind } of parameters) {
    take(program, ",");
    if (kind === "lazy") functionByName(program);
    else expression(program);
  }
  take(program, ")");
}

/** Functions without arguments are passed by name. */
function functionByName(program: Program): void {
  const { text, start, number } = program.reading;
  const name = use(program);
  if (name.kind === "parameter") name.kind = "lazy";
  if (name.kind !== "lazy") refuse(text, start, `\`n${number}\` where a function without arguments must stand`);
}
