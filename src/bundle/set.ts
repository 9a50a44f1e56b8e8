/** What a server takes from a bundle file. */
import { compilerVersion } from "../../compiler/pack.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { BundleContent } from "./file.ts";
import { openingLength } from "./frame.ts";

/** The policy set of a bundle file. */
export interface BundleSet {
  /** Of the set, whatever else the file says. */
  readonly digest: string;
  /** How many policy files it was built from. */
  readonly policies: number;
  /** How many policies decide. */
  readonly deciding: number;
  readonly schemas: ReadonlyMap<string, string>;
  readonly bundle: () => Bundle;
}

/** A set, and its bundle as JSON: what the realm is given. */
export interface SetAndText {
  readonly set: BundleSet;
  readonly text: string;
}

/** Takes it from what was read; the legend is for people who look at the file, and half of the file is kept in memory for nobody. */
export const setOf = ({ bundle, schemas, policies }: BundleContent): SetAndText => ({
  set: {
    digest: bundle.manifest.digest,
    policies,
    deciding: bundle.units.reduce((sum, { scopes }) => sum + scopes.length, 0),
    schemas,
    bundle: () => bundle,
  },
  text: JSON.stringify(bundle),
});

/**
 * Takes it from a statement that `readContent` of this very program has read before, and found good: it is written as we
 * write it, line by line, and its units are parsed when somebody asks for them. The legend is not even decoded.
 */
export function knownSet(statement: Uint8Array): SetAndText {
  const bytes = Buffer.from(statement.buffer, statement.byteOffset, statement.byteLength);
  const json = bytes.toString("utf8", openingLength, endOf(bytes, ',\n"legend":'));
  const shapes = placeOf(json, ',\n"shapes":');
  const schemas = placeOf(json, ',\n"schemas":');
  const { digest, files, policies }: { digest: string; files: number; policies: readonly string[] } = JSON.parse(
    json.slice('{\n"manifest":'.length, shapes),
  );
  const manifest: Bundle["manifest"] = { format: 1, compilerVersion, digest };
  const text = `{"manifest":${JSON.stringify(manifest)}${json.slice(shapes, schemas)}}`;
  let bundle: Bundle | undefined;
  const set: BundleSet = {
    digest,
    policies: files,
    deciding: policies.length,
    schemas: new Map(JSON.parse(json.slice(schemas + ',\n"schemas":'.length))),
    bundle: () => (bundle ??= JSON.parse(text)),
  };
  return { set, text };
}

// No text of JSON holds a line feed: what begins a line is no part of one.
function placeOf(json: string, line: string): number {
  const place = json.indexOf(line);
  invariant(place !== -1, "a statement that was found good has all its parts");
  return place;
}

function endOf(bytes: Buffer, line: string): number {
  const place = bytes.lastIndexOf(line);
  invariant(place !== -1, "a statement that was found good has all its parts");
  return place;
}
