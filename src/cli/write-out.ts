/** Writes what `-o FILE` names: `-` is standard output, a file is replaced whole, a device or a pipe is written to, and a link stays what it is. */
import { constants, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { codeOf, refusal } from "../refusal.ts";
import { writeWhole } from "../texts/write-whole.ts";
import type { CommandLine } from "./command.ts";

/** Where a command writes, and where it says what it has written. */
export interface Out {
  /** For people. */
  readonly name: string;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly say: (text: string) => void;
}

/** What names standard output. */
export const standardOutput = "-";

/** Opens what `-o` names; throws a refusal where nobody could use what is written there. */
export function openOut(line: CommandLine, file: string): Out {
  if (file !== standardOutput) return { name: file, write: (bytes) => writeOut(file, bytes), say: line.out };
  if (line.terminal) throw refusal("`-` is standard output, and that is a terminal: name a file, or pass it on to another command");
  // Texts of ours are UTF-8, so that nothing is lost. What is said of it must not stand in it.
  return { name: "standard output", write: async (bytes) => line.out(Buffer.from(bytes).toString("utf8")), say: line.err };
}

/** Writes it; throws a refusal when it cannot. */
export async function writeOut(file: string, bytes: Uint8Array): Promise<void> {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) await writeWhole(behindLinks(file), bytes, 0o666);
    else await writeInto(file, bytes);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(`\`${file}\` cannot be written (${code})${code === "ENOENT" ? ": its folder does not exist" : ""}`);
  }
}

/** Throws a refusal when a file to write is one that the policies in a folder or an archive are made of. */
export function refuseAmongInput(file: string, directory: string): void {
  if (file === standardOutput) return;
  const [from, to] = [realPath(directory), realPath(file)];
  if (from === undefined || to === undefined) return;
  if (to === from || (to.startsWith(from.endsWith(sep) ? from : from + sep) && /\.(?:ya?ml|json)$/i.test(to)))
    throw refusal(`\`${file}\` is a part of what is read from \`${directory}\`, and would be lost: write to another file`);
}

async function writeInto(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, constants.O_WRONLY);
  try {
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

/** As many as the system itself follows. */
const mostLinks = 40;

/** Returns where the file stands that links lead to, whether it is there already or not. */
function behindLinks(file: string): string {
  let at = file;
  for (let links = 0; links < mostLinks; links += 1) {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return at;
    const to = readlinkSync(at);
    at = to.startsWith(sep) ? to : join(realpathSync(dirname(at)), to);
  }
  return file;
}

/** Undefined where there is nothing. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
