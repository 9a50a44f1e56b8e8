/** The console without a terminal: a function from an entry and a state to an answer and a state. */
import { tooMuchWork, withWork } from "../../runtime/cel/work.ts";
import { refuse, say, type Answer, type SessionHost } from "./answer.ts";
import { commandNamed, unknownCommand } from "./commands.ts";
import { areProblems, evaluateExpression } from "./expression.ts";
import { measure } from "./measure.ts";
import { printEvaluated } from "./print-result.ts";
import { problemOf, subrange, type Entry, type Part } from "./problem.ts";
import type { State } from "./state.ts";

/** Answers one entry. If it fails, the state is unchanged. */
export async function answer(entry: Entry, state: State, host: SessionHost): Promise<Answer> {
  const whole = subrange({ entry, text: entry.source.text, start: 0 }, 0);
  if (isBlank(whole.text)) return say(state, "");
  try {
    return await answerWithinLimit(whole, state, host);
  } catch (error) {
    if (error === tooMuchWork) {
      return refuse(state, [problemOf(whole, "this takes too much work", "a check on a server would be refused as well: loop over less")]);
    }
    if (error instanceof RangeError) return refuse(state, [problemOf(whole, `this is too large to work with: ${error.message}`)]);
    throw error;
  }
}

/** Returns whether an entry consists of white space and comments only. */
const isBlank = (text: string): boolean => text.split("\n").every((line) => /^\s*(?:\/\/.*)?$/.test(line));

/** Limits the work of an entry, like that of a check on a server (D46.1). */
async function answerWithinLimit(whole: Part, state: State, host: SessionHost): Promise<Answer> {
  const [, name] = /^:\s*([A-Za-z]*)/.exec(whole.text) ?? [];
  const run = (): Answer | Promise<Answer> => {
    if (name === undefined) return evaluateEntry(whole, state, host);
    const command = commandNamed(name);
    const after = whole.text.indexOf(name) + name.length;
    return command === undefined
      ? unknownCommand(subrange(whole, 0, Math.max(1, after)), name, state)
      : command.run(subrange(whole, after), state, host);
  };
  // Commands only wait for files; the work on them is limited separately.
  return withWork(host.maxWork, longestString(state, whole.text), run);
}

function evaluateEntry(part: Part, state: State, host: SessionHost): Answer {
  const found = evaluateExpression(part, state, host.now());
  if (areProblems(found)) return refuse(state, found);
  const { value, type } = found;
  const names = new Map([...state.names, ["_", { value, type }] as const]);
  return { state: { ...state, names }, text: printEvaluated(value, type, host), problems: [], result: { value, type } };
}

/** Returns the length of the longest string: an iteration of a loop may compare two of them. */
function longestString({ request, names, globals, variables, constants }: State, entry: string): number {
  const values = [
    ...Array.from(names.values(), ({ value }) => value),
    ...globals.values(),
    ...variables.values(),
    ...constants.values(),
    request.principal,
    request.resources[request.at]?.resource ?? {},
    request.auxData ?? {},
  ];
  return Math.max(entry.length, ...values.map((value) => measure(value).longestString));
}
