/** Admits the function of an inlined loop: it iterates over a list once, and each iteration takes a step of the query. */
import { reads, temporaries } from "./arrow.ts";
import type { Name } from "./kinds.ts";
import { declare, declareNext, kindAhead, takeNew, useAs } from "./names.ts";
import { type Program, take, takeIf, takeOne } from "./program.ts";
import { value } from "./value.ts";
import { allocationWork, noteAllocation, noteIteration, measure } from "./cost.ts";

/** Admits `(q, n1, n2) => { ... }` in a scope of its own; returns the parameters after the range. */
export function loop(program: Program): readonly Name[] {
  take(program, "(q,");
  declareNext(program, "value");
  const parameters: Name[] = [];
  while (takeIf(program, ",")) parameters.push(declareNext(program, "parameter"));
  take(program, ") => {\nconst");
  const items = takeNew(program);
  take(program, "= rt.items(");
  useAs(program, "value");
  take(program, ");");
  declare(program, items, { kind: "items" });
  take(program, "if (");
  useAs(program, "items");
  take(program, "=== undefined) return");
  takeOne(program, ["undefined", "false"]);
  take(program, ";");
  opening(program);
  walk(program);
  take(program, "return");
  conclusion(program);
  take(program, ";\n}");
  // An unused one may be either.
  for (const parameter of parameters) if (parameter.kind === "parameter") parameter.kind = "value";
  return parameters;
}

/** Attributes, temporaries, and the variable of the result: `const n1 = [];`, `let n1 = 0;` or `let n1 = false;`. */
function opening(program: Program): void {
  const list = reads(program, ({ reading: { text, start } }) => !text.startsWith("= []", start));
  if (list !== undefined) return declareList(program, list);
  if (!takeIf(program, "let")) return;
  const first = takeNew(program);
  if (takeIf(program, "=")) return declareMade(program, first);
  temporaries(program, first);
  if (takeIf(program, "const")) declareList(program, takeNew(program));
  else if (takeIf(program, "let")) {
    const made = takeNew(program);
    take(program, "=");
    declareMade(program, made);
  }
}

function declareList(program: Program, number: number): void {
  take(program, "= [];");
  noteAllocation(program, allocationWork.growing);
  declare(program, number, { kind: "list" });
}

function declareMade(program: Program, number: number): void {
  const made = takeOne(program, ["0;", "false;"]);
  declare(program, number, { kind: made === "0;" ? "count" : "flag" });
}

/** `for (let n1 = 0; n1 < n2.length; n1++) {`, `const n3 = n2[n1];`, `q.step();`, then statements up to `}`. */
function walk(program: Program): void {
  take(program, "for (let");
  const position = takeNew(program);
  take(program, "= 0;");
  declare(program, position, { kind: "position" });
  useAs(program, "position");
  take(program, "<");
  useAs(program, "items");
  take(program, ".length;");
  useAs(program, "position");
  take(program, "++) {\nconst");
  const item = takeNew(program);
  take(program, "=");
  useAs(program, "items");
  take(program, "[");
  useAs(program, "position");
  take(program, "];\nq.step();");
  declare(program, item, { kind: "value" });
  noteIteration(program, measure(program, statements));
}

function statements(program: Program): void {
  while (!takeIf(program, "}")) statement(program);
}

/** `const n1 = a;`, `if (a) return true;`, or an update of the result. */
function statement(program: Program): void {
  if (takeIf(program, "const")) {
    const number = takeNew(program);
    take(program, "=");
    value(program);
    declare(program, number, { kind: "value" });
  } else if (takeIf(program, "if (")) {
    value(program);
    take(program, ")");
    if (takeIf(program, "return")) takeOne(program, ["true", "false", "undefined"]);
    else if (!takeIf(program, "continue")) change(program);
  } else change(program);
  take(program, ";");
}

/** `n1.push(a)`, `n1++`, `n1 = true`. */
function change(program: Program): void {
  switch (kindAhead(program)) {
    case "flag":
      useAs(program, "flag");
      return take(program, "= true");
    case "count":
      useAs(program, "count");
      return take(program, "++");
    default:
      useAs(program, "list");
      take(program, ".push(");
      noteAllocation(program, allocationWork.element);
      value(program);
      return take(program, ")");
  }
}

/** The result after the loop: `true`, `false`, `n1`, `n1 === 1`, `n1 ? undefined : true`. */
function conclusion(program: Program): void {
  const kind = kindAhead(program);
  if (kind === "list") return void useAs(program, "list");
  if (kind === "count") {
    useAs(program, "count");
    return take(program, "=== 1");
  }
  if (kind === "flag") {
    useAs(program, "flag");
    take(program, "? undefined :");
  }
  takeOne(program, ["true", "false"]);
}
