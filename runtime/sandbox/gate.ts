/** Refuses program text that could make a promise: its rejection would reach the host process as an object of the realm. */

// A unit's program is identifiers, numbers and double-quoted strings. Whatever could hide a string's end (other quotes,
// comments, regular expressions, templates) is not among what the emitter writes, so it is refused, not understood.
const strings = /"(?:[^"\\\n\r]|\\[^\n\r])*"/g;
const hiding = /["'`\\/]/;
const promising = /\basync\b/;

/** Says why a program is refused, or nothing. The grammar gate will know every construct; this one knows promises. */
export function refusalOf(program: string): string | undefined {
  const rest = program.replace(strings, "_");
  const hidden = hiding.exec(rest)?.[0];
  if (hidden !== undefined) return `the program of a unit may not contain \`${hidden}\` outside a double-quoted string`;
  if (promising.test(rest)) return "the program of a unit may not be asynchronous";
  return undefined;
}
