/**
 * The contents of a bundle file, and how they are encoded and decoded. Encoding is deterministic: the same content gives the same
 * bytes.
 */
import type { Legend } from "../../compiler/legend/legend.ts";
import { compilerVersion, setDigest } from "../../compiler/pack.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { byUnits } from "../../runtime/order.ts";
import { digest } from "../texts/digest.ts";
import { refusal } from "../refusal.ts";
import { unsafeSchemaId } from "../store/safe-names.ts";
import { version } from "../version.ts";
import { index, isObject, list, mapping, record, text, within, wrong, type Check } from "./check.ts";
import { checkConstants, readPrograms } from "./check-constants.ts";
import { checkQuestions } from "./check-questions.ts";
import { checkLegend, legend } from "./check-legend.ts";
import { checkWords, program, unit } from "./check-unit.ts";
import { jsonOf, maxBytes, statementOf } from "./frame.ts";

/** The contents of a bundle file. */
export interface BundleContent {
  readonly bundle: Bundle;
  /** Schemas as JSON, by id. */
  readonly schemas: ReadonlyMap<string, string>;
  /** How many policy files the bundle was built from. */
  readonly policies: number;
  /** Names and source positions of the rules, for people; no decision depends on it. Absent when the builder left it out. */
  readonly legend?: Legend;
}

/** The version of the file format; `Bundle` has its own version. Version 2 added the legend. */
export const fileFormat = 2;

/** The JSON in the file. Its manifest comes first, for people and for the check of versions; the rest is a `Bundle` and its schemas. */
interface Written extends Omit<Bundle, "manifest"> {
  readonly manifest: Omit<Bundle["manifest"], "format"> & {
    readonly format: typeof fileFormat;
    readonly files: number;
    /** The keys of the deciding policies, in the order of the units. */
    readonly policies: readonly string[];
    readonly schemas: readonly string[];
  };
  readonly schemas: readonly (readonly [id: string, text: string])[];
  readonly legend: Legend;
}

/** Encodes the statement of a bundle file; throws a refusal when the policies do not fit. */
export function writeContent(content: BundleContent): Uint8Array {
  const statement = statementOf([...print(contentToWrite(content))].join(""));
  if (statement.length > maxBytes - 1024)
    throw refusal(`the bundle would be larger than ${maxBytes} bytes: split the policies into several`);
  // The result is validated here, so that the builder gets the error, and not the server.
  readContent(statement);
  return statement;
}

/**
 * Decodes and validates the untrusted statement of a bundle file. Throws a refusal ("it was built by ...") when this server cannot use
 * it.
 */
export function readContent(statement: Uint8Array): BundleContent {
  const json = textOf(statement);
  const written = check(parse(json));
  if (!isMadeOf(json, print(written)))
    throw refusal("it is not written as `authz build` writes a bundle: names in another order, or twice");
  return contentIn(written);
}

/** Validates the default export of an imported bundle file; throws as `readContent` does. */
export const contentOf = (exported: unknown): BundleContent => contentIn(check(parse(JSON.stringify(exported) ?? "")));

function check(value: unknown): Written {
  checkVersions(value);
  whole(value, "");
  // This cast is safe: every field has just been checked.
  const written = value as Written;
  checkTogether(written);
  return written;
}

function contentIn({ manifest, shapes, units, schemas, legend: said }: Written): BundleContent {
  const { digest: setDigest, files } = manifest;
  return {
    bundle: { manifest: { format: 1, compilerVersion, digest: setDigest }, shapes, units },
    schemas: new Map(schemas),
    policies: files,
    ...(said.sources.length > 0 && { legend: said }),
  };
}

const nothing: Legend = { sources: [], units: [] };

function contentToWrite({ bundle, schemas, policies, legend: said = nothing }: BundleContent): Written {
  const inOrder = [...schemas].toSorted(([left], [right]) => byUnits(left, right));
  return {
    manifest: {
      ...bundle.manifest,
      format: fileFormat,
      files: policies,
      policies: bundle.units.flatMap(({ scopes }) => scopes.map(({ key }) => key)),
      schemas: inOrder.map(([id]) => id),
    },
    shapes: bundle.shapes,
    units: bundle.units,
    schemas: inOrder,
    legend: said,
  };
}

