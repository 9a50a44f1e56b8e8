/** Documents with holes: each hole takes a string, and is found again by the YAML path that a diagnostic names. */
import { fieldPath, itemPath, rootPath } from "../../compiler/yaml/path.ts";
import type { Json } from "../agree/document.ts";

/** A string at one position of a policy. */
export interface Slot {
  /** What stands there: "an action", "a literal". */
  readonly position: string;
  /** What it says, or once it was refused, what it says instead. */
  text: string;
  /** What is said instead: nobody refuses it. */
  readonly plain: string;
  refusedBecause?: string;
}

/** A value with slots in it. */
export type Part =
  | null
  | boolean
  | number
  | string
  | readonly Part[]
  | Hole
  | Entries
  | { readonly kind?: undefined; readonly [name: string]: Part | undefined };

/** A text that is written of slots. */
export interface Hole {
  readonly kind: "hole";
  readonly slots: readonly Slot[];
  readonly write: () => string;
}

/** A mapping whose names are written of slots. */
export interface Entries {
  readonly kind: "entries";
  readonly of: readonly (readonly [name: Hole, value: Part])[];
}

/** A hole that holds one string as it is. */
export const whole = (slot: Slot): Hole => ({ kind: "hole", slots: [slot], write: () => slot.text });

/** A hole that holds a text which several strings are written into. */
export const written = (slots: readonly Slot[], write: () => string): Hole => ({ kind: "hole", slots, write });

/** A mapping with names that are holes. */
export const entries = (...of: readonly (readonly [name: Hole, value: Part])[]): Entries => ({ kind: "entries", of });

/** Slots by the path at which a diagnostic would name them. */
export type Places = ReadonlyMap<string, readonly Slot[]>;

/** Fills the holes. */
export function fill(part: Part): { readonly json: Json; readonly places: Places } {
  const places = new Map<string, readonly Slot[]>();
  const place = (path: string, slots: readonly Slot[]): void => void places.set(path, [...(places.get(path) ?? []), ...slots]);
  const walk = (at: Part, path: string): Json => {
    if (at === null || typeof at !== "object") return at;
    if (isList(at)) return at.map((item, index) => walk(item, itemPath(path, index)));
    if (isHole(at)) {
      place(path, at.slots);
      return at.write();
    }
    const named: (readonly [string, Json])[] = [];
    if (isEntries(at)) {
      for (const [hole, value] of at.of) {
        const name = hole.write();
        place(fieldPath(path, name), hole.slots);
        named.push([name, walk(value, fieldPath(path, name))]);
      }
    } else for (const [name, value] of Object.entries(at)) if (value !== undefined) named.push([name, walk(value, fieldPath(path, name))]);
    return Object.fromEntries(named);
  };
  return { json: walk(part, rootPath), places };
}

/** The slots that a diagnostic at a path is about: those that stand there, or else around it, or else below it. */
export function slotsAt(places: Places, path: string | undefined): readonly Slot[] {
  if (path === undefined) return [...places.values()].flat();
  const around = [...places].filter(([at]) => isBelow(path, at));
  if (around.length > 0) return around.flatMap(([, slots]) => slots);
  return [...places].filter(([at]) => isBelow(at, path)).flatMap(([, slots]) => slots);
}

const isBelow = (path: string, above: string): boolean =>
  path === above || (path.startsWith(above) && (path[above.length] === "." || path[above.length] === "["));

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);
const isHole = (part: object): part is Hole => "kind" in part && part.kind === "hole";
const isEntries = (part: object): part is Entries => "kind" in part && part.kind === "entries";
