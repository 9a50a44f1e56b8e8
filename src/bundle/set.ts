/** The policy set of a bundle file as a server uses it: units and schemas, without the legend. */
import { compilerVersion } from "../../compiler/pack.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { bundleInPieces, wholeText } from "../texts/in-pieces.ts";
import type { BundleContent } from "./file.ts";
import { openingLength } from "./frame.ts";

/** The policy set of a bundle file. */
export interface BundleSet {
  /** The digest of the policy set, not of the file. */
  readonly digest: string;
  /** How many policy files it was built from. */
  readonly policies: number;
  /** How many policies decide. */
  readonly deciding: number;
  readonly schemas: ReadonlyMap<string, string>;
  readonly bundle: () => Bundle;
}

/** A set, and its bundle as JSON for the sandbox. */
export interface SetAndText {
  readonly set: BundleSet;
  readonly text: string;
}

/** Extracts the set from the contents of a file. The legend, about half of a file, is only for people and is not kept in memory. */
export const setOf = ({ bundle, schemas, policies }: BundleContent): SetAndText => ({
  set: {
    digest: bundle.manifest.digest,
    policies,
    deciding: bundle.units.reduce((sum, { scopes }) => sum + scopes.length, 0),
    schemas,
    bundle: () => bundle,
  },
  text: wholeText(bundleInPieces(bundle)),
});

/**
 * Extracts the set from a statement that `readContent` of this same program has accepted before. It is known to have our line
 * structure, so the units are parsed on demand and the legend is not even decoded.
 */
export function knownSet(statement: Uint8Array): SetAndText {
  const bytes = Buffer.from(statement.buffer, statement.byteOffset, statement.byteLength);
  const legend = lastPlaceOf(bytes, ',\n"legend":');
  const schemas = lastPlaceOf(bytes.subarray(0, legend), ',\n"schemas":[');
  const shapes = bytes.indexOf(',\n"shapes":{');
  invariant(shapes !== -1, "a statement that was found good has all its parts");
  const { digest, files, policies }: { digest: string; files: number; policies: readonly string[] } = JSON.parse(
    bytes.toString("utf8", openingLength + '{\n"manifest":'.length, shapes),
  );
  const manifest: Bundle["manifest"] = { format: 1, compilerVersion, digest };
  const text = decodedBetween(bytes, `{"manifest":${JSON.stringify(manifest)}`, [shapes, schemas], "}");
  let bundle: Bundle | undefined;
  const set: BundleSet = {
    digest,
    policies: files,
    deciding: policies.length,
    schemas: new Map(JSON.parse(bytes.toString("utf8", schemas + ',\n"schemas":'.length, legend))),
    bundle: () => (bundle ??= JSON.parse(text)),
  };
  return { set, text };
}

/**
 * Decodes a range of bytes with a prefix and a suffix. They are temporarily written over the bytes around it, because concatenating
 * strings would copy the whole.
 */
function decodedBetween(bytes: Buffer, before: string, [start, end]: readonly [number, number], after: string): string {
  const from = start - Buffer.byteLength(before);
  const to = end + Buffer.byteLength(after);
  invariant(from >= 0 && to <= bytes.length, "what stands before and after is longer");
  const covered = [Buffer.from(bytes.subarray(from, start)), Buffer.from(bytes.subarray(end, to))] as const;
  bytes.write(before, from);
  bytes.write(after, end);
  const text = bytes.toString("utf8", from, to);
  bytes.set(covered[0], from);
  bytes.set(covered[1], end);
  return text;
}

// JSON strings contain no line feeds, so the beginning of a line is never within a string.
function lastPlaceOf(bytes: Buffer, line: string): number {
  const place = bytes.lastIndexOf(line);
  invariant(place !== -1, "a statement that was found good has all its parts");
  return place;
}