/** Prints one item per line, so that a textual diff of two bundles is readable. */
function* print({ manifest, shapes, units, schemas, legend: said }: Written): Generator<string> {
  const line = JSON.stringify;
  yield `{\n"manifest":${line(manifest)},\n"shapes":{`;
  yield* inLines(Object.entries(shapes), ([name, program]) => `${line(name)}:${line(program)}`);
  yield `},\n"units":[`;
  yield* inLines(units, line);
  yield `],\n"schemas":[`;
  yield* inLines(schemas, line);
  yield `],\n"legend":{"sources":${line(said.sources)},"units":[`;
  yield* inLines(said.units, line);
  yield "]}\n}";
}

function* inLines<T>(items: readonly T[], line: (item: T) => string): Generator<string> {
  let before = "\n";
  for (const item of items) {
    yield `${before}${line(item)}`;
    before = ",\n";
  }
  if (items.length > 0) yield "\n";
}

/** Returns whether a string is the concatenation of pieces, without building it: bundles are large. */
function isMadeOf(text: string, pieces: Iterable<string>): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (!text.startsWith(piece, at)) return false;
    at += piece.length;
  }
  return at === text.length;
}

/** Checked first, because the output of another compiler version may have a different structure. */
function checkVersions(value: unknown): void {
  const manifest = isObject(value) && isObject(value["manifest"]) ? value["manifest"] : {};
  const { format, compilerVersion: built } = manifest;
  if (format !== undefined && format !== fileFormat)
    throw refusal(
      typeof format === "number" && format < fileFormat
        ? `it is of format ${shown(format)}, and format ${fileFormat} is read here: build it again with \`authz build\` of authz ${version}`
        : `it is of format ${shown(format)}, and format ${fileFormat} is read here: build it with authz ${version}, or use a newer one`,
    );
  if (built !== compilerVersion)
    throw refusal(
      `it was built by compiler ${shown(built)}, and this server runs what compiler ${compilerVersion} builds: build it again with \`authz build\` of authz ${version}`,
    );
}

const anyText = text();
const count = index(Number.MAX_SAFE_INTEGER);
const schema: Check = (value, at) => {
  if (!Array.isArray(value) || value.length !== 2) return wrong(at, "must be an id and a string");
  value.forEach((part: unknown, place) => anyText(part, within(at, place)));
  const problem = unsafeSchemaId(String(value[0]));
  if (problem !== undefined) wrong(within(at, 0), problem);
};
const whole = record({
  manifest: record({
    format: index(fileFormat + 1),
    compilerVersion: anyText,
    digest: anyText,
    files: count,
    policies: list(anyText),
    schemas: list(anyText),
  }),
  shapes: mapping(program),
  units: list(unit),
  schemas: list(schema),
  legend,
});

/** Checks that the parts are consistent with each other. */
function checkTogether({ manifest, shapes, units, schemas, legend: said }: Written): void {
  const programs = readPrograms(shapes);
  const unused = new Set(Object.keys(shapes));
  units.forEach((one, place) => {
    const at = within("units", place);
    if (place > 0 && byUnits(units[place - 1]?.id ?? "", one.id) >= 0) wrong(at, "does not stand in the order of ids");
    const known = programs.get(one.shape);
    if (known === undefined) return wrong(within(at, "shape"), "is not among the shapes");
    unused.delete(one.shape);
    checkQuestions(one, known.questions, at);
    checkWords(one, at);
    checkConstants(one, known.uses, at);
  });
  if (unused.size > 0) wrong("shapes", "has one that no unit has");
  schemas.forEach(([id], place) => {
    if (place > 0 && byUnits(schemas[place - 1]?.[0] ?? "", id) >= 0) wrong(`schemas[${place}]`, "does not stand in the order of ids");
  });
  const keys = units.flatMap(({ scopes }) => scopes.map(({ key }) => key));
  const ids = schemas.map(([id]) => id);
  if (manifest.policies.join("\n") !== keys.join("\n") || manifest.schemas.join("\n") !== ids.join("\n"))
    wrong("manifest", "does not list what the bundle holds");
  if (manifest.digest !== setDigest(Object.keys(shapes), units, digest)) wrong("manifest.digest", "does not fit the units");
  checkLegend(said, units);
}

function textOf(statement: Uint8Array): string {
  try {
    return jsonOf(statement);
  } catch {
    throw refusal("it is not UTF-8 text");
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw refusal("what it exports is not JSON");
  }
}

const shown = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? `${value}`.slice(0, 20) : "none");
