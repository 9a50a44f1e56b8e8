/** A program that is being read: its tokens, its names, its constants, and how much of it stands around. */
import { type Asks, noAsks, type PolicyQuestions } from "./asks.ts";
import { mostDepth } from "./bounds.ts";
import type { Names } from "./kinds.ts";
import { notOfRoles, type OfRoles } from "./of-roles.ts";
import { refuse, shown } from "./refusal.ts";
import { isWordPart, next, openReading, type Reading } from "./token.ts";
import { kept, noteKept, openWeighed, type Weighed } from "./weighed.ts";

/** What a constant of a unit must be where it stands; `data` may be anything. */
export type ConstantUse = "data" | "scalar" | "number" | "bits" | "text" | "texts" | "scalars" | "few numbers" | "numbers by text";

/** What is known while a program is read. */
export interface Program {
  readonly reading: Reading;
  readonly names: Names;
  /** Reads an expression; expressions stand within functions within expressions. */
  readonly readExpression: (program: Program) => void;
  /** How many constants it declares, and how many have been used: each stands once, in order. */
  constants: number;
  used: number;
  /** What each of those that have been used must be. */
  readonly uses: ConstantUse[];
  /** The query is at hand: in functions, not while constants are made. */
  hasQuery: boolean;
  /** Expressions, statements and functions around what is being read. */
  depth: number;
  /** What the last expression was: something that counts, something else that stands by itself, or an operation. */
  last: "count" | "atom" | "operation";
  /** What its loops over entries come to. */
  repeated: number;
  /** What the function of a policy asks that is being read, and what the policies ask that have been read. */
  asks: Asks;
  readonly questions: PolicyQuestions[];
  /** What the function of the query that is being read has to do with derived roles. */
  ofRoles: OfRoles;
  /** What it costs, as far as it has been read. */
  readonly weighed: Weighed;
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
  asks: noAsks,
  questions: [],
  ofRoles: notOfRoles,
  weighed: openWeighed(),
});

/** Reads an expression. */
export const expression = (program: Program): void => program.readExpression(program);

/** Says whether the text goes on like this, up to the end of a token. */
export function startsWith({ reading: { text, start } }: Program, words: string): boolean {
  // Most questions are answered by the first character.
  if (text.charCodeAt(start) !== words.charCodeAt(0) || !text.startsWith(words, start)) return false;
  const end = start + words.length;
  return !isWordPart(text.charCodeAt(end)) || !isWordPart(text.charCodeAt(end - 1));
}

/** Takes text that is written just like this. */
export function take(program: Program, words: string): void {
  if (!takeIf(program, words)) unlike(program, words);
}

/** Takes text where it is written just like this; says whether it was. */
export function takeIf(program: Program, words: string): boolean {
  if (!startsWith(program, words)) return false;
  const { reading } = program;
  reading.end = reading.start + words.length;
  next(reading);
  return true;
}

/** Takes one of several words; answers which. */
export function takeOne<T extends string>(program: Program, words: readonly T[]): T {
  for (const word of words) if (takeIf(program, word)) return word;
  return unexpected(program, words.map((word) => `\`${word}\``).join(" or "));
}

/** Takes a whole number. */
export function takeDigits(program: Program): number {
  const { reading } = program;
  if (reading.kind !== "digits") unexpected(program, "a whole number");
  const { number } = reading;
  next(reading);
  return number;
}

/** Takes `first + 2`, the index of a question: no function names another than those of its policy. */
export function takeQuestion(program: Program): number {
  take(program, "first +");
  const { text, start } = program.reading;
  const index = takeDigits(program);
  if (index * leastOfQuestion > start) refuse(text, start, `the number ${index} of a question, so early`);
  return index;
}

/** The fewest characters in which a program asks anything. */
const leastOfQuestion = 8;

/** Takes a string; answers what is written between its quotes. */
export function takeString(program: Program): string {
  const { reading } = program;
  if (reading.kind !== "string") unexpected(program, "a string");
  const string = reading.text.slice(reading.start + 1, reading.end - 1);
  next(reading);
  return string;
}

/** Takes a constant: the next one, because each stands once and in order. */
export function takeConstant(program: Program, use: ConstantUse = "data"): void {
  const { reading, used, constants } = program;
  if (used >= constants) unexpected(program, "what is no constant");
  if (reading.kind !== "constant" || reading.number !== used) unexpected(program, `\`k${used}\``);
  program.used++;
  program.uses.push(use);
  next(reading);
}

/** Reads an operand, and says which constant it is: none, as a rule. */
export function constantAmong(program: Program, read: (program: Program) => void): number | undefined {
  const { reading, used } = program;
  const isConstant = reading.kind === "constant";
  read(program);
  return isConstant && program.last === "count" ? used : undefined;
}

/** Says what a constant must be, once it is known. */
export function mustBe({ uses }: Program, constant: number | undefined, use: ConstantUse): void {
  if (constant !== undefined) uses[constant] = use;
}

/** Takes the query, where it is at hand. */
export function takeQuery(program: Program): void {
  if (!program.hasQuery) unexpected(program, "nothing that takes the query");
  take(program, "q");
}

/** Reads what stands within something else. */
export function within(program: Program, read: (program: Program) => void): void {
  const { text, start } = program.reading;
  if (++program.depth > mostDepth) refuse(text, start, `more than ${mostDepth} things within each other`);
  read(program);
  program.depth--;
}

/** Takes `first`, things with commas between, and `last`. */
export function takeList(program: Program, first: string, item: (program: Program) => void, last: string): void {
  take(program, first);
  if (!takeIf(program, last)) {
    do item(program);
    while (takeIf(program, ","));
    take(program, last);
  }
}

/** Takes a list of data that is written down: `[a, b]`. */
export function takeData(program: Program): void {
  noteKept(program, kept.list);
  takeList(program, "[", takeElement, "]");
}

function takeElement(program: Program): void {
  noteKept(program, kept.element);
  expression(program);
}

/** Refuses the next token. */
export function unexpected({ reading: { text, start, end, kind } }: Program, wanted: string): never {
  const found = kind === "end" ? "the end of the program" : shown(text.slice(start, end));
  return refuse(text, start, `${found} where ${wanted} must stand`);
}

/** Refuses text at the first character that is not like this. */
function unlike(program: Program, words: string): never {
  const { reading } = program;
  const { text } = reading;
  let alike = 0;
  while (alike < words.length && text.charAt(reading.start + alike) === words.charAt(alike)) alike++;
  // The beginning of a word says more than its middle.
  while (alike > 0 && isWordPart(words.charCodeAt(alike - 1))) alike--;
  reading.end = reading.start + alike;
  next(reading);
  return unexpected(program, `\`${words.slice(alike).replaceAll("\n", " ").trim()}\``);
}
