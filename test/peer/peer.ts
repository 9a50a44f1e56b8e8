/** Runs the reference's prompt as a child process: lines go in, one answer a line comes out. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { type Answer, readAnswer } from "./answer.ts";

/** A running reference. */
export interface Peer {
  /** Sets what the expressions may refer to (`:let` lines), then asks each expression. One ask at a time is answered, in order. */
  readonly ask: (settings: readonly string[], lines: readonly string[]) => Promise<readonly Answer[]>;
  readonly close: () => void;
}

/** The longest line that its prompt reads whole, in bytes of UTF-8. */
export const longestLine = 4000;

const prompt = "\n-> ";

/** Opens the reference. */
export function openPeer(command: readonly [string, ...string[]]): Peer {
  let child = start(command);
  let queue: Promise<unknown> = Promise.resolve();
  let asked = 0;

  const askNow = async (settings: readonly string[], lines: readonly string[]): Promise<readonly Answer[]> => {
    // A fresh process now and then keeps what it remembers small.
    if (asked > 200_000) {
      stop(child);
      child = start(command);
      asked = 0;
    }
    asked += lines.length;
    const texts = await child.exchange([...settings, ...lines]);
    if (texts.length === settings.length + lines.length) {
      const refused = settings.find((_, index) => readAnswer(texts[index] ?? "").kind !== "set");
      if (refused !== undefined) throw new Error(`the reference does not take ${refused}\n${texts.slice(0, settings.length).join("\n")}`);
      return texts.slice(settings.length).map(readAnswer);
    }
    stop(child);
    child = start(command);
    if (lines.length <= 1) return lines.map(() => ({ kind: "unreadable", message: texts.slice(settings.length).join(prompt) }));
    // It ended, or an answer looks like two: half of the lines are asked on their own.
    const half = Math.ceil(lines.length / 2);
    return [...(await askNow(settings, lines.slice(0, half))), ...(await askNow(settings, lines.slice(half)))];
  };

  return {
    ask(settings, lines) {
      const answers = queue.then(() => askNow(settings, lines));
      queue = answers.catch(() => undefined);
      return answers;
    },
    close: () => stop(child),
  };
}

interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  /** Writes lines and answers the texts that came back: as many, unless something went wrong. */
  readonly exchange: (lines: readonly string[]) => Promise<readonly string[]>;
}

/** Ends it, and whatever it started: the package's program, and npx, are only the parents of the binary. */
function stop({ process: { pid } }: Running): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** Milliseconds that a batch may take; then its lines are asked in halves. */
const patience = 30_000;

function start([program, ...args]: readonly [string, ...string[]]): Running {
  const running = spawn(program, [...args, "repl", "--history=/dev/null"], { detached: true, env: { ...process.env, TZ: "UTC" } });
  let seen = "";
  let waiting: (() => void) | undefined;
  let ended = false;
  running.stdout.setEncoding("utf8");
  running.stdout.on("data", (text: string) => {
    seen += text;
    waiting?.();
  });
  running.stderr.resume();
  running.stdin.on("error", () => undefined);
  running.on("exit", () => {
    ended = true;
    waiting?.();
  });
  let turn = 0;

  const exchange = (lines: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const mark = `_ = "end of turn ${turn++}"\n`;
      const finish = (): void => {
        const at = seen.indexOf(mark);
        if (at < 0 && !ended) return;
        clearTimeout(timer);
        waiting = undefined;
        const text = at < 0 ? seen : seen.slice(0, at);
        seen = at < 0 ? "" : seen.slice(at + mark.length);
        // Before the first prompt stands a banner or the rest of the turn before.
        resolve(
          text
            .split(prompt)
            .slice(1, at < 0 ? undefined : -1)
            .map((each) => each.trim()),
        );
      };
      const timer = setTimeout(() => stop(started), patience);
      waiting = finish;
      running.stdin.write(`${[...lines, `"end of turn ${turn - 1}"`].join("\n")}\n`);
      finish();
    });
  const started: Running = { process: running, exchange };
  return started;
}
