/** Prints a number with its noun: `1 error`, `2 errors`. */

/** Says how many there are: `no errors`, `1 error`, `2 errors`. */
export function count(many: number, noun: string): string {
  return `${many === 0 ? "no" : many} ${noun}${many === 1 ? "" : "s"}`;
}
