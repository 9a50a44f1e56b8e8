/** Edits of what a bundle says, by somebody who knows what a bundle is: digests can be made again, so that only what is said is wrong. */
import type { Random } from "../agree/random.ts";
import { makeText } from "../injection/strings.ts";
import { attackProgram, editTokens } from "./programs.ts";
import { listAt, objectAt, textOf, unitsOf, type Json } from "./remake.ts";

/** A kind of edit. It changes what it is given. */
export interface Edit {
  readonly name: string;
  readonly weight: number;
  readonly run: (random: Random, written: { [name: string]: Json }, other: { [name: string]: Json }) => void;
}

interface Place {
  readonly at: Json[] | { [name: string]: Json };
  readonly name: string;
  readonly value: Json;
}

/** Every value of something, with what holds it. */
function placesIn(value: Json): readonly Place[] {
  const found: Place[] = [];
  const walk = (at: Json): void => {
    if (at === null || typeof at !== "object") return;
    for (const [name, inner] of Object.entries(at)) {
      found.push({ at, name, value: inner });
      walk(inner);
    }
  };
  walk(value);
  return found;
}

// A name `__proto__` in a mapping would not be a name.
const put = ({ at, name }: Place, value: Json): void =>
  void Object.defineProperty(at, name, { value, enumerable: true, configurable: true, writable: true });
const drop = ({ at, name }: Place): void => {
  if (Array.isArray(at)) at.splice(Number(name), 1);
  else delete at[name];
};
const copyOf = (value: Json): Json => JSON.parse(JSON.stringify(value));

