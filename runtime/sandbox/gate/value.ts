/** Expressions: the operators that the emitter writes, in JavaScript's own order; each operand is read by `operand.ts`. */
import { operand } from "./operand.ts";
import { constantAmong, mustBe, type Program, take, takeOne, unexpected, within } from "./program.ts";
import { next } from "./token.ts";

/** Reads an expression: `a ? b : c`, or what binds closer. */
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

/** `a || b`. */
function either(program: Program): void {
  both(program);
  while (program.reading.kind === "||") {
    next(program.reading);
    both(program);
    program.last = "operation";
  }
}

/** `a && b`. */
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

/** `a === b`, `a < b`, `a < 0`, `typeof a === "string"`, or one operand. None is compared twice. */
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
