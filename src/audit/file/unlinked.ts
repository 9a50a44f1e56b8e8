/** Tells whether an open file has been unlinked: at once where the kernel knows it without asking a disk or another machine. */
import { fstatSync } from "node:fs";
import { answersFromMemory } from "../../file-systems.ts";
import { fileStatus } from "./descriptor.ts";

/** Returns whether an open file has no name any more. */
export type IsUnlinked = (descriptor: number) => boolean | Promise<boolean>;

/**
 * Returns the test for files at a path. It is made after each batch of lines: where the answer may take long, a thread waits for it, which
 * costs more than the answer.
 */
export const unlinkedTest = async (path: string): Promise<IsUnlinked> =>
  (await answersFromMemory(path))
    ? (descriptor) => fstatSync(descriptor).nlink === 0
    : async (descriptor) => (await fileStatus(descriptor)).nlink === 0;
