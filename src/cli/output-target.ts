/**
 * Writes to the target of `-o FILE`: `-` is standard output, a file is replaced atomically and keeps its permissions, a device or pipe
 * is written to, and a symbolic link is followed.
 */
import { constants, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { codeOf, refusal } from "../refusal.ts";
import { replaceAtomically, writeAtomically } from "../texts/write-atomically.ts";
import type { CommandLine } from "./command.ts";

/** Where a command writes its output, and where it reports that. */
export interface OutputTarget {
  /** For people. */
  readonly name: string;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly report: (text: string) => void;
}

/** The name of standard output. */
export const standardOutput = "-";

/** Opens the target of `-o`; throws a refusal when the output would be unusable there, such as at a terminal. */
export function openOutputTarget(line: CommandLine, file: string): OutputTarget {
  if (file !== standardOutput) return { name: file, write: (bytes) => writeOutputFile(file, bytes), report: line.out };
  if (line.terminal) throw refusal("`-` is standard output, and that is a terminal: name a file, or pass it on to another command");
  // Our output is UTF-8, so decoding loses nothing. Messages go to standard error instead.
  return { name: "standard output", write: async (bytes) => line.out(Buffer.from(bytes).toString("utf8")), report: line.err };
}

/** Writes bytes to a file; throws a refusal when that fails. */
export async function writeOutputFile(file: string, bytes: Uint8Array): Promise<void> {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) await writeAtomically(followLinks(file), bytes, 0o666);
    else if (found.isFile()) await replaceAtomically(followLinks(file), bytes);
    else await writeInPlace(file, bytes);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(`\`${file}\` cannot be written (${code})${code === "ENOENT" ? ": its folder does not exist" : ""}`);
  }
}

/**
 * Throws a refusal when the output file is one of the input files in a directory or archive, or would be read as one from now on, and
 * make the directory unusable.
 */
export function refuseInputAsOutput(file: string, directory: string): void {
  if (file === standardOutput) return;
  const [from, to] = [realPath(directory), realPath(file)];
  const folder = realPath(dirname(file));
  const path = to ?? (folder === undefined ? undefined : join(folder, basename(file)));
  if (from === undefined || path === undefined) return;
  const isInput = path.startsWith(from.endsWith(sep) ? from : from + sep) && /\.(?:ya?ml|json)$/i.test(path);
  if (path !== from && !isInput) return;
  throw refusal(
    to === undefined
      ? `\`${file}\` would be read as a policy from \`${directory}\`: write to another file`
      : `\`${file}\` is a part of what is read from \`${directory}\`, and would be lost: write to another file`,
  );
}

async function writeInPlace(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, constants.O_WRONLY);
  try {
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

/** As many as Linux follows. */
const maxLinks = 40;

/** Follows symbolic links, also to a file that does not exist yet. */
function followLinks(file: string): string {
  let at = file;
  for (let links = 0; links < maxLinks; links += 1) {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return at;
    const to = readlinkSync(at);
    at = to.startsWith(sep) ? to : join(realpathSync(dirname(at)), to);
  }
  return file;
}

/** Returns undefined when nothing exists at the path. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
