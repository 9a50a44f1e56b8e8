/** The console at a terminal: line editing, history, completion, multi-line entries. */
import { createInterface } from "node:readline";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { visible } from "../../compiler/print-diagnostics.ts";
import { complete } from "./complete.ts";
import type { History } from "./history.ts";
import { collectEntries, runEntry, type SessionOptions } from "./run.ts";
import type { State } from "./state.ts";

/** The terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

const prompt = "authz> ";
const continuationPrompt = "    .. ";

/** Runs the dialogue until the user quits. */
export async function runAtTerminal({ input, output }: Terminal, first: State, history: History, options: SessionOptions): Promise<void> {
  let state = first;
  const collector = collectEntries("");
  const lines = createInterface({
    input,
    output,
    terminal: true,
    prompt,
    history: [...history.lines],
    historySize: 1_000,
    removeHistoryDuplicates: true,
    completer: (line: string) => completions(line, state, options.host.now()),
  });
  const ask = (): void => {
    lines.setPrompt(prompt);
    lines.prompt();
  };
  lines.on("SIGINT", () => {
    const wasEmpty = lines.line === "" && !collector.clear();
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    output.write(wasEmpty ? "\n(Ctrl-D or :quit ends the session)\n" : "\n");
    ask();
  });
  output.write("Type a CEL expression, :help for help.\n");
  ask();
  for await (const line of lines) {
    history.add(line);
    const entry = collector.add(line);
    if (entry === undefined) {
      lines.setPrompt(continuationPrompt);
      lines.prompt();
      continue;
    }
    const answered = await runEntry({ ...entry, firstLine: 1 }, state, options);
    state = answered.state;
    if (answered.ends === true) return lines.close();
    ask();
  }
  // Ctrl-D leaves the cursor on the prompt's line.
  output.write("\n");
}

function completions(line: string, state: State, milliseconds: number): [string[], string] {
  const { candidates, typed, files } = complete(line, state, milliseconds);
  const found = files === true ? filesStartingWith(typed) : candidates;
  // Names of files and rules may contain control characters.
  return [found.filter((candidate) => visible(candidate) === candidate), typed];
}

/** Returns the files and directories whose path begins with what was typed. */
function filesStartingWith(typed: string): string[] {
  const folder = typed.endsWith("/") ? typed : dirname(typed) === "." && !typed.startsWith("./") ? "" : `${dirname(typed)}/`;
  try {
    return readdirSync(folder === "" ? "." : folder, { withFileTypes: true })
      .map((entry) => join(folder, entry.name) + (entry.isDirectory() ? "/" : ""))
      .map((path) => (folder.startsWith("./") ? `./${path}` : path))
      .filter((path) => path.startsWith(typed));
  } catch {
    return [];
  }
}
