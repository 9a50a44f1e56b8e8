/** Freezes what is asked before a unit sees it: what one unit is shown, no other can have changed. */
import type { CheckInput } from "../decide/input.ts";

/** Freezes inputs, all the way down. They share one principal and one set of claims. */
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

// By hand, because the realm's own `harden` takes ten times as long. The depth of a request is bounded where it is read.
function freezeJson(of: object): void {
  if (Array.isArray(of)) {
    const list: readonly unknown[] = of;
    for (let at = 0; at < list.length; at++) freezePart(list[at]);
  } else {
    for (const name in of) freezePart((of as { readonly [name: string]: unknown })[name]); // a true edge: the name is its own
  }
  Object.freeze(of);
}

function freezePart(part: unknown): void {
  if (typeof part === "object" && part !== null) freezeJson(part);
}
