/** Runs a session on lines from any source: collects entries, answers each, and writes the output. */
import type { Answer, SessionHost } from "./answer.ts";
import { toJsonLine } from "./json-line.ts";
import { printProblem, type Entry } from "./problem.ts";
import { answer } from "./session.ts";
import type { State } from "./state.ts";
import { isIncomplete } from "./incomplete.ts";

/** The options of a session. */
export interface SessionOptions {
  readonly host: SessionHost;
  readonly output: "text" | "json";
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The most lines and characters of an entry; it is then answered, complete or not. */
const maxEntryLines = 2_000;
const maxEntryLength = 200_000;

/** Collects lines to entries. */
export interface EntryCollector {
  /** Adds a line; returns an entry when it is complete. */
  readonly add: (line: string) => Entry | undefined;
  /** Returns the incomplete entry at the end of input. */
  readonly flush: () => Entry | undefined;
  /** Drops the incomplete entry; returns whether there was one. */
  readonly clear: () => boolean;
}

/** Opens a collector of entries; `path` is the name of the input. */
export function collectEntries(path: string): EntryCollector {
  let lines: string[] = [];
  let length = 0;
  let number = 0;
  const entry = (): Entry => {
    const made = { source: { path, text: lines.join("\n") }, firstLine: number - lines.length + 1 };
    [lines, length] = [[], 0];
    return made;
  };
  return {
    add(line) {
      number += 1;
      length += line.length + 1;
      lines.push(line);
      const isContinued = line.trim() !== "" && lines.length < maxEntryLines && length < maxEntryLength && isIncomplete(lines.join("\n"));
      return isContinued ? undefined : entry();
    },
    flush: () => (lines.length === 0 ? undefined : entry()),
    clear() {
      const had = lines.length > 0;
      [lines, length] = [[], 0];
      return had;
    },
  };
}

/** Answers one entry and writes the output. */
export async function runEntry(entry: Entry, state: State, { host, output, out, err }: SessionOptions): Promise<Answer> {
  const answered = await answer(entry, state, host);
  if (output === "json") {
    if (answered.text !== "" || answered.problems.length > 0 || answered.result !== undefined) out(`${toJsonLine(answered, entry)}\n`);
    return answered;
  }
  if (answered.text !== "") out(`${answered.text}\n`);
  for (const problem of answered.problems) err(`${printProblem(problem, entry, host.styles)}\n`);
  return answered;
}

/** Answers all lines of an input; returns whether all succeeded. */
export async function runLines(
  lines: AsyncIterable<string> | Iterable<string>,
  path: string,
  first: State,
  options: SessionOptions,
): Promise<boolean> {
  const collector = collectEntries(path);
  let state = first;
  let isGood = true;
  const run = async (entry: Entry): Promise<boolean> => {
    const answered = await runEntry(entry, state, options);
    state = answered.state;
    isGood &&= answered.problems.length === 0;
    return answered.ends === true;
  };
  for await (const line of lines) {
    const entry = collector.add(line);
    if (entry !== undefined && (await run(entry))) return isGood;
  }
  const left = collector.flush();
  if (left !== undefined) await run(left);
  return isGood;
}
