/** Admits the tests of rows, and how often a row applies. */
import { noteQuestion } from "./question-use.ts";
import { use, useAs } from "./names.ts";
import { mustBe, type Program, startsWith, take, takeConstant, takeDigits, takeIf, takeQuestion, within } from "./program.ts";
import { refuse } from "./refusal.ts";
import { next } from "./token.ts";

/** Shared by the statements of one policy. */
export interface Rows {
  /** The name of the parameter with the policy's matching patterns. */
  readonly bits: "roles" | "kinds";
  /** Whether inside a loop over entries; such loops are not nested. */
  readonly inEntries: boolean;
}

/** Admits `a && b || c`. */
export const tests = (program: Program, all: Rows): void =>
  within(program, () => {
    do both(program, all);
    while (takeIf(program, "||"));
  });

function both(program: Program, all: Rows): void {
  do test(program, all);
  while (takeIf(program, "&&"));
}

/**
 * `roles & n1`, `q.holds(first + 0, n2)`, `n3(action)`, `n4.has(action)`, `action === k5`, `false`; each may be
 * negated or parenthesised.
 */
function test(program: Program, all: Rows): void {
  const { reading } = program;
  while (reading.kind === "!") next(reading);
  if (takeIf(program, "(")) {
    tests(program, all);
    return take(program, ")");
  }
  if (startsWith(program, all.bits)) return matching(program, all);
  if (takeIf(program, "q.holds(")) {
    asked(program);
    return take(program, ")");
  }
  if (takeIf(program, "action ===")) return takeConstant(program, "text");
  if (takeIf(program, "false")) return;
  const { text, start, number } = reading;
  const { kind } = use(program);
  if (kind !== "set" && kind !== "glob") refuse(text, start, `\`n${number}\` as if it were a test of an action`);
  take(program, kind === "set" ? ".has(action)" : "(action)");
}

/** `first + 0, n2`: the index of a condition, and the condition. */
export function asked(program: Program): void {
  const index = takeQuestion(program);
  take(program, ",");
  noteQuestion(program, index, "holds", useAs(program, "query"));
}

/** `roles & n1`, `roles[2] & n1`. */
function matching(program: Program, { bits }: Rows): void {
  take(program, bits);
  if (takeIf(program, "[")) {
    takeDigits(program);
    take(program, "]");
  }
  take(program, "&");
  const { text, start, number } = program.reading;
  const { constant } = useAs(program, "value");
  if (constant === undefined) refuse(text, start, `\`n${number}\` as if it were the bits of patterns`);
  mustBe(program, constant, "bits");
}

/** Admits how often a row applies, `1 + (n1(action) ? 1 : 0)` or `2 * rt.count(roles & n2)`; returns the maximum. */
export function times(program: Program, all: Rows): number {
  let most = 0;
  do most += product(program, all);
  while (takeIf(program, "+"));
  return most;
}

function product(program: Program, all: Rows): number {
  let most = 1;
  do most *= factor(program, all);
  while (takeIf(program, "*"));
  return most;
}

/** Bits of a number. */
const maxBits = 32;

function factor(program: Program, all: Rows): number {
  if (program.reading.kind === "digits") return takeDigits(program);
  if (takeIf(program, "rt.count(")) {
    matching(program, all);
    take(program, ")");
    return maxBits;
  }
  let most = 1;
  take(program, "(");
  within(program, () => {
    if (program.reading.kind === "digits" || startsWith(program, "rt.") || startsWith(program, "(")) most = times(program, all);
    else {
      tests(program, all);
      take(program, "? 1 : 0");
    }
  });
  take(program, ")");
  return most;
}
