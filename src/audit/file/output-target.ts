/** Opens a destination of lines, and determines its type: a file that only we write, or a stream that others read or share. */
import { constants, type Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { turnsOf, type Turns } from "../../observe/turns.ts";
import { codeOf, messageOf, refusal } from "../../refusal.ts";
import { fileStatus, openFile } from "./descriptor.ts";

/** An open destination. */
export type OutputTarget =
  /** A regular file, under this path. */
  | { readonly kind: "file"; readonly path: string; readonly descriptor: number; readonly status: Stats }
  /** A pipe, a socket, a device, or a file that others own. */
  | {
      readonly kind: "stream";
      readonly name: string;
      readonly descriptor: number;
      /** Whether it is a pipe, to which writes are atomic only up to a size. */
      readonly pipe: boolean;
      /** Whether we opened the descriptor, and must close it. */
      readonly ours: boolean;
      /** Coordinates writes with the log, which may use the same descriptor. */
      readonly turns: Turns;
    };

/** Flags for appending. With O_NONBLOCK, opening a pipe without a reader fails instead of waiting. */
export const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

const standardStreams: { readonly [name: string]: number } = { stdout: 1, stderr: 2 };

/** Opens `stdout`, `stderr` or a path that a setting names; rejects with a refusal when that fails. */
export async function openTarget(name: string, setting: string): Promise<OutputTarget> {
  const descriptor = Object.hasOwn(standardStreams, name) ? standardStreams[name] : undefined;
  if (descriptor !== undefined) return openStandardStream(name, descriptor);
  try {
    const shared = await findStandardStream(name);
    if (shared !== undefined) return await openStandardStream(name, shared);
    const opened = await openFile(name, appendFlags);
    const status = await fileStatus(opened);
    // Resolved only after opening, because a dangling link may have led to a file that was just created.
    const path = await realpath(name).catch(() => resolve(name));
    if (status.isFile()) return { kind: "file", path, descriptor: opened, status };
    return { kind: "stream", name, descriptor: opened, pipe: status.isFIFO(), ours: true, turns: turnsOf(opened) };
  } catch (error) {
    throw refusal(`the audit file ${name} cannot be opened (setting ${setting}): ${describeOpenError(error)}`);
  }
}

/** Returns the standard stream that a path such as `/dev/stdout` leads to: the log uses it too, and it must not be rotated. */
async function findStandardStream(name: string): Promise<number | undefined> {
  const there = await stat(name).catch(() => undefined);
  if (there === undefined) return undefined;
  for (const descriptor of Object.values(standardStreams)) {
    const status = await fileStatus(descriptor).catch(() => undefined); // It may be closed.
    if (status?.dev === there.dev && status.ino === there.ino) return descriptor;
  }
  return undefined;
}

async function openStandardStream(name: string, descriptor: number): Promise<OutputTarget> {
  const { pipe } = await stat(`/dev/fd/${descriptor}`).then(
    (status) => ({ pipe: status.isFIFO() }),
    () => ({ pipe: false }),
  );
  // A pipe is opened again, because O_NONBLOCK on the inherited descriptor would affect other processes that share it.
  const own = pipe ? await openFile(`/dev/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined) : undefined;
  return { kind: "stream", name, descriptor: own ?? descriptor, pipe, ours: own !== undefined, turns: turnsOf(descriptor) };
}

function describeOpenError(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOENT":
      return "its folder does not exist";
    case "ENXIO":
      return "nobody reads the pipe";
    default:
      return messageOf(error);
  }
}
