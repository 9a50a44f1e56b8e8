/** Refuses text that could make a promise, whatever the gate thought of it: a rejection is the one thing of the realm that reaches the host by itself. */

// Neither word can be written with an escape where it means something. Strings are skipped as long as nothing stands between
// them that could hide where one ends; then the text is refused, not understood.
const promising = /\basync\b|\bimport\b(?!\s*(?:\(|\/[/*]))/; // what is excepted ses refuses, strings and all
const strings = /"(?:[^"\\\n\r]|\\[^\n\r])*"/g;
const hiding = /["'`\\/]/;

/** Says why a program could make a promise, or nothing. */
export function promiseIn(program: string): string | undefined {
  if (!promising.test(program)) return undefined;
  const rest = program.replace(strings, "_");
  return promising.test(rest) || hiding.test(rest) ? "the program of a unit may not be asynchronous" : undefined;
}
