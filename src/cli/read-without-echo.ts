/** Reads a line from a terminal without showing it. */
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { refusal } from "../refusal.ts";

/** What a terminal has that a pipe does not. */
export interface TtyInput {
  readonly isTTY: boolean;
  readonly setRawMode: (raw: boolean) => unknown;
}

const enter = /[\r\n\u0004]/; // Ctrl-D ends a line too
const interrupt = "\u0003";
const erase = new Set(["\u007f", "\b"]);
const eraseLine = "\u0015";

/** Reads one line; `begin` is called once echo is off, to print the prompt. Rejects when the user interrupts. */
export function readWithoutEcho(input: Readable & TtyInput, begin: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder("utf8");
    let typed: string[] = [];
    const finish = (): void => {
      input.off("data", take);
      input.off("end", giveUp);
      input.setRawMode(false);
      input.pause();
    };
    const giveUp = (): void => {
      finish();
      reject(refusal("no password was given"));
    };
    const take = (chunk: Buffer): void => {
      for (const character of decoder.write(chunk)) {
        if (enter.test(character)) {
          finish();
          return resolve(typed.join(""));
        }
        if (character === interrupt) return giveUp();
        if (erase.has(character)) typed.pop();
        else if (character === eraseLine) typed = [];
        else typed.push(character);
      }
    };
    input.setRawMode(true);
    input.on("data", take);
    input.on("end", giveUp);
    begin();
    input.resume();
  });
}
