/** Freezes inputs before units see them, so that no unit can change them for another. */
import type { CheckInput } from "../decide/input.ts";

/** Freezes inputs deeply. They share one principal and one set of claims. */
export function freezeInputs(inputs: readonly CheckInput[]): void {
  const [first] = inputs;
  if (first === undefined) return;
  freezeJson(first.principal);
  if (first.auxData !== undefined) freezeJson(first.auxData);
  for (const input of inputs) {
    freezeJson(input.resource);
    Object.freeze(input.actions);
    Object.freeze(input);
  }
}

// Not `harden`, which takes ten times as long. Recursion is bounded, because the reader limits nesting.
function freezeJson(of: object): void {
  if (Array.isArray(of)) {
    const list: readonly unknown[] = of;
    for (let at = 0; at < list.length; at++) freezePart(list[at]);
  } else {
    for (const name in of) freezePart((of as { readonly [name: string]: unknown })[name]); // a cast: the name is its own
  }
  Object.freeze(of);
}

function freezePart(part: unknown): void {
  if (typeof part === "object" && part !== null) freezeJson(part);
}
