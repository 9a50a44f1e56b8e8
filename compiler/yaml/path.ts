/** YAML paths as diagnostics print them: `$.resourcePolicy.rules[1].name`. */

/** The path of a whole document. */
export const rootPath = "$";

/** Returns the path of a mapping's field; a name with a character that means something in a path is quoted. */
export const fieldPath = (parent: string, name: string): string => (/[$*.[\]]/.test(name) ? `${parent}.'${name}'` : `${parent}.${name}`);

/** Returns the path of a list's item. */
export const itemPath = (parent: string, index: number): string => `${parent}[${index}]`;
