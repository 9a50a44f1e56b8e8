/** The first process of a container is ended by the signals that end others, as long as it does not look after them itself. */
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { exitOnSignals } from "../../src/process/first-process.ts";

type Signal = "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGUSR2";

/** Returns the codes with which a process ends that gets signals, and listens for some of them once from before the first on. */
function codesOf(pid: number, signals: readonly Signal[], heard: readonly Signal[] = []): readonly number[] {
  const self = Object.assign(new EventEmitter(), { pid });
  const codes: number[] = [];
  exitOnSignals(self, (code) => void codes.push(code));
  for (const signal of heard) self.once(signal, () => undefined);
  for (const signal of signals) self.emit(signal);
  return codes;
}

test.each<[sentence: string, pid: number, signals: readonly Signal[], heard: readonly Signal[], codes: readonly number[]]>([
  ["the first process is ended by SIGTERM", 1, ["SIGTERM"], [], [143]],
  ["by SIGINT", 1, ["SIGINT"], [], [130]],
  ["and by SIGHUP", 1, ["SIGHUP"], [], [129]],
  ["not by a signal that it looks after", 1, ["SIGTERM"], ["SIGTERM"], []],
  ["but by another", 1, ["SIGINT"], ["SIGTERM"], [130]],
  ["and by one that it has looked after once", 1, ["SIGTERM", "SIGTERM"], ["SIGTERM"], [143]],
  ["signals of other kinds are no concern of it", 1, ["SIGUSR2"], [], []],
  ["of any other process the kernel takes care", 4711, ["SIGTERM", "SIGINT", "SIGHUP"], [], []],
])("%s", (_sentence, pid, signals, heard, codes) => expect(codesOf(pid, signals, heard)).toEqual(codes));