const anyValue = (random: Random): Json =>
  random.weigh<Json>([
    [1, () => null],
    [1, () => random.chance(0.5)],
    [2, () => random.pick([0, 1, -1, 2 ** 31, 1e308, 0.5, 2 ** 53])],
    [3, () => makeText(random)],
    [1, () => ""],
    [1, () => []],
    [1, () => ({})],
    [1, () => ({ int: String(random.whole(10)) })],
    [0.3, () => ({ int: "9".repeat(20) })],
    [0.5, () => ({ bytes: "00ff" })],
    [0.5, () => ({ double: "NaN" })],
    [0.5, () => ({ object: [["__proto__", 1]] })],
    [0.5, () => ({ kind: "any" })],
    [0.5, () => ({ kind: "glob", pattern: random.pick(["*", "{", "[", "a{b,c}*", "\\"]) })],
    [0.1, () => JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`)],
    [0.05, () => "x".repeat(100_000)],
    [0.3, () => ["f", "_==_", ["v", 1], ["v", 1]]],
  ]);

const editText = (random: Random, text: string): string => {
  const at = random.whole(text.length + 1);
  return random.pick([
    () => text.slice(0, at) + makeText(random) + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1),
    () => text.toUpperCase(),
    () => "",
    () => `${text}*`,
    () => text + text,
    () => makeText(random),
    () => text.split("").toReversed().join(""),
  ])();
};

/** Changes one value, whatever it is. */
export function editOne(random: Random, value: Json): void {
  const places = placesIn(value);
  if (places.length === 0) return;
  const place = random.pick(places);
  const other = random.pick(places);
  random.weigh([
    [4, () => put(place, typeof place.value === "string" ? editText(random, place.value) : anyValue(random))],
    [3, () => put(place, anyValue(random))],
    [2, () => drop(place)],
    [3, () => put(place, copyOf(other.value))],
    [
      2,
      () => {
        const [left, right] = [copyOf(place.value), copyOf(other.value)];
        put(place, right);
        put(other, left);
      },
    ],
    [
      2,
      () => {
        if (Array.isArray(place.at)) place.at.splice(Number(place.name), 0, copyOf(place.value));
        else put({ at: place.at, name: random.chance(0.5) ? makeText(random) : other.name, value: null }, copyOf(place.value));
      },
    ],
    [
      1,
      () => {
        if (!Array.isArray(place.at)) {
          drop(place);
          put({ ...place, name: random.chance(0.5) ? editText(random, place.name) : other.name }, place.value);
        } else place.at.reverse();
      },
    ],
    [1, () => void (typeof place.value === "number" && put(place, place.value + random.pick([1, -1, 0.5, 1e9])))],
  ]);
}

function editInside(random: Random, unit: { [name: string]: Json } | undefined, name: string): void {
  const inside = unit?.[name];
  if (unit === undefined || inside === undefined) return;
  if (name !== "trees" || typeof inside !== "string") {
    const held: { [name: string]: Json } = { of: inside };
    editOne(random, held);
    const { of } = held;
    if (of !== undefined) unit[name] = of;
    return;
  }
  const trees = random.chance(0.85) ? parsed(inside) : undefined;
  if (trees !== undefined) editOne(random, trees);
  unit[name] = trees === undefined ? editText(random, inside) : JSON.stringify(trees);
}

/** What was edited before may be no JSON any more. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const pickUnit = (random: Random, written: { [name: string]: Json }): { [name: string]: Json } | undefined => {
  const units = unitsOf(written);
  return units.length === 0 ? undefined : random.pick(units);
};

/** Changes one of the programs. */
const editProgram = (random: Random, written: { [name: string]: Json }, change: (program: string) => string): void => {
  const shapes = objectAt(written, "shapes");
  const names = Object.keys(shapes);
  if (names.length === 0) return;
  const name = random.pick(names);
  shapes[name] = change(textOf(shapes[name]));
};

const swapped =
  (name: string) =>
  (random: Random, written: { [name: string]: Json }): void => {
    const [one, two] = [pickUnit(random, written), pickUnit(random, written)];
    const [left, right] = [one?.[name], two?.[name]];
    if (one === undefined || two === undefined || left === undefined || right === undefined) return;
    one[name] = right;
    two[name] = left;
  };

/** Every kind of edit. */
export const edits: readonly Edit[] = [
  {
    name: "a token of a program",
    weight: 10,
    run: (random, written) => editProgram(random, written, (program) => editTokens(random, program)),
  },
  { name: "a program of attacks", weight: 10, run: (random, written) => editProgram(random, written, () => attackProgram(random)) },
  { name: "anything", weight: 2, run: (random, written) => editOne(random, written) },
  { name: "the manifest", weight: 1, run: (random, written) => editOne(random, objectAt(written, "manifest")) },
  { name: "the legend", weight: 1, run: (random, written) => editOne(random, objectAt(written, "legend")) },
  { name: "a constant", weight: 3, run: (random, written) => editInside(random, pickUnit(random, written), "constants") },
  { name: "rows and scopes", weight: 3, run: (random, written) => editInside(random, pickUnit(random, written), "scopes") },
  { name: "a tree", weight: 4, run: (random, written) => editInside(random, pickUnit(random, written), "trees") },
  {
    name: "a name of a unit",
    weight: 1,
    run: (random, written) => {
      const unit = pickUnit(random, written);
      const name = random.pick(["id", "type", "name", "writtenName", "version", "digest", "shape"]);
      if (unit !== undefined) unit[name] = random.chance(0.6) ? editText(random, textOf(unit[name])) : anyValue(random);
    },
  },
  { name: "shapes changed about", weight: 1, run: swapped("shape") },
  { name: "constants changed about", weight: 1, run: swapped("constants") },
  { name: "trees changed about", weight: 1, run: swapped("trees") },
  { name: "scopes changed about", weight: 1, run: swapped("scopes") },
  {
    name: "names changed about",
    weight: 1,
    run: (random, written) => ["id", "name", "writtenName"].forEach((name) => swapped(name)(random, written)),
  },
  {
    name: "a unit twice",
    weight: 1,
    run: (random, written) => {
      const unit = pickUnit(random, written);
      if (unit !== undefined) listAt(written, "units").push(copyOf(unit));
    },
  },
  {
    name: "a unit left out",
    weight: 1,
    run: (random, written) => {
      const units = listAt(written, "units");
      units.splice(random.whole(units.length), 1);
    },
  },
  {
    name: "a unit of another bundle",
    weight: 1,
    run: (random, written, other) => {
      const unit = pickUnit(random, other);
      if (unit !== undefined) listAt(written, "units").push(copyOf(unit));
      if (random.chance(0.7)) Object.assign(objectAt(written, "shapes"), copyOf(objectAt(other, "shapes")));
    },
  },
  {
    name: "a schema",
    weight: 0.5,
    run: (random, written) => void listAt(written, "schemas").push(random.chance(0.5) ? [makeText(random), "{}"] : anyValue(random)),
  },
];
