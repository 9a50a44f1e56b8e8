/** What a bundle says, as JSON that can be changed; and how it is made whole again, as by somebody who means what he says. */
import { programIdentity, unitDigest } from "../../compiler/emit/unit-digest.ts";
import { compilerVersion, setDigest } from "../../compiler/pack.ts";
import type { BundledUnit } from "../../runtime/bundle.ts";
import { keyOf } from "../../runtime/decide/policy-name.ts";
import { statementOf } from "../../src/bundle/frame.ts";
import { digest } from "../../src/texts/digest.ts";

/** JSON that can be changed in place. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Tells an object from lists and the rest. */
export const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** The list that has a name; none is an empty one. */
export const listAt = (value: { [name: string]: Json }, name: string): Json[] => {
  const found = value[name];
  return Array.isArray(found) ? found : [];
};
/** The object that has a name; none is an empty one. */
export const objectAt = (value: { [name: string]: Json }, name: string): { [name: string]: Json } => {
  const found = value[name];
  return isObject(found) ? found : {};
};
/** The units of a bundle, as far as they are objects. */
export const unitsOf = (written: { [name: string]: Json }): { [name: string]: Json }[] => listAt(written, "units").filter(isObject);
/** A text as it is, and anything else as JSON. */
export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Makes every digest fit what it is of, and brings all in order: what a builder would do who means what he says. */
export function remake(written: { [name: string]: Json }): void {
  const renamed = new Map<string, string>();
  const shapes: [string, Json][] = Object.entries(objectAt(written, "shapes")).map(([name, program]) => {
    const own = typeof program === "string" ? digest(program) : name;
    renamed.set(name, own);
    return [own, program];
  });
  const units = unitsOf(written);
  for (const unit of units) {
    const { shape } = unit;
    if (typeof shape === "string") unit["shape"] = renamed.get(shape) ?? shape;
  }
  const used = new Set(units.map(({ shape }) => shape));
  written["shapes"] = Object.fromEntries(shapes.filter(([name]) => used.has(name)).toSorted(byName));
  const seen = new Map(units.map((unit) => [textOf(unit["id"]), unit]));
  const kept = [...seen].toSorted(byName).map(([, unit]) => unit);
  for (const unit of kept) {
    // A true edge: a digest can be made of anything that is JSON.
    const made = unit as unknown as BundledUnit;
    if (Array.isArray(unit["scopes"]))
      for (const scope of unit["scopes"])
        if (isObject(scope))
          scope["key"] = keyOf(made.type, made.name, made.version, typeof scope["scope"] === "string" ? scope["scope"] : "");
    unit["digest"] = unitDigest(made, programIdentity(made, digest), digest);
  }
  written["units"] = kept;
  // A bundle may have no legend; one that speaks of other units is refused.
  if (listAt(objectAt(written, "legend"), "units").length !== kept.length) written["legend"] = { sources: [], units: [] };
  const manifest = objectAt(written, "manifest");
  manifest["compilerVersion"] = compilerVersion;
  manifest["policies"] = kept.flatMap((unit) => listAt(unit, "scopes").map((scope) => (isObject(scope) ? (scope["key"] ?? null) : null)));
  // A true edge, as above.
  manifest["digest"] = setDigest(Object.keys(objectAt(written, "shapes")), kept as unknown as BundledUnit[], digest);
}

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : left > right ? 1 : 0;

/** Writes a statement as bundles are written. */
export function printStatement(written: { readonly [name: string]: Json }): Uint8Array {
  const line = (value: Json | undefined): string => JSON.stringify(value) ?? "null";
  const lines = (items: readonly string[]): string => (items.length === 0 ? "" : `\n${items.join(",\n")}\n`);
  const { manifest, shapes, units, schemas, legend, ...more } = written;
  const list = (value: Json | undefined): string => (Array.isArray(value) ? `[${lines(value.map(line))}]` : line(value));
  const parts = [
    ...(manifest === undefined ? [] : [`"manifest":${line(manifest)}`]),
    ...(shapes === undefined
      ? []
      : [
          `"shapes":${isObject(shapes) ? `{${lines(Object.entries(shapes).map(([name, text]) => `${line(name)}:${line(text)}`))}}` : line(shapes)}`,
        ]),
    ...(units === undefined ? [] : [`"units":${list(units)}`]),
    ...(schemas === undefined ? [] : [`"schemas":${list(schemas)}`]),
    ...(legend === undefined ? [] : [`"legend":${isObject(legend) ? printLegend(legend) : line(legend)}`]),
    ...Object.entries(more).map(([name, value]) => `${line(name)}:${line(value)}`),
  ];
  return statementOf(`{\n${parts.join(",\n")}\n}`);

  function printLegend(of: { readonly [name: string]: Json }): string {
    return `{${Object.entries(of)
      .map(([name, value]) => `${line(name)}:${name === "units" ? list(value) : line(value)}`)
      .join(",")}}`;
  }
}
