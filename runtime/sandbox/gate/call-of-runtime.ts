/** Admits calls of the runtime: each member with the arguments listed in `members.ts`, and nothing else. */
import { arrow } from "./arrow.ts";
import { type Argument, ofRuntime } from "./members.ts";
import {
  expression,
  type Program,
  startsWith,
  take,
  takeData,
  takeList,
  takeOne,
  takeQuery,
  takeString,
  unexpected,
  within,
} from "./program.ts";
import { next } from "./token.ts";
import { allocationWork, noteAllocation, noteIteration, measure } from "./cost.ts";

type Read = (program: Program) => void;

/** Admits `rt.get(a, "b")` and similar calls. */
export function callOfRuntime(program: Program): void {
  const { reading } = program;
  take(program, "rt.");
  const member = reading.text.slice(reading.start, reading.end);
  const call = calls.get(member);
  if (call === undefined) unexpected(program, "a function of the runtime that makes data");
  next(reading);
  noteAllocation(program, allocationsOfCall.get(member) ?? 0);
  within(program, call);
  program.last = member === "sizeOf" ? "count" : "atom";
}

const text: Read = (program) => void takeString(program);
const truth: Read = (program) => void takeOne(program, ["true", "false"]);

/** `[a, b, true]`. */
const row =
  (...items: readonly Read[]): Read =>
  (program) => {
    noteAllocation(program, allocationWork.row);
    items.forEach((item, at) => {
      take(program, at === 0 ? "[" : ",");
      item(program);
    });
    take(program, "]");
  };

const listOf =
  (item: Read): Read =>
  (program) => {
    noteAllocation(program, allocationWork.list);
    takeList(program, "[", item, "]");
  };

/** The message of constants is created at load time, that of variables during a query. */
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
  "[a]": takeData,
  "[[a, b]]": listOf(row(expression, expression)),
  "[[a, truth]]": listOf(row(expression, truth)),
  "[[a, b, truth]]": listOf(row(expression, expression, truth)),
  record,
  "[[text, a]]": listOf(row(text, expression)),
};

/** Admits the arguments of a call. Function arguments of a loop run in each iteration, so they are measured as one. */
function argumentsOf(member: string, list: readonly Argument[]): Read {
  const isIteration = (argument: Argument): boolean => list.includes("query") && argument.startsWith("(");
  const iteration = list.findIndex(isIteration);
  const read = (program: Program, from: number, to: number): void => {
    for (const [at, argument] of list.entries()) {
      if (at < from || at >= to) continue;
      if (argument.endsWith("?") && startsWith(program, ")")) return;
      if (at > 0) take(program, ",");
      readers[argument](program);
    }
  };
  return (program) => {
    take(program, "(");
    read(program, 0, iteration < 0 ? list.length : iteration);
    if (iteration >= 0) {
      const cost = measure(program, () => {
        noteAllocation(program, allocationsOfIteration.get(member) ?? 0);
        read(program, iteration, list.length);
      });
      noteIteration(program, cost);
    }
    take(program, ")");
  };
}

const { element, growing, list: listed, map: mapped, row: paired } = allocationWork;

/** Work for what a call allocates, besides its arguments. */
const allocationsOfCall: ReadonlyMap<string, number> = new Map([
  ["map", growing],
  ["filter", growing],
  ["transformList", growing],
  ["transformMap", growing + mapped],
  ["transformMapEntry", growing + mapped],
  ["sortBy", growing],
  ["mapOf", mapped],
  ["mapWithOptionals", mapped],
  ["record", allocationWork.record],
  ["findOptional", element],
  ["optionalMap", listed],
]);

/** Work for what one iteration adds to the result of a loop. */
const allocationsOfIteration: ReadonlyMap<string, number> = new Map([
  ["map", element],
  ["filter", element],
  ["transformList", element],
  ["transformMap", paired],
  ["transformMapEntry", paired],
  ["sortBy", paired],
]);

const calls: ReadonlyMap<string, Read> = new Map(
  Object.entries(ofRuntime).flatMap(([member, form]) => (typeof form === "string" ? [] : [[member, argumentsOf(member, form)] as const])),
);
