/** Patterns of actions, as generated code asks them. */
import { isPlainGlob, openGlob } from "../decide/glob.ts";
import { priceOfAction, priceOfGlob } from "../decide/price.ts";
import { work } from "../cel/work.ts";

/** A pattern up to this length is compared in too little time to be counted. */
const short = 64;

/** Answers what matches a pattern. A pattern that takes long draws what it takes: a program may ask it as often as it likes. */
export function glob(pattern: string): (action: string) => boolean {
  const matches = openGlob(pattern);
  if (isPlainGlob(pattern) && pattern.length <= short) return matches;
  const price = priceOfGlob(pattern);
  return (action) => {
    work(priceOfAction(price, action));
    return matches(action);
  };
}
