/**
 * Admits expressions: the operators that the emitter writes, with JavaScript's precedence; `operand.ts` admits the
 * operands.
 */
import { operand } from "./operand.ts";
import { constantAmong, mustBe, type Program, take, takeOne, unexpected, within } from "./program.ts";
import { next } from "./token.ts";

/** Admits an expression: `a ? b : c`, or anything of higher precedence. */
export function value(program: Program): void {
  within(program, choice);
}

function choice(program: Program): void {
  either(program);
  if (program.reading.kind !== "?") return;
  next(program.reading);
  value(program);
  take(program, ":");
  value(program);
  program.last = "operation";
}

/** `a || b` */
function either(program: Program): void {
  both(program);
  while (program.reading.kind === "||") {
    next(program.reading);
    both(program);
    program.last = "operation";
  }
}

/** `a && b` */
function both(program: Program): void {
  comparison(program);
  while (program.reading.kind === "&&") {
    next(program.reading);
    comparison(program);
    program.last = "operation";
  }
}

const equalities: ReadonlySet<string> = new Set(["===", "!=="]);
const orders: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

/** `a === b`, `a < b`, `a < 0`, `typeof a === "string"`, or a single operand. Comparisons are not chained. */
function comparison(program: Program): void {
  const { reading } = program;
  if (reading.kind === "word" && reading.text.startsWith("typeof ", reading.start)) return kindOf(program);
  const left = constantAmong(program, operand);
  if (equalities.has(reading.kind)) {
    next(reading);
    operand(program);
  } else if (orders.has(reading.kind)) {
    next(reading);
    mustBe(program, left, "scalar");
    if (reading.kind !== "digits") mustBe(program, constantAmong(program, operand), "scalar");
    else if (reading.number === 0) next(reading);
    else unexpected(program, "`0`");
  } else return;
  program.last = "operation";
}

function kindOf(program: Program): void {
  take(program, "typeof");
  operand(program);
  takeOne(program, ["===", "!=="]);
  takeOne(program, ['"object"', '"number"', '"string"', '"boolean"']);
  program.last = "operation";
}
