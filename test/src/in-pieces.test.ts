/** Long texts in pieces: together they are the text. */
import { expect, test } from "vitest";
import type { Bundle, BundleChange } from "../../runtime/bundle.ts";
import { bundleInPieces, changeInPieces, readOnce, groupPieces, textInPieces, wholeText } from "../../src/texts/in-pieces.ts";
import { bundleOf } from "../runtime/sandbox/open.ts";

const { manifest, shapes, units } = bundleOf("(rt, k) => k");
const withUnits = (count: number): Bundle => ({
  manifest,
  shapes,
  units: Array.from({ length: count }, (_, index) =>
    units.map((unit) => ({ ...unit, id: `resource "${index}" \u{1f600}@default` })),
  ).flat(),
});

test.each([0, 1, 2, 127, 128, 129, 300])("a bundle of %i units", (count) => {
  const bundle = withUnits(count);
  const pieces = [...bundleInPieces(bundle)];
  const text = wholeText(pieces);
  expect(pieces.slice(0, -1).every((piece) => piece.endsWith("\n"))).toBe(true);
  expect(JSON.parse(text)).toEqual(bundle);
  expect(text.split(/,?\n/).slice(1, -1).filter(Boolean)).toEqual(bundle.units.map((unit) => JSON.stringify(unit)));
});

test.each([
  [0, 0],
  [0, 1],
  [1, 0],
  [2, 3],
])("a change with %i shapes and %i units", (shapeCount, unitCount) => {
  const change: BundleChange = {
    from: "before",
    manifest,
    shapes: Object.fromEntries(Array.from({ length: shapeCount }, (_, index) => [`shape "${index}"`, "(rt, k) => {\n}"])),
    units: withUnits(unitCount).units,
    removed: ['resource "gone"@default'],
  };
  const pieces = [...changeInPieces(change)];
  expect(JSON.parse(wholeText(pieces))).toEqual(change);
  expect(pieces.slice(0, -1).map((piece) => piece.indexOf("\n") === piece.length - 1)).toEqual(pieces.slice(1).map(() => true));
  expect(pieces).toHaveLength(shapeCount + unitCount + 3);
});

test.each<readonly [what: string, lengths: readonly number[], parcels: readonly (readonly number[])[]]>([
  ["nothing", [], []],
  ["a little", [1, 2, 3], [[1, 2, 3]]],
  ["much", [300_000, 1, 2], [[300_000], [1, 2]]],
  ["little by little", Array.from({ length: 3 }, () => 200_000), [[200_000, 200_000], [200_000]]],
])("pieces travel together with others that are small: %s", (_what, lengths, parcels) => {
  const found = [...groupPieces(lengths.map((length) => "x".repeat(length)))];
  expect(found.map((parcel) => parcel.map(({ length }) => length))).toEqual(parcels);
});

test.each([
  ["nothing", ""],
  ["a little", "one"],
  ["much", "1234567".repeat(100_000)],
  ["pairs of surrogates", `x${"\u{1f600}".repeat(300_000)}`],
])("a text: %s", (_what, text) => {
  expect(wholeText(textInPieces(text)) === text).toBe(true);
});

test("pieces that are handed over are there once", () => {
  const pieces = ["a", "b"];
  const over = readOnce(pieces);
  expect([wholeText(over), wholeText(over), pieces]).toEqual(["ab", "", []]);
});
