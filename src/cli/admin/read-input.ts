/** Reads files, pipes and standard input, all of bounded size. */
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isatty } from "node:tty";
import { codeOf, refusal } from "../../refusal.ts";

/** The size limit, the same as that of a bundle. */
const mostMebibytes = 64;
const mostBytes = mostMebibytes * 1024 * 1024;
const tooLarge = (): Error => refusal(`it is larger than ${mostMebibytes} MiB: split it into several files`);

/** How many milliseconds to wait for a writer of a named pipe, and the polling interval. */
const patienceMilliseconds = 2000;
const lookMilliseconds = 20;

/** Reads a file, or a pipe such as a shell's `<(...)`. Rejects with a refusal when it is too large or never ends. */
export async function readNamed(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe without a writer would block.
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

/** Reads standard input to its end; rejects with a refusal when it is too large. */
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
