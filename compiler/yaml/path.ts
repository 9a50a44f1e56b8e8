/** Builds the YAML paths of diagnostics: `$.resourcePolicy.rules[1].name`. */

/** The path of the document root. */
export const rootPath = "$";

// Only a cache: policies have much the same paths, and every node keeps its path.
const known = new Map<string, Map<string | number, string>>();
const maxKept = 20_000;
const longestKept = 200;
let kept = 0;

function remembered(parent: string, step: string | number, make: (parent: string, step: string | number) => string): string {
  // Hashing a path reads all of it, so long ones are not cached.
  if (parent.length > longestKept) return make(parent, step);
  const before = known.get(parent)?.get(step);
  if (before !== undefined) return before;
  if (kept >= maxKept) {
    known.clear();
    kept = 0;
  }
  const path = make(parent, step);
  const steps = known.get(parent);
  if (steps === undefined) known.set(parent, new Map([[step, path]]));
  else steps.set(step, path);
  kept++;
  return path;
}

/** Returns the path of a field of a mapping. A name with a character that is special in paths is quoted. */
export const fieldPath = (parent: string, name: string): string =>
  name.length > longestKept ? addField(parent, name) : remembered(parent, name, addField);

/** Returns the path of an item of a list. */
export const itemPath = (parent: string, index: number): string => remembered(parent, index, addItem);

const addField = (parent: string, name: string | number): string =>
  /[$*.[\]]/.test(String(name)) ? `${parent}.'${name}'` : `${parent}.${name}`;

const addItem = (parent: string, index: string | number): string => `${parent}[${index}]`;
