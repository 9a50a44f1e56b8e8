/** A file of a folder -> a source of the compiler. */
import type { Source } from "../../compiler/source.ts";

/** Returns the source that a file is, by its path below the folder. */
export const sourceOf = (path: string, text: string): Source => ({ path, text, attributes: { driver: "disk", source: path } });

/** Returns the text of a file; throws a `TypeError` where it is not UTF-8. */
export const textFrom = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
