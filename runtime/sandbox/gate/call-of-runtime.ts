/** Calls of the runtime: each member takes what `members.ts` says, and nothing else. */
import { arrow } from "./arrow.ts";
import { type Argument, ofRuntime } from "./members.ts";
import { expression, type Program, startsWith, take, takeList, takeOne, takeQuery, takeString, unexpected, within } from "./program.ts";
import { next } from "./token.ts";

type Read = (program: Program) => void;

/** Reads `rt.get(a, "b")` and its kin. */
export function callOfRuntime(program: Program): void {
  const { reading } = program;
  take(program, "rt.");
  const member = reading.text.slice(reading.start, reading.end);
  const call = calls.get(member);
  if (call === undefined) unexpected(program, "a function of the runtime that makes data");
  next(reading);
  within(program, call);
  program.last = member === "sizeOf" ? "count" : "atom";
}

const text: Read = (program) => void takeString(program);
const truth: Read = (program) => void takeOne(program, ["true", "false"]);

/** `[a, b, true]`. */
const row =
  (...items: readonly Read[]): Read =>
  (program) => {
    items.forEach((item, at) => {
      take(program, at === 0 ? "[" : ",");
      item(program);
    });
    take(program, "]");
  };

const listOf =
  (item: Read): Read =>
  (program) =>
    takeList(program, "[", item, "]");

/** The constants of a policy are a record when it is loaded, its variables when they are asked for. */
const record: Read = (program) => take(program, program.hasQuery ? '"variables"' : '"constants"');

const readers: { readonly [argument in Argument]: Read } = {
  data: expression,
  text,
  "data or text": (program) => (program.reading.kind === "string" ? text(program) : expression(program)),
  "true?": (program) => take(program, "true"),
  query: takeQuery,
  "() =>": (program) => arrow(program, []),
  "(a) =>": (program) => arrow(program, ["value"]),
  "(a) =>?": (program) => arrow(program, ["value"]),
  "(a, b) =>": (program) => arrow(program, ["value", "value"]),
  "(a, b) =>?": (program) => arrow(program, ["value", "value"]),
  "(lazy) =>": (program) => arrow(program, ["lazy"]),
  "[a]": listOf(expression),
  "[[a, b]]": listOf(row(expression, expression)),
  "[[a, truth]]": listOf(row(expression, truth)),
  "[[a, b, truth]]": listOf(row(expression, expression, truth)),
  record,
  "[[text, a]]": listOf(row(text, expression)),
};

/** What is between the parentheses of a call. */
const argumentsOf =
  (list: readonly Argument[]): Read =>
  (program) => {
    take(program, "(");
    for (const [at, argument] of list.entries()) {
      if (argument.endsWith("?") && startsWith(program, ")")) break;
      if (at > 0) take(program, ",");
      readers[argument](program);
    }
    take(program, ")");
  };

const calls: ReadonlyMap<string, Read> = new Map(
  Object.entries(ofRuntime).flatMap(([member, form]) => (typeof form === "string" ? [] : [[member, argumentsOf(form)] as const])),
);
