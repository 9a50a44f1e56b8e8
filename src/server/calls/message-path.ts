/** The path of a place in a message, printed as its sender would write it: `resources[1].resource.attr["a b"]`. */

/** One step down: to a field by its name, to an item of a list, to an entry of a map. */
export type Step = string | number | { readonly key: string };

/** Prints the way down. */
export function printPath(steps: readonly Step[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else if (typeof step === "object") path += `[${JSON.stringify(step.key)}]`;
    else path += path === "" ? step : `.${step}`;
  }
  return path;
}
