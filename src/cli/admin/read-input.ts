/** Reads files, pipes and standard input, all of bounded size. */
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isatty } from "node:tty";
import { codeOf, refusal } from "../../refusal.ts";

/** The size limit, the same as that of a bundle. */
const maxMebibytes = 64;
const maxBytes = maxMebibytes * 1024 * 1024;
const tooLarge = (): Error => refusal(`it is larger than ${maxMebibytes} MiB: split it into several files`);

/** How many milliseconds to wait for a writer of a named pipe, and the polling interval. */
const writerTimeoutMilliseconds = 2000;
const pollMilliseconds = 20;

/** Reads a file, or a pipe such as a shell's `<(...)`. Rejects with a refusal when it is too large or never ends. */
export async function readPath(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe without a writer would block.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    if (found.isFile() && found.size > maxBytes) throw tooLarge();
    return await readToEnd(handle, found.isFIFO() ? "pipe" : isatty(handle.fd) ? "terminal" : "file");
  } finally {
    await handle.close();
  }
}

async function readToEnd(handle: FileHandle, kind: "file" | "pipe" | "terminal"): Promise<Buffer> {
  const collector = openByteCollector();
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
    else if (kind !== "pipe" || isWritten) return collector.concat();
    else if (performance.now() - began > writerTimeoutMilliseconds) throw refusal("it is a pipe, and nobody writes to it");
    if (typeof read === "number" && read > 0) collector.add(Buffer.from(part.subarray(0, read)));
    else await delay(pollMilliseconds);
  }
}

/** Reads standard input to its end; rejects with a refusal when it is too large. */
export async function readStandardInput(input: Readable): Promise<Buffer> {
  const collector = openByteCollector();
  for await (const chunk of input) collector.add(Buffer.from(chunk));
  return collector.concat();
}

interface ByteCollector {
  readonly add: (part: Buffer) => void;
  readonly concat: () => Buffer;
}

function openByteCollector(): ByteCollector {
  const parts: Buffer[] = [];
  let size = 0;
  return {
    add: (part) => {
      size += part.length;
      if (size > maxBytes) throw tooLarge();
      parts.push(part);
    },
    concat: () => Buffer.concat(parts),
  };
}
