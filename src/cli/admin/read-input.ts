/** Reads what an administrator names, or types: files of bounded size, and pipes that somebody writes to. */
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isatty } from "node:tty";
import { codeOf, refusal } from "../../refusal.ts";

/** As large as a bundle may be: whoever has more in one file splits it. */
const mostMebibytes = 64;
const mostBytes = mostMebibytes * 1024 * 1024;
const tooLarge = (): Error => refusal(`it is larger than ${mostMebibytes} MiB: split it into several files`);

/** How long is waited for whoever may write to a pipe that has a name, and how often it is looked at. */
const patienceMilliseconds = 2000;
const lookMilliseconds = 20;

/** Reads a file, or a pipe as a shell's `<(...)`; rejects, with a refusal where it goes on for too long or for ever. */
export async function readNamed(path: string): Promise<Buffer> {
  // A pipe that nobody writes to would keep whoever opens it waiting otherwise.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    if (found.isFile() && found.size > mostBytes) throw tooLarge();
    return await readToEnd(handle, found.isFIFO() ? "pipe" : isatty(handle.fd) ? "terminal" : "file");
  } finally {
    await handle.close();
  }
}

async function readToEnd(handle: FileHandle, kind: "file" | "pipe" | "terminal"): Promise<Buffer> {
  const gathered = openGathering();
  const part = Buffer.alloc(2 ** 16);
  const began = performance.now();
  for (let isWritten = false; ;) {
    const read = await handle.read(part, 0, part.length, null).then(
      ({ bytesRead }) => bytesRead,
      (error: unknown) => {
        if (codeOf(error) === "EAGAIN" && kind !== "file") return "later";
        throw error;
      },
    );
    if (read !== 0) isWritten = true;
    else if (kind !== "pipe" || isWritten) return gathered.whole();
    else if (performance.now() - began > patienceMilliseconds) throw refusal("it is a pipe, and nobody writes to it");
    if (typeof read === "number" && read > 0) gathered.add(Buffer.from(part.subarray(0, read)));
    else await delay(lookMilliseconds);
  }
}

/** Reads standard input to its end; rejects with a refusal where it goes on for too long. */
export async function readTyped(input: Readable): Promise<Buffer> {
  const gathered = openGathering();
  for await (const chunk of input) gathered.add(Buffer.from(chunk));
  return gathered.whole();
}

interface Gathering {
  readonly add: (part: Buffer) => void;
  readonly whole: () => Buffer;
}

function openGathering(): Gathering {
  const parts: Buffer[] = [];
  let size = 0;
  return {
    add: (part) => {
      size += part.length;
      if (size > mostBytes) throw tooLarge();
      parts.push(part);
    },
    whole: () => Buffer.concat(parts),
  };
}
