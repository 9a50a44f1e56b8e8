/** Computes the digest of a directory's inputs to compilation: every file is read, but contents of policies are not kept. */
import { isUtf8 } from "node:buffer";
import { openInputsDigest } from "./set-inputs.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import { readBytes, readStamped } from "../store/file-bytes.ts";
import { bytesOfText, describedSource, textFrom } from "../store/file-source.ts";
import { belowSchemas, isSchemaPath } from "../store/schema-paths.ts";
import { stampsOf, type FolderStamps } from "../store/stamps.ts";
import { fileBelow, listPaths, type Stamp } from "../store/tree.ts";

/** The contents of a directory. */
export interface FolderContents {
  readonly inputs: string;
  readonly policies: number;
  /** Absent when attributes are not validated. */
  readonly schemas?: SchemaFiles;
  /** Absent when they were not requested, or are not reliable. */
  readonly stamps?: FolderStamps;
}

/** Reads all files; undefined when one cannot be read, which somebody else must report. `stamped`: also collect stamps. */
export function readFolderContents(root: string, rules: SchemaRules | undefined, stamped: boolean): FolderContents | undefined {
  try {
    const taken = Date.now();
    const paths = listPaths(root);
    if (paths === undefined) return undefined;
    const entries: (readonly [path: string, stamp: Stamp])[] = [];
    /** The bytes are valid until the next file is read. */
    const read = (path: string): Buffer => {
      if (!stamped) return readBytes(fileBelow(root, path));
      const { stamp, bytes } = readStamped(fileBelow(root, path));
      entries.push([path, stamp]);
      return bytes;
    };
    const policies = paths.filter((path) => !isSchemaPath(path));
    const inputs = openInputsDigest(rules, policies.length);
    for (const path of policies) inputs.addSource(describedSource(path), bytesOfText(read(path)));
    const schemas = new Map<string, string>();
    for (const path of paths.filter(isSchemaPath)) {
      const bytes = read(path);
      if (!isUtf8(bytes)) return undefined; // An error even if schemas are not used.
      if (rules === undefined) continue;
      const text = textFrom(bytes);
      schemas.set(belowSchemas(path), text);
      inputs.addSchema(belowSchemas(path), text);
    }
    const stamps = stamped ? stampsOf(root, entries, taken, rules !== undefined) : undefined;
    return {
      inputs: inputs.digest(),
      policies: policies.length,
      ...(rules !== undefined && { schemas }),
      ...(stamps !== undefined && { stamps }),
    };
  } catch {
    return undefined; // Reading it reports the error.
  }
}
