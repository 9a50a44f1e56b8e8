/**
 * Refuses text that could create a promise, independently of the gate: a rejected promise is the only object of the
 * realm that reaches the host by itself.
 */

// Neither word can contain an escape where it has a meaning. Strings are removed if nothing is left that could hide
// where one ends; otherwise the text is refused without further analysis.
const promising = /\basync\b|\bimport\b(?!\s*(?:\(|\/[/*]))/; // what is excepted, ses refuses, even in strings
const strings = /"(?:[^"\\\n\r]|\\[^\n\r])*"/g;
const hiding = /["'`\\/]/;

/** Returns why a program could create a promise; undefined if it cannot. */
export function promiseIn(program: string): string | undefined {
  if (!promising.test(program)) return undefined;
  const rest = program.replace(strings, "_");
  return promising.test(rest) || hiding.test(rest) ? "the program of a unit may not be asynchronous" : undefined;
}
