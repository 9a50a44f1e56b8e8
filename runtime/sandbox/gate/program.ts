/** The state while a program is read: tokens, names, constants, nesting. */
import { type UsedQuestions, noUsedQuestions, type PolicyQuestions } from "./question-use.ts";
import { maxDepth } from "./bounds.ts";
import type { Names } from "./kinds.ts";
import { noRoleDependence, type RoleDependence } from "./role-dependence.ts";
import { refuse, shown } from "./refusal.ts";
import { isWordPart, next, openReading, type Reading } from "./token.ts";
import { allocationWork, noteAllocation, openCosts, type Costs } from "./cost.ts";

/** What a constant must be, from the way it is used; `data` may be anything. */
export type ConstantUse = "data" | "scalar" | "number" | "bits" | "text" | "texts" | "scalars" | "few numbers" | "numbers by text";

/** The state while a program is read. */
export interface Program {
  readonly reading: Reading;
  readonly names: Names;
  /** Admits an expression. A field, because expressions contain functions that contain expressions. */
  readonly readExpression: (program: Program) => void;
  /** The number of constants declared and used so far; each is used once, in order. */
  constants: number;
  used: number;
  /** For each constant used so far, what it must be. */
  readonly uses: ConstantUse[];
  /** Whether the query is in scope: in functions, not in the values of constants. */
  hasQuery: boolean;
  /** Nesting of expressions, statements and functions at this point. */
  depth: number;
  /** The last expression: possibly a number, another operand, or an operation. */
  last: "count" | "atom" | "operation";
  /** The expanded length of its loops over entries. */
  repeated: number;
  /** The questions of the policy function being read, and of the policies read so far. */
  usedQuestions: UsedQuestions;
  readonly questions: PolicyQuestions[];
  /** How the query function being read depends on derived roles. */
  roleDependence: RoleDependence;
  /** The costs so far. */
  readonly costs: Costs;
}

/** Opens a program at its first token. */
export const openProgram = (text: string, names: Names, readExpression: Program["readExpression"]): Program => ({
  reading: openReading(text),
  names,
  readExpression,
  constants: 0,
  used: 0,
  uses: [],
  hasQuery: false,
  depth: 0,
  last: "atom",
  repeated: 0,
  usedQuestions: noUsedQuestions,
  questions: [],
  roleDependence: noRoleDependence,
  costs: openCosts(),
});

/** Admits an expression. */
export const expression = (program: Program): void => program.readExpression(program);

/** Whether the text continues with these words, ending at a token boundary. */
export function startsWith({ reading: { text, start } }: Program, words: string): boolean {
  // The first character decides most calls.
  if (text.charCodeAt(start) !== words.charCodeAt(0) || !text.startsWith(words, start)) return false;
  const end = start + words.length;
  return !isWordPart(text.charCodeAt(end)) || !isWordPart(text.charCodeAt(end - 1));
}

/** Consumes exactly this text; refuses anything else. */
export function take(program: Program, words: string): void {
  if (!takeIf(program, words)) unlike(program, words);
}

/** Consumes this text if it comes next; returns whether it did. */
export function takeIf(program: Program, words: string): boolean {
  if (!startsWith(program, words)) return false;
  const { reading } = program;
  reading.end = reading.start + words.length;
  next(reading);
  return true;
}

/** Consumes one of several texts; returns which. */
export function takeOne<T extends string>(program: Program, words: readonly T[]): T {
  for (const word of words) if (takeIf(program, word)) return word;
  return unexpected(program, words.map((word) => `\`${word}\``).join(" or "));
}

/** Consumes a whole number. */
export function takeDigits(program: Program): number {
  const { reading } = program;
  if (reading.kind !== "digits") unexpected(program, "a whole number");
  const { number } = reading;
  next(reading);
  return number;
}

/**
 * Consumes `first + 2`, the index of a question. The form ensures that a function refers only to questions of its
 * policy.
 */
export function takeQuestion(program: Program): number {
  take(program, "first +");
  const { text, start } = program.reading;
  const index = takeDigits(program);
  if (index * minOfQuestion > start) refuse(text, start, `the number ${index} of a question, so early`);
  return index;
}

/** The fewest characters that one question takes in a program. */
const minOfQuestion = 8;

/** Consumes a string; returns the text between its quotes, undecoded. */
export function takeString(program: Program): string {
  const { reading } = program;
  if (reading.kind !== "string") unexpected(program, "a string");
  const string = reading.text.slice(reading.start + 1, reading.end - 1);
  next(reading);
  return string;
}

/** Consumes the next constant: each occurs once, in order. */
export function takeConstant(program: Program, use: ConstantUse = "data"): void {
  const { reading, used, constants } = program;
  if (used >= constants) unexpected(program, "what is no constant");
  if (reading.kind !== "constant" || reading.number !== used) unexpected(program, `\`k${used}\``);
  program.used++;
  program.uses.push(use);
  next(reading);
}

/** Admits an operand; returns its number if it is just a constant. */
export function constantAmong(program: Program, read: (program: Program) => void): number | undefined {
  const { reading, used } = program;
  const isConstant = reading.kind === "constant";
  read(program);
  return isConstant && program.last === "count" ? used : undefined;
}

/** Restricts a constant after it was read. */
export function mustBe({ uses }: Program, constant: number | undefined, use: ConstantUse): void {
  if (constant !== undefined) uses[constant] = use;
}

/** Consumes the query, if it is in scope. */
export function takeQuery(program: Program): void {
  if (!program.hasQuery) unexpected(program, "nothing that takes the query");
  take(program, "q");
}

/** Admits something nested, within the bound on depth. */
export function within(program: Program, read: (program: Program) => void): void {
  const { text, start } = program.reading;
  if (++program.depth > maxDepth) refuse(text, start, `more than ${maxDepth} things within each other`);
  read(program);
  program.depth--;
}

/** Admits `first`, items separated by commas, and `last`. */
export function takeList(program: Program, first: string, item: (program: Program) => void, last: string): void {
  take(program, first);
  if (!takeIf(program, last)) {
    do item(program);
    while (takeIf(program, ","));
    take(program, last);
  }
}

/** Admits a list literal of data: `[a, b]`. */
export function takeData(program: Program): void {
  noteAllocation(program, allocationWork.list);
  takeList(program, "[", takeElement, "]");
}

function takeElement(program: Program): void {
  noteAllocation(program, allocationWork.element);
  expression(program);
}

/** Refuses the next token. */
export function unexpected({ reading: { text, start, end, kind } }: Program, wanted: string): never {
  const found = kind === "end" ? "the end of the program" : shown(text.slice(start, end));
  return refuse(text, start, `${found} where ${wanted} must stand`);
}

/** Refuses the text at the first character that differs from the expected words. */
function unlike(program: Program, words: string): never {
  const { reading } = program;
  const { text } = reading;
  let alike = 0;
  while (alike < words.length && text.charAt(reading.start + alike) === words.charAt(alike)) alike++;
  // Go back to the beginning of the word, which makes a clearer message.
  while (alike > 0 && isWordPart(words.charCodeAt(alike - 1))) alike--;
  reading.end = reading.start + alike;
  next(reading);
  return unexpected(program, `\`${words.slice(alike).replaceAll("\n", " ").trim()}\``);
}
