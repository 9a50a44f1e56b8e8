/** Action patterns for generated code. */
import { isPlainGlob, openGlob } from "../decide/glob.ts";
import { priceOfAction, priceOfGlob } from "../decide/price.ts";
import { work } from "../cel/work.ts";

/** Matching a pattern up to this length is too little work to be counted. */
const short = 64;

/**
 * Returns the matcher of a pattern. An expensive pattern counts its work on each call, because a program may call it
 * any number of times.
 */
export function glob(pattern: string): (action: string) => boolean {
  const matches = openGlob(pattern);
  if (isPlainGlob(pattern) && pattern.length <= short) return matches;
  const price = priceOfGlob(pattern);
  return (action) => {
    work(priceOfAction(price, action));
    return matches(action);
  };
}
