/** Prints the path to a field in a message as its sender would write it: `resources[1].resource.attr["a b"]`. */

/** One step of a path: a field name, a list index, or the key of a map entry. */
export type Step = string | number | { readonly key: string };

/** Prints a path. */
export function printPath(steps: readonly Step[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else if (typeof step === "object") path += `[${JSON.stringify(step.key)}]`;
    else path += path === "" ? step : `.${step}`;
  }
  return path;
}
