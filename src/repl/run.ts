/** Runs a session on lines from any source: collects entries, answers each, and writes the output. */
import type { Answer, World } from "./answer.ts";
import { toJsonLine } from "./json-line.ts";
import { printProblem, type Entry } from "./problem.ts";
import { answer } from "./session.ts";
import type { State } from "./state.ts";
import { isUnfinished } from "./unfinished.ts";

/** The options of a session. */
export interface Running {
  readonly world: World;
  readonly output: "text" | "json";
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The most lines and characters of an entry; it is then answered, complete or not. */
const mostLines = 2_000;
const mostText = 200_000;

/** Collects lines to entries. */
export interface Gathering {
  /** Adds a line; returns an entry when it is complete. */
  readonly take: (line: string) => Entry | undefined;
  /** Returns the incomplete entry at the end of input. */
  readonly rest: () => Entry | undefined;
  /** Drops the incomplete entry; returns whether there was one. */
  readonly clear: () => boolean;
}

/** Opens a collector; `path` is the name of the input. */
export function gather(path: string): Gathering {
  let lines: string[] = [];
  let length = 0;
  let number = 0;
  const entry = (): Entry => {
    const made = { source: { path, text: lines.join("\n") }, firstLine: number - lines.length + 1 };
    [lines, length] = [[], 0];
    return made;
  };
  return {
    take(line) {
      number += 1;
      length += line.length + 1;
      lines.push(line);
      const goesOn = line.trim() !== "" && lines.length < mostLines && length < mostText && isUnfinished(lines.join("\n"));
      return goesOn ? undefined : entry();
    },
    rest: () => (lines.length === 0 ? undefined : entry()),
    clear() {
      const had = lines.length > 0;
      [lines, length] = [[], 0];
      return had;
    },
  };
}

/** Answers one entry and writes the output. */
export async function runEntry(entry: Entry, state: State, { world, output, out, err }: Running): Promise<Answer> {
  const answered = await answer(entry, state, world);
  if (output === "json") {
    if (answered.text !== "" || answered.problems.length > 0 || answered.result !== undefined) out(`${toJsonLine(answered, entry)}\n`);
    return answered;
  }
  if (answered.text !== "") out(`${answered.text}\n`);
  for (const problem of answered.problems) err(`${printProblem(problem, entry, world.paint)}\n`);
  return answered;
}

/** Answers all lines of an input; returns whether all succeeded. */
export async function runLines(
  lines: AsyncIterable<string> | Iterable<string>,
  path: string,
  first: State,
  running: Running,
): Promise<boolean> {
  const gathering = gather(path);
  let state = first;
  let isGood = true;
  const run = async (entry: Entry): Promise<boolean> => {
    const answered = await runEntry(entry, state, running);
    state = answered.state;
    isGood &&= answered.problems.length === 0;
    return answered.ends === true;
  };
  for await (const line of lines) {
    const entry = gathering.take(line);
    if (entry !== undefined && (await run(entry))) return isGood;
  }
  const left = gathering.rest();
  if (left !== undefined) await run(left);
  return isGood;
}
