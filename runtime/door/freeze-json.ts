/** Freezes JSON that several can see, such as callers, hooks and the policies themselves, so that none can change it for others. */

/** Freezes an object deeply; parts that are frozen already are skipped. */
export function freezeJson(json: object): void {
  if (Object.isFrozen(json)) return; // most are, and need no stack
  // An explicit stack, because the nesting of a bundle's attributes is not bounded.
  const open = [json];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const part of Object.values(next) as readonly unknown[]) if (typeof part === "object" && part !== null) open.push(part);
  }
}
