/** When a server is warm: a request costs no less any more than it did before. */
import type { Cost } from "./cost.ts";

/** So many spells in a row must bring nothing: a single one may have been disturbed. */
const spells = 3;
const maxSpells = 15;
/** What is won by less than this is noise. */
const least = 0.95;

/** Loads a server in spells until it is level, and answers the first of them: what the first requests cost. */
export async function untilLevel(spell: () => Promise<Cost>): Promise<Cost> {
  const first = await spell();
  const times = [first.processor];
  const isLevel = (): boolean => times.length > spells && Math.min(...times.slice(-spells)) >= least * Math.min(...times.slice(0, -spells));
  while (!isLevel() && times.length < maxSpells) times.push((await spell()).processor);
  return first;
}
