/** YAML paths as diagnostics print them: `$.resourcePolicy.rules[1].name`. */

/** The path of a whole document. */
export const rootPath = "$";

// A memo, not a state: policies have much the same paths, and every node of every one of them keeps its own.
const known = new Map<string, Map<string | number, string>>();
const mostKept = 20_000;
const longestKept = 200;
let kept = 0;

function remembered(parent: string, step: string | number, make: (parent: string, step: string | number) => string): string {
  // To look a path up is to read all of it.
  if (parent.length > longestKept) return make(parent, step);
  const before = known.get(parent)?.get(step);
  if (before !== undefined) return before;
  if (kept >= mostKept) {
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

/** The path of a mapping's field; a name with a character that means something in a path is quoted. */
export const fieldPath = (parent: string, name: string): string =>
  name.length > longestKept ? addField(parent, name) : remembered(parent, name, addField);

/** The path of a list's item. */
export const itemPath = (parent: string, index: number): string => remembered(parent, index, addItem);

const addField = (parent: string, name: string | number): string =>
  /[$*.[\]]/.test(String(name)) ? `${parent}.'${name}'` : `${parent}.${name}`;

const addItem = (parent: string, index: string | number): string => `${parent}[${index}]`;
