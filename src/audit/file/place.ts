/** Opens the place that lines are written to, and finds out what it is: a file that is ours, or a stream that others read or share. */
import { constants, type Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { turnsOf, type Turns } from "../../observe/turns.ts";
import { codeOf, messageOf, refusal } from "../../refusal.ts";
import { fileStatus, openFile } from "./descriptor.ts";

/** An open place. */
export type Place =
  /** A regular file, under this path. */
  | { readonly kind: "file"; readonly path: string; readonly descriptor: number; readonly status: Stats }
  /** A pipe, a socket, a device, or a file that belongs to somebody else. */
  | {
      readonly kind: "stream";
      readonly name: string;
      readonly descriptor: number;
      /** A pipe, which takes at most so many bytes without mixing them with others'. */
      readonly pipe: boolean;
      /** Is it ours to close? */
      readonly ours: boolean;
      /** Whose turn it is, where the log writes too. */
      readonly turns: Turns;
    };

/** Appends to a file; opening a pipe that nobody reads must fail rather than wait. */
export const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

const standard: { readonly [name: string]: number } = { stdout: 1, stderr: 2 };

/** Opens `stdout`, `stderr` or a path that a setting names; rejects with a refusal when that fails. */
export async function openPlace(name: string, setting: string): Promise<Place> {
  const descriptor = Object.hasOwn(standard, name) ? standard[name] : undefined;
  if (descriptor !== undefined) return openStandard(name, descriptor);
  try {
    const shared = await standardAt(name);
    if (shared !== undefined) return await openStandard(name, shared);
    const opened = await openFile(name, appending);
    const status = await fileStatus(opened);
    // Only now: a link may have led to what was not there yet.
    const path = await realpath(name).catch(() => resolve(name));
    if (status.isFile()) return { kind: "file", path, descriptor: opened, status };
    return { kind: "stream", name, descriptor: opened, pipe: status.isFIFO(), ours: true, turns: turnsOf(opened) };
  } catch (error) {
    throw refusal(`the audit file ${name} cannot be opened (setting ${setting}): ${reason(error)}`);
  }
}

/** Which of our standard streams a name leads to, as `/dev/stdout` does: there the log writes too, and nothing is ours to rotate. */
async function standardAt(name: string): Promise<number | undefined> {
  const there = await stat(name).catch(() => undefined);
  if (there === undefined) return undefined;
  for (const descriptor of Object.values(standard)) {
    const status = await fileStatus(descriptor).catch(() => undefined); // it may be closed
    if (status?.dev === there.dev && status.ino === there.ino) return descriptor;
  }
  return undefined;
}

async function openStandard(name: string, descriptor: number): Promise<Place> {
  const { pipe } = await stat(`/dev/fd/${descriptor}`).then(
    (status) => ({ pipe: status.isFIFO() }),
    () => ({ pipe: false }),
  );
  // A pipe of our own opening can be told not to wait for its reader, without telling those who share the descriptor.
  const own = pipe ? await openFile(`/dev/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined) : undefined;
  return { kind: "stream", name, descriptor: own ?? descriptor, pipe, ours: own !== undefined, turns: turnsOf(descriptor) };
}

function reason(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOENT":
      return "its folder does not exist";
    case "ENXIO":
      return "nobody reads the pipe";
    default:
      return messageOf(error);
  }
}
