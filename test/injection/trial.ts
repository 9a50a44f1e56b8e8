/** One policy set full of strings: what the compiler refuses, and that the rest means what it says, however it is run. */
import { Document, visit } from "yaml";
import { writeConstant } from "../../compiler/emit/constant.ts";
import { compile, type Compiled } from "../../compiler/index.ts";
import { openCompileCache } from "../../compiler/cache.ts";
import { sourceOf } from "../../compiler/diagnostic.ts";
import type { Source } from "../../compiler/source.ts";
import type { JsonObject } from "../../runtime/cel/value.ts";
import { digest } from "../../src/texts/digest.ts";
import type { Json } from "../agree/document.ts";
import { openRandom, type Random } from "../agree/random.ts";
import { fill, slotsAt, type Places, type Slot } from "./holes.ts";
import { openGround, type Draft, type Ground, type Plant, type Question } from "./plant.ts";
import { importPlant, rolePlant, schemaPlant } from "./others.ts";
import { envelopePlant, principalPlant, resourcePlant, wildPlant } from "./policies.ts";

/** What has come of a policy set. */
export interface Grown {
  readonly slots: readonly Slot[];
  readonly compiled: Compiled;
  readonly policies: number;
  readonly questions: readonly Question[];
  readonly globals: { readonly [name: string]: string };
  /** As a realm is told of them. */
  readonly settings: string;
}

const plants: readonly (readonly [count: number, plant: (ground: Ground) => Plant])[] = [
  [4, resourcePlant],
  [1, wildPlant],
  [3, envelopePlant],
  [2, principalPlant],
  [2, importPlant],
  [2, rolePlant],
  [2, schemaPlant],
];

/** Plants strings, and lets the compiler weed until nothing is left that it refuses. */
export function grow(seed: number, set: number): Grown {
  const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(set + 1, 0x85ebca6b));
  const slots: Slot[] = [];
  const ground = openGround(random, slots);
  const planted = plants.flatMap(([count, plant]) => Array.from({ length: count }, () => plant(ground)));
  const beds = planted.flatMap(({ documents }) => documents.map((draft, index) => openBed(draft, index, random)));
  const cache = openCompileCache();
  for (let round = 0; ; round++) {
    const sources = beds.map((bed) => bed.source());
    const { compiled, diagnostics } = compile(sources, { digest, cache });
    if (compiled !== undefined) {
      const questions = planted.flatMap((plant) => plant.questions());
      const globals = Object.fromEntries(ground.globals);
      const constants = Object.fromEntries([...ground.globals].map(([name, value]) => [name, writeConstant(value)]));
      const settings = JSON.stringify({ globals: constants, maxActionsPerResource: 50 });
      return { slots, compiled, policies: sources.length, questions, globals, settings };
    }
    if (round > 20) throw new Error(`set ${set} never compiles: ${JSON.stringify(diagnostics.slice(0, 3).map(({ message }) => message))}`);
    let weeded = 0;
    for (const diagnostic of diagnostics) {
      if (diagnostic.severity !== "error") continue;
      const source = sourceOf(diagnostic);
      for (const bed of beds) if (source === undefined || source === sources[beds.indexOf(bed)]) weeded += bed.weed(diagnostic);
    }
    if (weeded === 0) {
      const [first] = diagnostics.filter(({ severity }) => severity === "error");
      throw new Error(`set ${set}: refused, and no string is to blame: ${first?.code} ${first?.path} ${first?.message}`);
    }
  }
}

/** Writes YAML in all its styles; what begins as a number is quoted, because dialects know different ones. */
function writeYaml(json: Json): string {
  const document = new Document(json);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && /^[-+.]?[\d.]/.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString();
}

interface Bed {
  readonly source: () => Source;
  /** Takes out the strings that a diagnostic is about; answers how many. */
  readonly weed: (diagnostic: { readonly code: string; readonly path?: string }) => number;
}

/** A file: written anew when one of its strings has changed, and else the same, so that it is not read again. */
function openBed({ part, path, attributes }: Draft, index: number, random: Random): Bed {
  const folder = `f${random.whole(1e9)}_${index}`;
  const isYaml = random.chance(0.12);
  let written: { readonly text: string; readonly said: string; readonly places: Places; readonly source: Source } | undefined;
  const write = (): { readonly places: Places; readonly source: Source } => {
    const { json, places } = fill(part);
    const said = attributes === undefined ? "{}" : JSON.stringify(fill(attributes).json);
    const text = JSON.stringify(json);
    if (written?.text === text && written.said === said) return written;
    const source = {
      path: path === undefined ? `${folder}.yaml` : `${folder}/${path.text}.yaml`,
      text: isYaml ? writeYaml(json) : text,
      // A true edge: what was filled is an object.
      attributes: JSON.parse(said) as JsonObject,
    };
    written = { text, said, places, source };
    return written;
  };
  return {
    source: () => write().source,
    weed({ code, path: at }) {
      let weeded = 0;
      const { places } = write();
      const found = slotsAt(places, at);
      for (const slot of found.length > 0 ? found : [...places.values()].flat()) {
        if (slot.refusedBecause !== undefined) continue;
        slot.refusedBecause = code;
        slot.text = slot.plain;
        weeded++;
      }
      return weeded;
    },
  };
}
