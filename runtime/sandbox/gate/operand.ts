/** Admits operands: constants, names, calls, lists, and parenthesised expressions. */
import { weightOf } from "../../cel/weight.ts";
import { arrow } from "./arrow.ts";
import { callOfName } from "./call-of-name.ts";
import { callOfRuntime } from "./call-of-runtime.ts";
import { noteRoleDependence } from "./role-dependence.ts";
import { isOwn, kindAhead, useAs } from "./names.ts";
import { fieldsOfQuery, recordsOfQuery } from "./members.ts";
import {
  constantAmong,
  expression,
  mustBe,
  type Program,
  startsWith,
  take,
  takeConstant,
  takeData,
  takeDigits,
  takeOne,
  takeQuery,
  unexpected,
  within,
} from "./program.ts";
import { refuse } from "./refusal.ts";
import { next } from "./token.ts";
import { noteWeight } from "./cost.ts";

/** Admits `!a`, `a.startsWith(k1)`, or an atom. */
export function operand(program: Program): void {
  const { reading } = program;
  const isDenied = reading.kind === "!";
  while (reading.kind === "!") next(reading);
  atom(program);
  if (isDenied) program.last = "operation";
  if (reading.kind !== ".") return;
  takeOne(program, [".startsWith(", ".endsWith("]);
  takeConstant(program, "text");
  take(program, ")");
  program.last = "operation";
}

function atom(program: Program): void {
  const { reading } = program;
  program.last = "atom";
  switch (reading.kind) {
    case "name":
      return callOfName(program);
    case "constant":
      takeConstant(program);
      program.last = "count";
      return;
    case "(":
      return within(program, parenthesis);
    case "[":
      takeData(program);
      program.last = "atom";
      return;
  }
  if (startsWith(program, "rt.")) return callOfRuntime(program);
  if (startsWith(program, "q.")) return partOfQuery(program);
  if (reading.kind !== "word") unexpected(program, "an expression");
  takeOne(program, ["undefined", "true", "false", "null"]);
}

/** `(a)`, `(a ?? null)`, `(n1 = a)`, `(a + b)`; and in the value of a constant, `(() => { ... })()`. */
function parenthesis(program: Program): void {
  const { reading } = program;
  if (startsWith(program, "(() =>")) return atOnce(program);
  take(program, "(");
  let first: number | undefined;
  if (kindAhead(program) === "temporary" && reading.text.startsWith(" = ", reading.end)) assignment(program);
  else first = constantAmong(program, expression);
  if (reading.kind === "??") {
    // `a || b ?? c` is a syntax error in JavaScript.
    if (program.last === "operation") unexpected(program, "`)`");
    take(program, "?? null");
    program.last = "atom";
  } else if (reading.kind === "+" || reading.kind === "-" || reading.kind === "*") {
    sum(program);
    mustBe(program, first, "number");
    program.last = "count";
  } else program.last = "atom";
  take(program, ")");
}

/** `a + b`: numbers only, so that no string can grow. */
function sum(program: Program): void {
  if (program.last !== "count") unexpected(program, "`)`");
  next(program.reading);
  mustBe(program, constantAmong(program, operand), "number");
  if (program.last !== "count") unexpected(program, "`)` after a count");
}

/** `n1 = a`: only temporaries of the same function. */
function assignment(program: Program): void {
  const { text, start, number } = program.reading;
  if (!isOwn(program, useAs(program, "temporary"))) refuse(text, start, `an assignment to \`n${number}\` of another function`);
  take(program, "=");
  expression(program);
}

/** An immediately called function, which gives the expression of a constant its own temporaries. */
function atOnce(program: Program): void {
  if (program.hasQuery) unexpected(program, "an expression");
  take(program, "(");
  arrow(program, []);
  take(program, ")()");
  program.last = "atom";
}

/** `q.R`, `q.principal.id`, `q.record("request")`, `q.variable(0, n1)`. */
function partOfQuery(program: Program): void {
  takeQuery(program);
  take(program, ".");
  if (startsWith(program, "record(")) {
    take(program, "record(");
    if (takeOne(program, records) === '"runtime"') program.roleDependence.isDependent = true;
    take(program, ")");
  } else if (startsWith(program, "variable(")) {
    take(program, "variable(");
    variable(program);
    take(program, ")");
  } else if (takeOne(program, fieldsOfQuery) === "effectiveDerivedRoles") program.roleDependence.isDependent = true;
}

/** `0, n1`: each number belongs to one function and vice versa, and they are used in order. */
function variable(program: Program): void {
  const { costs, reading } = program;
  const { text, start } = reading;
  const number = takeDigits(program);
  take(program, ",");
  const name = useAs(program, "query");
  const next = costs.variables.length;
  name.variable ??= next;
  if (number !== name.variable) refuse(text, start, `the number ${number} of a variable that has, or gets, the number ${name.variable}`);
  if (number === next) noteWeight(costs.variables, number, weightOf(name.cost.characters, name.cost.allocates));
  noteRoleDependence(program, name.roleDependence, true);
}

const records = recordsOfQuery.map((name) => `"${name}"`);
