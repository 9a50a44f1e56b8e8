/** JSON that the policies keep and callers are shown: frozen, so that what one changes no other sees. */

/** Freezes it all the way down; once, whatever it is shown for. */
export function freezeJson(json: object): void {
  // A stack, because nobody bounds how deep a bundle's attributes are.
  const open = [json];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const part of Object.values(next) as readonly unknown[]) if (typeof part === "object" && part !== null) open.push(part);
  }
}
